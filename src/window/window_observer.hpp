// Observers of windows: what a window tells those who look on while it is used, though it does not know them. The
// checks of PURE_CHECK are such (checks/); without them there are none, and each place that would tell them is the test
// of a pointer (window::tell_observer).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/call.hpp"
#include "layout/placed_message.hpp"
#include "window/place_in_part.hpp"

namespace pure::core {

class remote_access;
class window_end;
class window_group;

template <class Message>
struct arrived_rma;
struct rma_question;

enum class access_kind : std::uint8_t { get, put, atomic };

/// An operation, as its origin knows it.
struct access_details {
  access_kind kind = access_kind::get;
  // For atomic operations: which operator, as a number, and the bytes of an element.
  std::uint64_t what = 0;
  std::size_t element_bytes = 0;
  std::uint64_t request = 0;  // next_read(), where a request completes it; else 0
  bool is_in_active_epoch = false;
};
/// The number of no_op; others: observed_access.hpp.
inline constexpr std::uint64_t number_of_no_op = 2;

/// Observes what one rank does with a window, on the thread of that rank. Most of its calls may throw, and wait for
/// other processes.
class window_observer {
 public:
  window_observer() = default;
  window_observer(const window_observer&) = delete;
  window_observer& operator=(const window_observer&) = delete;
  virtual ~window_observer() = default;

  // ---- operations ----

  /// Before an operation touches the memory.
  virtual void access_starts(const call& by, const access_details& how, const place_in_part& where) = 0;
  /// A put, of `what`, or an atomic operation is done, or on its way to the memory; returns when it is done.
  virtual void access_ends(const call& by, access_kind kind, const place_in_part& where,
                           const placed_message* what) = 0;
  /// For a read that a request completes: not 0.
  [[nodiscard]] virtual std::uint64_t next_read() = 0;
  /// The request has completed that read of a rank's memory.
  virtual void read_ends(int rank, std::uint64_t number, const rows_in_part& where) = 0;

  // ---- synchronization ----

  /// All operations of this rank on the memory of that one are about to be completed; null: on that of all.
  virtual void completes(const call& by, const int* target) = 0;
  /// The rank is about to do something by which others may learn what it has done before, in this window or not.
  virtual void lets_know() noexcept = 0;
  /// Collective, in place of a barrier: returns when all ranks have called it; what they have done before is seen by
  /// all.
  virtual void all_meet(const call& by) = 0;
  /// All have met in a fence. The next epoch begins, if it `opens` one. Collective.
  virtual void fence_ends(const call& by, bool opens) = 0;
  /// The epoch of a post.
  virtual void epoch_begins() = 0;
  virtual void epoch_ends(const call& by) = 0;
};

/// Belongs to the ranks of a window that are in this process: makes their observers, and answers those of other
/// processes.
class group_observer {
 public:
  group_observer() = default;
  group_observer(const group_observer&) = delete;
  group_observer& operator=(const group_observer&) = delete;
  virtual ~group_observer() = default;

  /// By each rank, when its end of the window is made. `way`: to other processes; null: there are none. Both outlive
  /// what is made.
  [[nodiscard]] virtual std::unique_ptr<window_observer> observer_for(window_end& of, remote_access* way) = 0;

  /// By who has the network lock, where the observer of a rank in another process asks about a rank here
  /// (remote_access::ask); the blocks are in its part. Nothing: the question makes no sense.
  virtual std::optional<std::string> answer_to(window_group& of, const arrived_rma<rma_question>& asked) = 0;
};

}  // namespace pure::core
