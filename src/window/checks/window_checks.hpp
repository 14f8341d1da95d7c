// PURE_CHECK, windows: accesses to one place that exclude each other, and are not ordered (MPI 4.1, 12.7).
//
//   a put or an atomic operation, and another operation        found when the second one is called
//   a store to a rank's memory, and an operation, in the       found by the operation, or by the fence or wait that
//   ends epoch of a fence or a post                                 the epoch, in the rank whose memory it is
//
// Nothing is reported that may be right. An operation counts until its origin has completed it (flush, unlock, fence;
// wait of the target), in windows with epochs. Without epochs it counts until its origin has done anything by which
// another rank may have learned of it: a message, a collective, a notification, an atomic operation
// (message_checks::orderings). Of a barrier, or a fence, nobody has learned anything before all have come (lets_know in
// coll/signature.hpp). What is not found: docs/windows.md.
//
// Stores leave no trace. But what the memory should be is known from the beginning of an epoch on, or from an
// operation; what differs was stored (compared_memory.hpp).
//
// One object per window and process, where PURE_CHECK is on. What concerns the memory of a rank is kept by the process
// of that rank: operations of other processes are told to it, and wait for what it says, before they touch the memory
// (remote_checks.hpp). How far a rank of another process has come is asked for when it matters: then whoever may have
// learned of it sees that it was counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pure/detail/transfer.hpp>

#include "base/cache_line.hpp"
#include "base/call.hpp"
#include "window/checks/access_map.hpp"
#include "window/checks/compared_memory.hpp"
#include "window/place_in_part.hpp"
#include "window/window_observer.hpp"

namespace pure::core {

/// An operation that is about to be done.
struct checked_operation {
  window_access made;
  std::size_t element_bytes = 0;  // of an atomic one
  bool needs_epochs = true;
  bool is_in_active_epoch = false;
  bool may_follow_stores = false;  // without epochs: some rank has let others know since the epoch of a fence began
  // How far a rank of the window has come, as the origin knows; -1: it knows nothing new.
  int known_rank = -1;
  std::uint64_t known_orderings = 0;
};

/// What is in its way.
struct check_verdict {
  enum class kind : std::uint8_t { nothing, operation, store };
  kind what = kind::nothing;
  window_access with{};  // that operation
  access_map::range bytes{0, 0};
};

class window_checks final : public group_observer {
 public:
  explicit window_checks(std::size_t ranks) : parts_(ranks), ranks_(ranks) {}

  /// What the origin of operations does: origin_checks.cpp.
  [[nodiscard]] std::unique_ptr<window_observer> observer_for(window_end& of, remote_access* way) override;
  /// By an origin in another process: remote_checks.hpp.
  std::optional<std::string> answer_to(window_group& shared, const arrived_rma<rma_question>& asked) override;

  /// By each rank, when the window is made: how often it has let others know.
  void join(int rank, const std::atomic<std::uint64_t>& orderings) noexcept {
    // release: the counter is there; pairs with the acquire in orderings_of()
    of(rank).orderings.store(&orderings, std::memory_order_release);
  }

  /// For a read that a request completes. Not 0.
  [[nodiscard]] std::uint64_t next_request(int rank) noexcept { return ++of(rank).last_request; }

  // ---- epochs, by the owner of the memory ----

  /// That rank has made its collective call, when it had let others know so often.
  void calls(int rank, std::uint64_t orderings) noexcept {
    of(rank).at_call.store(orderings, std::memory_order_relaxed);
  }
  /// That rank leaves a fence, and has; between the two all do.
  void begins_to_leave_fence(int rank) noexcept { of(rank).at_epoch.store(leaves_fence, std::memory_order_relaxed); }
  void has_left_fence(int rank) noexcept { of(rank).at_epoch.store(orderings_of(rank), std::memory_order_relaxed); }
  /// Stores to the memory of that rank count from now on.
  void epoch_begins(window_group& shared, int rank);
  /// A store since then to where an operation was.
  [[nodiscard]] check_verdict epoch_ends(window_group& shared, int rank, bool needs_epochs);

  // ---- memory of ranks of this process, by any of its threads ----

  /// Notes the operation, unless something is in its way. Without epochs, a verdict on an operation of a rank elsewhere
  /// is what was known here; the origin asks that rank's process. So it does all others when it is on a store.
  check_verdict try_access(window_group& shared, const checked_operation& wanted, int rank,
                           std::span<const block_row> rows);
  /// By a put: `data`, in the order of the rows; empty: what is there now.
  void note_written(window_group& shared, int rank, std::span<const block_row> rows, std::span<const std::byte> data);
  void note_completed(int origin, int rank);
  /// What that request of the origin has read is with the origin.
  void note_read(int origin, int rank, std::uint64_t request, std::span<const block_row> rows);
  [[nodiscard]] std::uint64_t orderings_of(int rank) const noexcept;
  /// No rank of this process has let others know since the epoch of a fence began.
  [[nodiscard]] bool has_nobody_here_ordered(window_group& shared) const noexcept;

 private:
  struct alignas(line_bytes) part {
    std::mutex guard;
    access_map touched;
    std::vector<std::uint64_t> completions;  // by origin; empty until there is an operation
    compared_memory compared;
  };
  struct alignas(line_bytes) rank_orderings {
    std::atomic<const std::atomic<std::uint64_t>*> orderings{nullptr};  // of ranks here
    std::atomic<std::uint64_t> known{0};                                // of ranks elsewhere: so often at least
    std::atomic<std::uint64_t> at_epoch{no_epoch};                      // orderings when the epoch of a fence began
    std::uint64_t last_request = 0;                                     // own thread
    std::atomic<std::uint64_t> at_call{0};                              // and when it called the next one
  };

  // In place of numbers of orderings.
  static constexpr std::uint64_t no_epoch = ~std::uint64_t{0};
  static constexpr std::uint64_t leaves_fence = no_epoch - 1;  // and has done nothing in the epoch that begins

  [[nodiscard]] part& part_of(int rank) noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] rank_orderings& of(int number) noexcept { return ranks_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const rank_orderings& of(int number) const noexcept { return ranks_[static_cast<std::size_t>(number)]; }
  void learn(int rank, std::uint64_t orderings) noexcept;
  [[nodiscard]] bool is_over(bool needs_epochs, const part& in, const window_access& made) const noexcept;
  [[nodiscard]] check_verdict look(window_group& shared, const part& in, const checked_operation& wanted, int rank,
                                   std::span<const block_row> rows) const;

  std::vector<part> parts_;
  std::vector<rank_orderings> ranks_;
};

}  // namespace pure::core
