// PURE_CHECK, windows: accesses to one place that exclude each other, and are not ordered (MPI 4.1, 12.7).
//
//   a put or an atomic operation, and another operation        found when the second one is called
//   a store to a rank's memory, and an operation, in the       found by the operation, or by the fence or wait that
//   ends epoch of a fence or a post                                 the epoch, in the rank whose memory it is
//
// Nothing is reported that may be right. An operation counts until its origin has completed it (flush, unlock, fence;
// wait of the target), in windows with epochs. Without epochs it counts until its origin has done anything by which
// another rank may have learned of it: a message, a collective, a notification, an atomic operation
// (message_checks::orderings). What is not found: docs/windows.md.
//
// Stores leave no trace. But where an epoch begins, the owner copies its memory; operations keep the copy as the memory
// should be, so that what differs was stored.
//
// One object per window, shared by its ranks, where PURE_CHECK is on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cache_line.hpp"
#include "base/call.hpp"
#include "window/access_map.hpp"

namespace pure::core {

class window;
struct window_place;

/// What `what` is in window_access for no_op; others: checked_access.hpp.
inline constexpr std::uint64_t number_of_no_op = 2;

class window_checks {
 public:
  /// Memory of a rank that is larger is not compared: it would have to be there twice.
  static constexpr std::size_t most_compared_bytes = std::size_t{64} << 20;

  explicit window_checks(std::size_t ranks) : parts_(ranks), ranks_(ranks) {}

  /// By each rank, when the window is made: how often it has let others know.
  void join(int rank, const std::atomic<std::uint64_t>& orderings) noexcept {
    ranks_[static_cast<std::size_t>(rank)].orderings = &orderings;
  }

  // ---- operations, by their origin ----

  /// Before it touches `base`, where the place is. Throws rma_conflict.
  void access_starts(window& origin, const window_access& wanted, const window_place& where, std::byte* base);
  /// When the bytes are written.
  void access_ends(const window& origin, const window_place& where, std::byte* base, access_kind kind);

  // ---- what completes operations, by their origin ----

  /// All of this rank on the memory of that one; null: on that of all.
  void completes(const window& origin, const int* target);
  /// It is about to do something by which others may learn what it has done before, in this window or not.
  static void lets_know(const window& by) noexcept;

  // ---- epochs, by the owner of the memory ----

  /// Before the barrier of a fence.
  void fence_begins(const window& own) noexcept;
  /// When all ranks are in the fence, if it `waits`: what was stored to where operations were is the error of the rank
  /// whose memory it is. The next epoch begins, if it `opens` one. Collective, if it waits. Throws rma_conflict.
  void fence_ends(const window& own, const call& by, bool opens, bool waits);
  /// That of a post: stores count from now on.
  void epoch_begins(const window& own);
  /// What is wrong with those since then.
  [[nodiscard]] std::optional<std::string> epoch_ends(const window& own);

 private:
  struct alignas(line_bytes) part {
    std::mutex guard;
    access_map touched;
    std::vector<std::uint64_t> completions;  // by origin; empty until there is an operation
    std::vector<std::byte> copy;             // the memory as it should be
    bool is_compared = false;
  };
  struct alignas(line_bytes) rank {
    const std::atomic<std::uint64_t>* orderings = nullptr;
    std::atomic<std::uint64_t> at_epoch{~std::uint64_t{0}};  // orderings when the epoch of a fence began
    std::atomic<std::uint64_t> at_fence{0};                  // and when it called the next one
  };

  [[nodiscard]] part& part_of(int rank) noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::uint64_t orderings_of(int rank) const noexcept;
  [[nodiscard]] bool is_over(const window& of, const part& in, const window_access& made) const noexcept;
  [[nodiscard]] bool has_nobody_ordered() const noexcept;
  [[nodiscard]] bool stores_count(const window& origin, const part& in) const noexcept;
  void require_no_store(window& origin, part& in, const window_access& wanted, int target, access_map::range bytes,
                        const std::byte* memory) const;

  std::vector<part> parts_;
  std::vector<rank> ranks_;
};

}  // namespace pure::core
