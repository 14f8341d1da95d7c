#include "runtime/hang_watch.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "runtime/hang_report.hpp"
#include "runtime/job.hpp"
#include "runtime/wait_graph.hpp"

namespace pure::core {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t between_polls_ns = 50'000;              // of the network, while workers sleep
constexpr std::int64_t most_between_polls_ns = 400'000;        // while others that wait poll it, too
constexpr std::int64_t between_polls_if_asked_ns = 1'000'000;  // while none does, and other processes ask something

}  // namespace

hang_watch::hang_watch(job& watched) noexcept
    : job_(watched),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      alarm_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      started_ns_(now_ns()) {}

hang_watch::~hang_watch() {
  if (bell_ >= 0) close(bell_);
  if (alarm_ >= 0) close(alarm_);
}

// ---- waking and sleeping --------------------------------------------------------------------------------------------

void hang_watch::ring() noexcept {
  if (bell_ >= 0) eventfd_write(bell_, 1);
}

void hang_watch::look_at_network_soon() noexcept {
  if (alarm_ < 0) return ring();
  // acq_rel: pairs with the store in sleep(), whose fence follows: who finds it set is seen by the poll after that
  if (alarm_is_set_.exchange(true, std::memory_order_acq_rel)) return;
  const itimerspec in{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = alarm_pace_.after_ns()}};
  timerfd_settime(alarm_, 0, &in, nullptr);
}

void hang_watch::wake_watch() noexcept {
  if (watch_sleeps_.exchange(false, std::memory_order_relaxed)) ring();  // relaxed: as in worker_has_parked()
}

/// True if the alarm has gone off.
bool hang_watch::sleep(std::int64_t most_ns, int attached) noexcept {
  if (bell_ < 0) most_ns = std::min<std::int64_t>(most_ns < 0 ? second_ns : most_ns, second_ns / 50);
  // Negative ones are passed over.
  std::array<pollfd, 3> on{pollfd{bell_, POLLIN, 0}, pollfd{attached, POLLIN, 0}, pollfd{alarm_, POLLIN, 0}};
  const timespec limit{.tv_sec = most_ns / second_ns, .tv_nsec = most_ns % second_ns};
  ppoll(on.data(), on.size(), most_ns < 0 ? nullptr : &limit, nullptr);
  eventfd_t rings = 0;
  if (bell_ >= 0) eventfd_read(bell_, &rings);
  std::uint64_t alarms = 0;
  if (alarm_ < 0 || read(alarm_, &alarms, sizeof alarms) <= 0) return false;
  alarm_is_set_.store(false, std::memory_order_relaxed);
  // seq_cst: before the network is polled; pairs with the fence of whoever left work and found the alarm set
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

void hang_watch::wait_only(std::int64_t most_ns) noexcept { sleep(std::max<std::int64_t>(most_ns, 0), -1); }

/// Until the next look; negative: until somebody rings.
std::int64_t hang_watch::time_to_sleep_ns() noexcept {
  watch_sleeps_.store(true, std::memory_order_relaxed);
  // seq_cst: says that it sleeps before it counts; pairs with the fence in look_for_deadlock(), which a worker that has
  // parked passes before it looks whether the watch sleeps
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::int64_t until_look_ns = std::max<std::int64_t>(next_look_ns_ - now_ns(), 0);
  if (job_.ranks_alive().read().parked == 0) {
    if (job_.others() == nullptr) return -1;
    return std::min(until_look_ns, is_asked() ? between_polls_if_asked_ns : between_looks_ns);
  }
  watch_sleeps_.store(false, std::memory_order_relaxed);
  // A worker that sleeps does not look at the network: this thread does.
  if (job_.others() == nullptr) return until_look_ns;
  const std::uint64_t polls = job_.others()->polls_of_ranks();
  const bool do_ranks_poll = polls != std::exchange(polls_seen_, polls);
  until_poll_ns_ = do_ranks_poll ? std::clamp(2 * until_poll_ns_, between_polls_ns, most_between_polls_ns)
                                 : between_polls_ns;
  return std::min(until_look_ns, until_poll_ns_);
}

void hang_watch::wait() {
  if (!attached_) attached_.emplace();
  const std::int64_t most_ns = time_to_sleep_ns();
  const bool has_alarm = sleep(most_ns, attached_->descriptor());
  watch_sleeps_.store(false, std::memory_order_relaxed);
  if (job_.others() != nullptr) {
    if (has_alarm) alarm_pace_.has_rung(job_.others()->is_work_left());
    while (job_.others()->poll(nullptr)) {
    }
    read_letters();
  }
  if (attached_->descriptor() >= 0) {
    attached_->answer([this] {
      const std::vector<rank_state> ranks = look_at_ranks(job_);
      return fmt::format(
          "{} of process {}{}, started {:.1f} s ago\n{}", counted(static_cast<unsigned>(job_.ranks_here()), "rank"),
          getpid(), job_.others() == nullptr ? "" : ", " + place_in_job(),
          static_cast<double>(now_ns() - started_ns_) * 1e-9, table_of_ranks(ranks, stacks_of(job_, ranks)));
    });
  }
  const std::int64_t now = now_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + between_looks_ns;
  look();
}

// ---- looking --------------------------------------------------------------------------------------------------------

void hang_watch::look() {
  const std::vector<rank_state> ranks = look_at_ranks(job_);
  if (job_.others() != nullptr) {
    witness_->tell(ranks);
    if (inquiry_) inquiry_->look();
    return warn_of_long_waits(ranks, 0);
  }
  const std::vector<int> stuck = certainly_stuck(ranks);
  const bool is_hang = job_.look_for_deadlock() || !stuck.empty();
  if (job_.ending()) return;
  const int foreign = is_hang ? job_.foreign_threads() : 0;
  if (!stuck.empty() && foreign == 0) {
    job_.fail_by_deadlock(report_of_stuck_ranks(ranks, stuck, stacks_of(job_, ranks)));
  } else {
    warn_of_long_waits(ranks, foreign);
  }
}

/// The ranks that are stuck for ever, if some were at the look before, in the same sleeps.
std::vector<int> hang_watch::certainly_stuck(std::vector<rank_state> ranks) {
  std::vector<int> stuck = stuck_for_ever(ranks);
  std::vector<std::pair<int, std::uint32_t>> before;
  before.swap(suspects_);
  for (const int rank : stuck) suspects_.emplace_back(rank, ranks[static_cast<std::size_t>(rank)].sleep);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::pair same(static_cast<int>(i), ranks[i].sleep);
    if (!std::binary_search(before.begin(), before.end(), same)) ranks[i].rests = false;
  }
  if (stuck_for_ever(ranks).empty()) stuck.clear();
  return stuck;
}

