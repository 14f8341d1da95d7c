// Modelled by tests/model/notification.pml, stripe.pml.
#include "window/window.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "coll/collective.hpp"
#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "runtime/wait.hpp"
#include "window/wait_kinds.hpp"

namespace pure::core {

namespace {

/// Until so many have come that were not taken; takes them.
struct enough_have_come {
  bool operator()() { return has_taken = has_taken || its.try_take(taken, count); }
  bool operator()(last_look) { return has_taken = has_taken || its.try_take_or_sleep(taken, count); }
  notification& its;
  std::uint64_t& taken;
  std::uint64_t count;
  bool has_taken = false;
};

}  // namespace

window::window(communicator& on, window_group& shared, bool needs_epochs, std::uint64_t handle,
               origin_requests* requests)
    : window_end(on, shared, needs_epochs, handle) {
  on.hold();
  group_observer* const looks_on = shared.observer();
  if (shared.spanning() != nullptr && (looks_on != nullptr || !shared.is_addressable()))
    remote_ = std::make_unique<remote_access>(*this, *requests);
  if (looks_on != nullptr) observer_ = looks_on->observer_for(*this, remote_.get());
}

window::~window() {
  observer_.reset();
  remote_.reset();
  shared().end_part(rank(), part_end::given_up);
  posted_.abandon();
  shared().release();
  comm().let_go();
}

// ---- errors --------------------------------------------------------------------------------------------------------

void window::throw_outside_epoch(const call& by, int rank) const {
  const char* why = "no epoch is open: call fence, start, lock or lock_all before";
  if (epochs_.now() == epochs::access::started) why = "the epoch of start is for other ranks";
  if (epochs_.now() == epochs::access::locked) why = "only other ranks are locked";
  throw_wrong(by, errc::rma_sync, fmt::format("rank {} may not be accessed: {}", rank, why));
}

void window::require_no_epoch(const call& by) const {
  require_no_access(by);
  if (epochs_.is_exposed()) throw_wrong(by, errc::rma_sync, "the epoch of post is open: end it with wait");
}

void window::require_no_access(const call& by) const {
  if (epochs_.may_begin()) return;
  switch (epochs_.now()) {
    case epochs::access::fence:
      throw_wrong(by, errc::rma_sync, "the epoch of a fence has operations: end it with another fence");
    case epochs::access::started: throw_wrong(by, errc::rma_sync, "the epoch of start is open: end it with complete");
    case epochs::access::locked: throw_wrong(by, errc::rma_sync, "a rank is locked: unlock it first");
    default: throw_wrong(by, errc::rma_sync, "all ranks are locked: unlock_all first");
  }
}

// ---- active target -------------------------------------------------------------------------------------------------

/// Whatever a program promises, nobody leaves before all have come: what follows a rank's fence may reach a target only
/// after the target's own (MPI 4.1, 12.5.1), and with NOPRECEDE, too, the target may have stored to its part before it.
void window::fence(const call& by, bool opens) {
  if (epochs_.is_exposed()) throw_wrong(by, errc::rma_sync, "the epoch of post is open: end it with wait");
  if (epochs_.now() != epochs::access::none && epochs_.now() != epochs::access::fence) require_no_access(by);
  complete_remote(by);
  meet(by);
  if (remote_ != nullptr) remote_->let_hold_back(opens && needs_epochs());
  epochs_.fence(opens && needs_epochs());
  tell_observer(&window_observer::fence_ends, by, opens);
  throw_if_refused(by);
}

/// What is before a rank's part of a barrier happens before what is behind every other's part.
void window::meet(const call& by) {
  if (tell_observer(&window_observer::all_meet, by)) return;
  collective_arguments what;
  what.kind = detail::collective::barrier;
  run_collective(comm(), by, what);
}

void window::complete_remote(const call& by) {
  if (remote_ != nullptr) [[unlikely]]
    remote_->flush_all(by);
}

void window::throw_if_refused(const call& by) {
  if (remote_ != nullptr) [[unlikely]]
    remote_->throw_if_any_was_refused(by);
}

void window::wait_for_results(const call& by, int rank) {
  if (remote_ == nullptr || static_cast<unsigned>(rank) >= static_cast<unsigned>(size())) return;
  remote_->wait(by, rank);
  remote_->throw_if_refused(by, rank);
}

void window::post(const call& by, std::span<const int> numbers) {
  if (epochs_.is_exposed()) throw_wrong(by, errc::rma_sync, "the epoch of another post is open: end it with wait");
  posted_.post(by, numbers);
  epochs_.post();
}

void window::start(const call& by, std::span<const int> numbers) {
  require_no_access(by);
  epochs_.prepare(size());
  const std::vector<int>& targets = posted_.start(by, numbers);
  if (remote_ != nullptr) remote_->let_hold_back(true);
  epochs_.start(size(), targets);
}

void window::complete(const call& by) {
  if (epochs_.now() != epochs::access::started) throw_wrong(by, errc::rma_sync, "no epoch of start is open");
  if (remote_ != nullptr) [[unlikely]] {
    // What may be refused is known when it has been done. Else only what brings something back is waited for: the end
    // of the epoch is behind all operations on the same way, and the target counts it when they are done.
    if (shared().flavor() == window_flavor::dynamic) {
      remote_->flush_all(by);
    } else {
      remote_->wait_for_all(by);
    }
  }
  posted_.complete(by);
  if (remote_ != nullptr) remote_->let_hold_back(false);
  epochs_.complete(posted_.started());
  throw_if_refused(by);
}

void window::wait(const call& by) {
  if (!epochs_.is_exposed()) throw_wrong(by, errc::rma_sync, "no epoch of post is open");
  posted_.wait(by);
  epochs_.end_exposure();
  tell_observer(&window_observer::epoch_ends, by);
}

bool window::test(const call& by) {
  if (!epochs_.is_exposed()) throw_wrong(by, errc::rma_sync, "no epoch of post is open");
  if (!posted_.has_ended()) {
    progress_once(owner());
    return false;
  }
  wait(by);
  return true;
}

// ---- passive target: locks are in window_locks.cpp
// -------------------------------------------------------------------

void window::flush(const call& by, int rank) {
  if (!is_rank(by, rank)) return;
  const bool is_open = epochs_.now() == epochs::access::locked_all || epochs_.is_locked(rank);
  if (!is_open && needs_epochs()) [[unlikely]]
    throw_wrong(by, errc::rma_sync,
                fmt::format("rank {} is not locked: flush is for epochs of lock and lock_all", rank));
  tell_observer(&window_observer::completes, by, &rank);
  const bool is_remote = !is_addressable(rank);
  if (is_remote) [[unlikely]]
    remote_->flush(by, rank);
  sync();
  if (is_remote) [[unlikely]]
    remote_->throw_if_refused(by, rank);
}

void window::flush_all(const call& by) {
  if (!epochs_.is_passive() && needs_epochs())
    throw_wrong(by, errc::rma_sync, "no rank is locked: flush is for epochs of lock and lock_all");
  tell_observer(&window_observer::completes, by, nullptr);
  complete_remote(by);
  sync();
  throw_if_refused(by);
}

void window::look_around() { progress_once(owner()); }

void window::sync() {
  order_accesses();
  look_around_now_and_then();
}

void window::order_accesses() const noexcept {
  tell_observer(&window_observer::lets_know);
  // seq_cst: what this rank has stored, or put, is there before whatever it does next, also a relaxed store by which
  // others learn of it, and what it loads next is newer; pairs with itself in another rank's order_accesses()
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Not at each poll: who holds it is mostly about to take it again, and each look takes its line from there. Between
/// two looks, which are further and further apart, the holder does many operations in its own cache (D-stripe-backoff).
void window::wait_for(const call& by, stripe& wanted, int at_rank) {
  const wait_reason why{by, "other atomic operations on the window at", comm().number_of(at_rank), wait_reason::no_tag};
  struct condition {
    bool operator()() { return is_mine = is_mine || (backoff.is_over() && wanted.try_lock()); }
    bool operator()(last_look) { return is_mine = is_mine || wanted.try_lock_or_sleep(); }
    stripe& wanted;
    stripe_backoff backoff;
    bool is_mine = false;
  };
  wait_until(owner(), why, condition{wanted, stripe_backoff(!owner().thread().how_to_wait().yields)});
}

void window::wait_for(const call& by, element_stripes& wanted, int at_rank) {
  const wait_reason why{by, "other atomic operations on the window at", comm().number_of(at_rank), wait_reason::no_tag};
  using outcome = element_stripes::outcome;
  struct condition {
    bool operator()() { return is_mine || is(wanted.try_lock()); }
    bool operator()(last_look) { return is_mine || is(wanted.try_lock_or_sleep()); }
    bool is(outcome now) {
      if (now == outcome::vain_and_wake) of.wake_all();  // this rank, too: it has to try the other one
      return is_mine = now == outcome::locked;
    }
    window_group& of;
    element_stripes& wanted;
    bool is_mine = false;
  };
  wait_until(owner(), why, condition{shared(), wanted});
}

// ---- notifications -------------------------------------------------------------------------------------------------

void window::require_counter(const call& by, std::uint64_t count, int counter) const {
  if (counter < 0 || counter >= target_control::notifications) {
    throw_wrong(
        by, errc::argument,
        fmt::format("there is no notification {}: they are 0 to {}", counter, target_control::notifications - 1));
  }
  if (count >> 62 != 0) throw_wrong(by, errc::count, fmt::format("{} notifications are too many", count));
}

void window::notify(const call& by, int rank, int counter) {
  if (!is_rank(by, rank)) return;
  if (static_cast<unsigned>(counter) >= target_control::notifications) [[unlikely]]
    require_counter(by, 0, counter);
  tell_observer(&window_observer::completes, by, nullptr);
  target& its = at(rank);
  if (its.control == nullptr) [[unlikely]] {
    posted_.hand_over_put(by, rank);
    return remote_->notify(by, rank, counter);
  }
  if (its.control->notified[counter].add()) [[unlikely]]
    shared().wake_owner(its);
}

void window::wait_notified(const call& by, std::uint64_t count, int counter) {
  if (static_cast<unsigned>(counter) >= target_control::notifications || count >> 62 != 0) [[unlikely]]
    require_counter(by, count, counter);
  notification& its = own().control->notified[counter];
  std::uint64_t& taken = taken_[static_cast<std::size_t>(counter)];
  if (its.try_take(taken, count)) return;
  const wait_subject about{.name = name_to_share(), .number = static_cast<std::uint64_t>(counter)};
  const wait_reason why{.what = by, .waiting_for = notification_of_window, .subject = &about};
  wait_until(owner(), why, enough_have_come{its, taken, count});
}

bool window::test_notified(const call& by, std::uint64_t count, int counter) {
  require_counter(by, count, counter);
  if (own().control->notified[counter].try_take(taken_[static_cast<std::size_t>(counter)], count)) return true;
  progress_once(owner());
  return false;
}

// ---- memory of dynamic windows -------------------------------------------------------------------------------------

void window::attach(const call& by, void* from, std::size_t bytes) {
  if (shared().flavor() != window_flavor::dynamic)
    throw_wrong(by, errc::rma_flavor, "memory is attached to dynamic windows only (create_dynamic)");
  if (from == nullptr && bytes > 0) throw_wrong(by, errc::buffer, "the memory is null");
  if (!own().attached.add(static_cast<const std::byte*>(from), bytes))
    throw_wrong(by, errc::rma_attach, fmt::format("the {} bytes at {} overlap what is attached already", bytes, from));
}

void window::detach(const call& by, const void* from) {
  if (shared().flavor() != window_flavor::dynamic)
    throw_wrong(by, errc::rma_flavor, "memory is attached to dynamic windows only (create_dynamic)");
  if (!own().attached.remove(static_cast<const std::byte*>(from)))
    throw_wrong(by, errc::rma_attach, fmt::format("no memory that was attached begins at {}", from));
}

}  // namespace pure::core
