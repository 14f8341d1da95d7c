// In which epochs a rank is: what it may access, and what it exposes (MPI 4.1, 12.5).
//
//   access     none -> fence | started | locked, at some ranks | locked_all -> none
//   exposure   none -> posted -> none        (by fence, all of a window's memory is exposed)
//
// An epoch that a fence has opened ends with the next one, or, if nothing was done in it, with the beginning of another
// kind: so a fence may be the last one (MPI 4.1, 12.5.1). Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "window/window_lock.hpp"

namespace pure::core {

class epochs {
 public:
  enum class access : std::uint8_t { none, fence, started, locked, locked_all };

  /// Whether an operation on the memory of that rank may be done.
  [[nodiscard]] bool allow(int rank) const noexcept {
    switch (now_) {
      case access::none: return false;
      case access::fence:
      case access::locked_all: return true;
      default: return at_[static_cast<std::size_t>(rank)] != state::none;
    }
  }

  /// An operation is about to be done, in which nothing was wrong.
  void note_use() noexcept { has_been_used_ = true; }

  [[nodiscard]] access now() const noexcept { return now_; }
  /// Nothing is open but, perhaps, an epoch of a fence in which nothing was done.
  [[nodiscard]] bool may_begin() const noexcept {
    return now_ == access::none || (now_ == access::fence && !has_been_used_);
  }
  /// Passive epochs: operations may be flushed.
  [[nodiscard]] bool is_passive() const noexcept { return now_ == access::locked || now_ == access::locked_all; }
  [[nodiscard]] bool is_exposed() const noexcept { return is_exposed_; }

  void fence(bool opens) noexcept {
    now_ = opens ? access::fence : access::none;
    has_been_used_ = false;
  }

  void start(int size, std::span<const int> targets) {
    at_.resize(static_cast<std::size_t>(size));
    for (const int each : targets) at_[static_cast<std::size_t>(each)] = state::started;
    now_ = access::started;
  }
  void complete(std::span<const int> targets) noexcept {
    for (const int each : targets) at_[static_cast<std::size_t>(each)] = state::none;
    now_ = access::none;
  }

  void post() noexcept { is_exposed_ = true; }
  void end_exposure() noexcept { is_exposed_ = false; }

  [[nodiscard]] bool is_locked(int rank) const noexcept {
    return now_ == access::locked && at_[static_cast<std::size_t>(rank)] != state::none;
  }
  [[nodiscard]] lock_kind kind_at(int rank) const noexcept {
    return at_[static_cast<std::size_t>(rank)] == state::exclusive ? lock_kind::exclusive : lock_kind::shared;
  }
  /// Before it is locked, for this takes memory.
  void prepare(int size) { at_.resize(static_cast<std::size_t>(size)); }
  void lock(int rank, lock_kind kind) noexcept {
    at_[static_cast<std::size_t>(rank)] = kind == lock_kind::exclusive ? state::exclusive : state::shared;
    now_ = access::locked;
    ++locks_;
  }
  void unlock(int rank) noexcept {
    at_[static_cast<std::size_t>(rank)] = state::none;
    if (--locks_ == 0) now_ = access::none;
  }
  void lock_all() noexcept { now_ = access::locked_all; }
  void unlock_all() noexcept { now_ = access::none; }

 private:
  enum class state : std::uint8_t { none, started, shared, exclusive };

  access now_ = access::none;
  bool has_been_used_ = false;  // that of a fence; looked at in no other
  bool is_exposed_ = false;
  int locks_ = 0;
  std::vector<state> at_;  // by rank; empty until it is needed
};

}  // namespace pure::core