/// Of ranks of this process.
void hang_watch::warn_of_long_waits(const std::vector<rank_state>& ranks, int foreign) {
  const int asked_s = job_.values().hang_timeout_s;
  if (asked_s == 0 && foreign == 0) return;
  const std::int64_t now = now_ns();
  std::int64_t longest_ns = 0;
  for (const rank_state& each : ranks) {
    if (each.now == rank_state::doing::waiting) longest_ns = std::max(longest_ns, now - each.wait.since_ns);
  }
  if (!warnings_.is_time(longest_ns, asked_s)) return;
  const std::string why = foreign > 0 ? text_of_foreign(foreign)
                                      : fmt::format("a rank{} has waited for {} s (PURE_HANG_TIMEOUT={})",
                                                    job_.others() != nullptr ? " of " + place_in_job() : "",
                                                    longest_ns / second_ns, asked_s);
  fmt::print(stderr, "pure: warning: {}; the next warning comes after {} s\n{}", why, warnings_.next_s(),
             table_of_ranks(ranks, stacks_of(job_, ranks)));
}

// ---- several processes ----------------------------------------------------------------------------------------------

/// "process 1 of 3 of a job of 6 ranks": the others have the other ranks.
std::string hang_watch::place_in_job() const {
  const other_processes* const others = job_.others();
  return fmt::format("process {} of {} of a job of {}", others->process(), others->placement().processes(),
                     counted(static_cast<unsigned>(job_.size()), "rank"));
}

bool hang_watch::is_asked() const noexcept {
  return (witness_ && witness_->is_wanted()) || (inquiry_ && inquiry_->is_busy());
}

void hang_watch::read_letters() {
  if (!witness_) {
    witness_.emplace(job_);
    if (job_.others()->process() == 0) inquiry_.emplace(job_);
  }
  for (const letter& each : job_.others()->take_letters()) {
    byte_unpacker said(each.text);
    switch (const auto what = said.number<hang_letter>()) {
      case hang_letter::states:
      case hang_letter::counted:
      case hang_letter::settled:
      case hang_letter::stacks_are: inquiry_->hear(each.from, what, said); break;
      default: witness_->hear(each.from, what, said);
    }
  }
  witness_->answer();
  if (inquiry_) inquiry_->move_on();
}

}  // namespace pure::core
