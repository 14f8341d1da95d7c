// Modelled by tests/model/network_lock.pml.
#include "runtime/monitor.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t between_polls_ns = 50'000;              // of the network, while workers sleep
constexpr std::int64_t most_between_polls_ns = 400'000;        // while others that wait poll it, too
constexpr std::int64_t between_polls_if_asked_ns = 1'000'000;  // while none does, and other processes ask something

}  // namespace

monitor::monitor(job& watched) noexcept
    : job_(watched),
      bell_(owned_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      alarm_(owned_descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))) {}

monitor::~monitor() = default;

void monitor::ring() const noexcept {
  if (const int bell = bell_.number(); bell >= 0) eventfd_write(bell, 1);
}

void monitor::look_at_network_soon() noexcept {
  const int alarm = alarm_.number();
  if (alarm < 0) return ring();
  // acq_rel: pairs with the store in sleep(), whose fence follows: who finds it set is seen by the poll after that
  if (alarm_is_set_.exchange(true, std::memory_order_acq_rel)) return;
  const itimerspec in{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = alarm_pace_.after_ns()}};
  timerfd_settime(alarm, 0, &in, nullptr);
}

void monitor::wake() noexcept {
  if (is_asleep_.exchange(false, std::memory_order_relaxed)) ring();  // relaxed: as in worker_has_parked()
}

/// True if the alarm has gone off.
bool monitor::sleep(std::int64_t most_ns, int descriptor) noexcept {
  // A second at most: the program may close the bell meanwhile, and whoever rings then is not heard.
  const int bell = bell_.number(), alarm = alarm_.number();
  most_ns = std::min<std::int64_t>(most_ns < 0 ? second_ns : most_ns, bell < 0 ? second_ns / 50 : second_ns);
  // Negative ones are passed over.
  const int others = job_.others() != nullptr ? job_.others()->wake_descriptor() : -1;
  std::array<pollfd, 4> on{pollfd{bell, POLLIN, 0}, pollfd{descriptor, POLLIN, 0}, pollfd{alarm, POLLIN, 0},
                           pollfd{others, POLLIN, 0}};
  const timespec limit{.tv_sec = most_ns / second_ns, .tv_nsec = most_ns % second_ns};
  ppoll(on.data(), on.size(), &limit, nullptr);
  if (std::exchange(is_rung_by_others_, false) || on.back().revents != 0) job_.others()->has_slept();
  eventfd_t rings = 0;
  if (bell == bell_.number()) eventfd_read(bell, &rings);
  std::uint64_t alarms = 0;
  if (alarm < 0 || alarm != alarm_.number() || read(alarm, &alarms, sizeof alarms) <= 0) return false;
  alarm_is_set_.store(false, std::memory_order_relaxed);
  // seq_cst: before the network is polled; pairs with the fence of whoever left work and found the alarm
  // set, in gateway::leave_for_later()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

void monitor::wait_only(std::int64_t most_ns) noexcept { sleep(std::max<std::int64_t>(most_ns, 0), -1); }

/// Until the next look; negative: until somebody rings.
std::int64_t monitor::time_to_sleep_ns(const job_observer* observer) noexcept {
  is_asleep_.store(true, std::memory_order_relaxed);
  // seq_cst: says that it sleeps before it counts; pairs with the fence in look_for_deadlock(), which a worker that has
  // parked passes before it looks whether the monitor sleeps
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::int64_t until_look_ns = std::max<std::int64_t>(next_look_ns_ - now_ns(), 0);
  if (job_.ranks_alive().read().parked == 0) {
    if (job_.others() == nullptr) return -1;
    const bool is_asked = observer != nullptr && observer->is_asked();
    return std::min(until_look_ns, is_asked ? between_polls_if_asked_ns : between_looks_ns);
  }
  is_asleep_.store(false, std::memory_order_relaxed);
  // A worker that sleeps does not look at the network: this thread does.
  if (job_.others() == nullptr) return until_look_ns;
  const std::uint64_t polls = job_.others()->polls_of_ranks();
  const bool do_ranks_poll = polls != std::exchange(polls_seen_, polls);
  if (!do_ranks_poll && job_.others()->wake_descriptor() >= 0 && job_.others()->may_sleep_soundly()) {
    is_rung_by_others_ = true;
    return until_look_ns;
  }
  until_poll_ns_ = do_ranks_poll ? std::clamp(2 * until_poll_ns_, between_polls_ns, most_between_polls_ns)
                                 : between_polls_ns;
  return std::min(until_look_ns, until_poll_ns_);
}

void monitor::wait(job_observer* observer) {
  const int descriptor = observer != nullptr ? observer->descriptor() : -1;
  const bool has_alarm = sleep(time_to_sleep_ns(observer), descriptor);
  is_asleep_.store(false, std::memory_order_relaxed);
  if (observer != nullptr) observer->look_at_crash();
  if (job_.others() != nullptr) {
    if (has_alarm) alarm_pace_.has_rung(job_.others()->is_work_left());
    while (job_.others()->poll(nullptr)) {
    }
    if (observer != nullptr) observer->read_control_messages();
  }
  if (descriptor >= 0) observer->answer();
  const std::int64_t now = now_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + between_looks_ns;
  if (job_.others() != nullptr) job_.others()->look_at_starter();
  if (observer != nullptr) observer->look();
}

}  // namespace pure::core
