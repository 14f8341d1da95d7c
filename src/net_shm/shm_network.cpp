#include "net_shm/shm_network.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/libc.hpp"
#include "net_shm/peer_memory.hpp"
#include "net_shm/starter.hpp"
#include "net_shm/successive_jobs.hpp"

namespace pure::net_shm {

namespace {

std::uint32_t* futex_of(std::atomic<std::uint32_t>& count) noexcept {
  static_assert(sizeof count == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&count);
}

/// One more process has come: the last one wakes who waits for all.
void add_one(std::atomic<std::uint32_t>& count, std::uint32_t all) noexcept {
  // acq_rel: what each has written before it came, all may read afterwards; pairs with itself, and with wait_for_all()
  if (count.fetch_add(1, std::memory_order_acq_rel) + 1 < all) return;
  syscall(SYS_futex, futex_of(count), FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

/// `look`: twice a second.
template <class Look>
void wait_for_all(std::atomic<std::uint32_t>& count, std::uint32_t all, Look look) {
  // acquire, twice: what the others have written; pairs with add_one()
  std::uint32_t now = count.load(std::memory_order_acquire);
  for (; now < all; now = count.load(std::memory_order_acquire)) {
    constexpr timespec between_looks{0, 500'000'000};
    if (syscall(SYS_futex, futex_of(count), FUTEX_WAIT, now, &between_looks, nullptr, 0) != 0 && errno != EAGAIN)
      look();
  }
}

std::string own_host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

template <class Do>
auto shm_network::guarded(Do&& what) noexcept -> decltype(what()) {
  try {
    if (!is_broken_) return what();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return false;
}

shm_network::shm_network(const core::network_opening& opening, std::shared_ptr<const opened_segment> segment,
                         int process, cell_manner cells, payload_ways ways)
    : report_(opening.failed),
      context_(opening.context),
      segment_(std::move(segment)),
      front_(segment_->front()),
      process_(process),
      bell_(front_, process),
      cells_(front_.plan(), segment_->file(), process, cells.takes_lines),
      out_(front_, bell_, segment_->file(), process, cells.are_used && !opening.sums_messages ? &cells_ : nullptr),
      in_(front_, bell_, segment_->file(), process),
      payloads_(front_, bell_, out_, process, ways, [this](const std::string& why) { fail(why); }) {
  if (opening.sums_messages) out_.sum_records();
  const auto all = static_cast<std::size_t>(front_.plan().processes());
  peers_.process = process;
  peers_.processes = front_.plan().processes();
  peers_.host_of.assign(all, 0);
  peers_.host_names = {own_host_name()};
  peers_.machine_of.assign(all, 0);
  peers_.index_on_machine = process;
  peers_.processes_on_machine = peers_.processes;
  peers_.largest_tag = std::numeric_limits<std::int32_t>::max();
  peers_.message_bytes = std::min(opening.message_bytes, out_.largest_record() / 8 * 8);
  peers_.piece_bytes = std::numeric_limits<std::size_t>::max();
  peers_.library = "shared memory";
  // relaxed: come() publishes both
  front_.row(process).pid.store(getpid(), std::memory_order_relaxed);
  front_.row(process).pid_space.store(own_pid_space(), std::memory_order_relaxed);
  allow_peers();
}

void shm_network::come() {
  // acq_rel: who this is, for purerun; pairs with the acquire in job_segment::pid_of()
  if (front_.row(process_).stage.exchange(process_stage::here, std::memory_order_acq_rel) != process_stage::away)
    refuse_second_program(front_, process_);
  add_one(front_.head().have_come, static_cast<std::uint32_t>(peers_.processes));
}

void shm_network::meet_others() {
  wait_for_all(front_.head().have_come, static_cast<std::uint32_t>(peers_.processes), [this] {
    if (segment_->has_starter_ended()) throw Error(errc::state, starter_has_ended);
  });
  bell_.all_have_come();
}

void shm_network::fail(const std::string& why) noexcept {
  if (std::exchange(is_broken_, true)) return;
  if (report_ != nullptr) report_(context_, why.c_str());
}

bool shm_network::send_message(core::network_operation& sending, int process, int tag, const void* data,
                               std::size_t bytes) {
  return guarded([&] {
    sending.cancelled = false;
    return out_.send(process,
                     {.kind = record_kind::message, .tag = tag, .body = data, .body_bytes = bytes, .op = &sending});
  });
}

bool shm_network::send(core::network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  return guarded([&] { return payloads_.send(sending, process, tag, data, bytes); });
}

bool shm_network::receive(core::network_operation& receiving, int process, int tag, void* data, std::size_t bytes) {
  return guarded([&] { return payloads_.receive(receiving, process, tag, data, bytes); });
}

void shm_network::add_open_accounts(core::open_accounts& to) const {
  payloads_.add_open_accounts(to);
  to.add("processes to which something waits for room", out_.is_anything_kept() ? 1 : 0);
}

/// PURE_CHECK: nobody gets what is in it.
void shm_network::damaged(int from, const record& what) {
  fail(fmt::format(
      "a record of {} bytes of process {} has other bytes when it comes to process {} than when it left: the "
      "memory that they share has been written to by another one, or Pure has a fault",
      what.bytes, from, process_));
}

bool shm_network::poll(core::network_events& events) {
  return guarded([&] {
    bool moved = false;
    if (out_.is_anything_kept()) [[unlikely]]
      moved = out_.send_kept([&](core::network_operation& left) { events.operation_done(left); });
    if (payloads_.is_anything_under_way()) moved |= payloads_.move_on(events);
    const watched_rings::found found = in_.next();
    if (found.what == nullptr) return moved;
    const int from = found.in->from_process;
    if (found.what->sum != 0 && found.what->sum != found.what->sum_now()) [[unlikely]] {
      damaged(from, *found.what);
      return false;
    }
    if (found.what->cell != 0) {
      take_in_cell(from, *found.what, events);
    } else {
      take_in(from, {found.what, nullptr}, events);
    }
    if (found.in->end.pop(*found.what)) bell_.ring_after_fence(from);  // it may wait for room
    return true;
  });
}

inline void shm_network::take_in(int from, const arrived_record& what, core::network_events& events) {
  if (what.kind() == record_kind::message) [[likely]] {
    events.message_arrived(from, what.tag(), what.body(), what.body_bytes());
  } else {
    payloads_.take_in(from, what, events);
  }
}

void shm_network::take_in_cell(int from, const record& what, core::network_events& events) {
  const auto cell = static_cast<pair_cells::number>(what.cell - 1U);
  const std::size_t head_bytes = head_bytes_of(what.kind());
  if (cell >= cells_of_a_pair || what.bytes < head_bytes || what.bytes - head_bytes > cell_bytes)
    return payloads_.damaged(from);
  pair_cells& its = cells_.with(from);
  const arrived_record arrived{&what, its.contents(cell)};
  take_in(from, arrived, events);
  if (its.has_read(cell, arrived.body_bytes())) bell_.ring_after_fence(from);
}

void shm_network::look_at_starter() noexcept {
  if (!segment_->has_starter_ended()) return;
  // relaxed: nothing else depends on it
  if (front_.head().is_end_of_starter_said.exchange(1, std::memory_order_relaxed) != 0) abort(1);
  if (report_ != nullptr) report_(context_, starter_has_ended);
}

void shm_network::abort(int status) noexcept { core::libc::exit_now(status); }

void shm_network::finalize(int) {
  if (is_broken_) return;
  leave_at_once();  // nobody needs this process any more, whose program has handlers of exit left to run
}

void shm_network::leave_at_once() noexcept {
  if (is_broken_) return;
  leave_job(front_, process_);
}

}  // namespace pure::net_shm
