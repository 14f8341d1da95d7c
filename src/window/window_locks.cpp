// A rank's locks of the ranks of its window: passive target epochs (MPI 4.1, 12.5.3).
//
// Modelled by tests/model/window_lock.pml.
#include <fmt/core.h>

#include <atomic>

#include "runtime/wait.hpp"
#include "window/wait_kinds.hpp"
#include "window/window.hpp"

namespace pure::core {

namespace {

const char* name_of_lock(lock_kind kind) noexcept { return kind == lock_kind::exclusive ? "exclusive" : "shared"; }

}  // namespace

void window::note_locked(const call& by, int rank, window_lock::outcome how, lock_kind kind) {
  if (shared().spanning() == nullptr) [[likely]] {
    shared().locks().note(this->rank(), rank, by);
  } else if (kind == lock_kind::exclusive) {
    at(rank).control->holder.write(this->rank(), by);
  }
  if (how == window_lock::outcome::locked_and_wake) [[unlikely]]
    shared().wake_all();
}

void window::wait_for_lock(const call& by, int rank, window_lock::attempt& tried) {
  const wait_subject about = lock_at_rank(rank);
  const wait_reason why{.what = by,
                        .waiting_for = lock_of_window_at,
                        .peer = comm().number_of(rank),
                        .tag = wait_reason::no_tag,
                        .subject = &about};
  constexpr auto vain = window_lock::outcome::vain;
  struct condition {
    bool operator()() { return is(how == vain ? wanted.lock.try_lock(tried) : how); }
    bool operator()(last_look) {
      if (of.shared().spanning() != nullptr) of.tell_holder(wanted.holder.read());
      return is(how == vain ? wanted.lock.try_lock_or_sleep(tried) : how);
    }
    bool is(window_lock::outcome now) { return (how = now) != vain; }
    window& of;
    target_control& wanted;
    window_lock::attempt& tried;
    window_lock::outcome how = vain;
  } is_locked{*this, *at(rank).control, tried};
  wait_until(owner(), why, is_locked);
  note_locked(by, rank, is_locked.how, tried.kind);
}

void window::lock_at(const call& by, int rank, lock_kind kind) {
  if (!is_addressable(rank)) [[unlikely]]
    return remote_->lock(by, rank, kind);
  window_lock::attempt first{kind};
  const window_lock::outcome how = at(rank).control->lock.try_lock(first);
  if (how == window_lock::outcome::vain) [[unlikely]]
    return wait_for_lock(by, rank, first);
  note_locked(by, rank, how, kind);
}

void window::unlock_at(int rank, lock_kind kind) {
  if (!is_addressable(rank)) [[unlikely]]
    return remote_->unlock(rank, kind);
  target_control& its = *at(rank).control;
  if (shared().spanning() == nullptr) [[likely]] {
    shared().locks().wipe(this->rank(), rank);
  } else if (kind == lock_kind::exclusive) {
    its.holder.wipe();
  }
  if (its.lock.unlock(kind)) shared().wake_all();
}

/// Locks and unlocks at ranks that are reached by messages are on their way. Operations that were refused are no error
/// of a lock: it is taken, and has to be given back. They are one of the unlock, when it is.
void window::settle_locks(const call& by, int rank) {
  if (remote_ == nullptr) [[likely]]
    return;
  remote_->wait_for_lock(by, rank);
  remote_->progress();  // requests for a lock that this rank has given back
}

void window::lock(const call& by, int rank, lock_kind kind) {
  if (!is_rank(by, rank)) return;
  if (!epochs_.may_begin() && epochs_.now() != epochs::access::locked) [[unlikely]]
    require_no_access(by);
  if (epochs_.is_locked(rank)) [[unlikely]] {
    throw_wrong(by, errc::rma_sync,
                fmt::format("rank {} has a{} {} lock at rank {} already", this->rank(),
                            epochs_.kind_at(rank) == lock_kind::exclusive ? "n" : "",
                            name_of_lock(epochs_.kind_at(rank)), rank));
  }
  epochs_.prepare(size());
  if (shared().spanning() == nullptr) shared().locks().prepare(this->rank(), owner().number());
  lock_at(by, rank, kind);
  settle_locks(by, rank);
  epochs_.lock(rank, kind);
}

void window::unlock(const call& by, int rank) {
  if (!is_rank(by, rank)) return;
  if (!epochs_.is_locked(rank)) [[unlikely]]
    throw_wrong(by, errc::rma_sync, fmt::format("rank {} is not locked", rank));
  tell_observer(&window_observer::completes, by, &rank);
  unlock_at(rank, epochs_.kind_at(rank));
  epochs_.unlock(rank);
  settle_locks(by, rank);
  if (remote_ != nullptr) [[unlikely]]
    remote_->throw_if_refused(by, rank);
}

void window::lock_all(const call& by) {
  require_no_access(by);
  if (shared().spanning() == nullptr) shared().locks().prepare(rank(), owner().number());
  for (int each = 0; each < size(); ++each) lock_at(by, each, lock_kind::shared);
  settle_locks(by, rank());
  epochs_.lock_all();
}

void window::unlock_all(const call& by) {
  if (epochs_.now() != epochs::access::locked_all) throw_wrong(by, errc::rma_sync, "lock_all was not called");
  tell_observer(&window_observer::completes, by, nullptr);
  epochs_.unlock_all();
  for (int each = 0; each < size(); ++each) unlock_at(each, lock_kind::shared);
  settle_locks(by, rank());
  throw_if_refused(by);
}

}  // namespace pure::core
