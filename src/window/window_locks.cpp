// A rank's locks of the ranks of its window: passive target epochs (MPI 4.1, 12.5.3).
//
// Modelled by tests/model/window_lock.pml.
#include <fmt/core.h>

#include <atomic>
#include <optional>
#include <string>

#include "runtime/wait.hpp"
#include "window/window.hpp"

namespace pure::core {

namespace {

const char* name_of_lock(lock_kind kind) noexcept { return kind == lock_kind::exclusive ? "exclusive" : "shared"; }

}  // namespace

std::string window::holder_of(int rank) const {
  const target& its = at(rank);
  if (!its.control->lock.is_held_exclusively()) return {};  // nobody does, or it is shared
  if (shared_.spanning() != nullptr) {
    const auto holder = its.control->holder.read();
    return holder ? to_text(*holder) : "";
  }
  const char* const operation = its.holder.operation.load(std::memory_order_relaxed);
  if (operation == nullptr) return {};
  const pure_call_site site{its.holder.file.load(std::memory_order_relaxed),
                            its.holder.line.load(std::memory_order_relaxed)};
  return to_text({its.holder.rank.load(std::memory_order_relaxed), to_text(operation, site)});
}

const char* window::lock_text(const std::string& holder) const {
  return kept_for_ever(fmt::format("the lock of window \"{}\"{}{}{} at", name_, holder.empty() ? "" : ", which ",
                                   holder, holder.empty() ? "" : ","));
}

void window::note_locked(const call& by, int rank, window_lock::outcome how, lock_kind kind) {
  if (kind == lock_kind::exclusive) {
    if (shared_.spanning() != nullptr) [[unlikely]] {
      at(rank).control->holder.write(this->rank(), by.operation, by.site.file, by.site.line);
    } else {
      window_group::lock_holder& holder = at(rank).holder;
      holder.operation.store(by.operation, std::memory_order_relaxed);
      holder.file.store(by.site.file, std::memory_order_relaxed);
      holder.line.store(by.site.line, std::memory_order_relaxed);
      holder.rank.store(this->rank(), std::memory_order_relaxed);
    }
  }
  if (how == window_lock::outcome::locked_and_wake) [[unlikely]]
    shared_.wake_all();
}

void window::wait_for_lock(const call& by, int rank, window_lock::attempt& tried) {
  window_lock& wanted = at(rank).control->lock;
  wait_reason why{by, "the lock of a window at", on_.number_of(rank), wait_reason::no_tag};
  constexpr auto vain = window_lock::outcome::vain;
  struct condition {
    bool operator()() { return is(how == vain ? wanted.try_lock(tried) : how); }
    bool operator()(last_look) {
      why.waiting_for = of.lock_text(of.holder_of(rank));
      return is(how == vain ? wanted.try_lock_or_sleep(tried) : how);
    }
    bool is(window_lock::outcome now) { return (how = now) != vain; }
    window& of;
    window_lock& wanted;
    window_lock::attempt& tried;
    wait_reason& why;
    int rank;
    window_lock::outcome how = vain;
  } is_locked{*this, wanted, tried, why, rank};
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
  if (shared_.spanning() != nullptr && kind == lock_kind::exclusive) [[unlikely]]
    its.holder.wipe();
  if (its.lock.unlock(kind)) shared_.wake_all();
}

/// Locks and unlocks at ranks that are reached by messages are on their way.
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
  lock_at(by, rank, kind);
  settle_locks(by, rank);
  epochs_.lock(rank, kind);
}

void window::unlock(const call& by, int rank) {
  if (!is_rank(by, rank)) return;
  if (!epochs_.is_locked(rank)) [[unlikely]]
    throw_wrong(by, errc::rma_sync, fmt::format("rank {} is not locked", rank));
  const lock_kind kind = epochs_.kind_at(rank);
  if (window_checks* const checks = shared_.checks()) checks->completes(*this, by, &rank);
  epochs_.unlock(rank);
  unlock_at(rank, kind);
  settle_locks(by, rank);
}

void window::lock_all(const call& by) {
  require_no_access(by);
  for (int each = 0; each < size(); ++each) lock_at(by, each, lock_kind::shared);
  settle_locks(by, rank());
  epochs_.lock_all();
}

void window::unlock_all(const call& by) {
  if (epochs_.now() != epochs::access::locked_all) throw_wrong(by, errc::rma_sync, "lock_all was not called");
  if (window_checks* const checks = shared_.checks()) checks->completes(*this, by, nullptr);
  epochs_.unlock_all();
  for (int each = 0; each < size(); ++each) unlock_at(each, lock_kind::shared);
  settle_locks(by, rank());
}

}  // namespace pure::core
