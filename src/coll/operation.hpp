// What all algorithms have in common: one rank's part in one collective, as a state machine that never blocks.
//
// An algorithm is a class with `bool poll()`, which moves it on as far as it goes and says whether it is complete: its
// rank's result is there, and nobody reads the rank's buffers any more. It is not polled again then. A blocking call
// makes one on its stack and waits for poll(); a non-blocking one keeps it behind a request, and every wait of the rank
// polls it. Every rank of the communicator makes the same algorithm for the same operation. Own thread of the rank
// only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <pure/detail/collectives.hpp>

#include "base/row_copy.hpp"
#include "coll/collective_member.hpp"

namespace pure::core {

using detail::block_layout;
using detail::collective;
using detail::collective_arguments;

class operation {
 public:
  /// Rank `giver` gives so many bytes where rank `taker` expects others.
  struct wrong_size {
    int giver, taker;
    std::size_t given_bytes, expected_bytes;
  };

  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// After a poll that was not the last: the rank of the communicator that has not come yet.
  [[nodiscard]] int waits_for() const noexcept { return waits_for_; }

  /// Then: what it waits for is a posting of that rank, which only a call of that rank can bring about.
  [[nodiscard]] bool waits_for_call() const noexcept { return waits_for_call_; }

  /// Instead of any poll, at all ranks: the operation does not take place.
  void cancel() noexcept { on_.finish(sequence_); }

  [[nodiscard]] int rank() const noexcept { return on_.rank(); }

  /// After the last poll: whether ranks disagree about a size.
  [[nodiscard]] bool disagrees() const noexcept { return disagreement_.has_value(); }
  /// Then: how, and with which rank.
  [[nodiscard]] std::string disagreement() const;
  [[nodiscard]] int disagrees_with() const noexcept { return disagreement_->giver; }
  [[nodiscard]] const std::optional<wrong_size>& first_wrong_size() const noexcept { return disagreement_; }

 protected:
  operation(collective_member& on, const collective_arguments& what) noexcept
      : on_(on), what_(what), sequence_(on.start_next()), least_finished_(on.finished()) {}
  ~operation() = default;

  /// True once this rank's slot is free for the operation. Call it before anything is written there.
  bool enter() noexcept {
    if (on_.may_post(sequence_)) [[likely]] {
      if (wants_room_) [[unlikely]]
        want_room(false);
      least_finished_ = on_.finished();
      return true;
    }
    if (!wants_room_) want_room(true);
    waits_for_work_of(on_.slowest());
    return false;
  }
  /// The same between processes.
  bool enter_between() noexcept {
    if (on_.between().may_begin(sequence_, on_.finished())) [[likely]]
      return true;
    waits_for_work_of(on_.between().oldest_waits_for());
    return false;
  }
  void waits_between(int q) noexcept {
    on_.between().note_wait(q, sequence_, on_.finished());
    waits_for_work_of(q);
  }
  void waits_for_work_of(int q) noexcept {
    waits_for_ = q;
    waits_for_call_ = false;
  }
  void waits_for_call_of(int q) noexcept {
    waits_for_ = q;
    waits_for_call_ = true;
  }

  [[nodiscard]] const posting* posted(int q) noexcept {
    const posting* const there = on_.posted(q, sequence_);
    if (there == nullptr) waits_for_call_of(q);
    return there;
  }
  [[nodiscard]] const posting* answered(int q) noexcept {
    const posting* const there = on_.answered(q, sequence_);
    if (there == nullptr) waits_for_call_of(q);
    return there;
  }

  [[nodiscard]] dropbox::slot& slot() noexcept { return on_.own_slot(sequence_); }
  void publish_post(posting::place where, std::size_t bytes) noexcept {
    on_.publish(slot().post, sequence_, where, bytes, on_.finished());
  }

  /// Takes note of how far the owner of a posting, or all for whom it speaks, have come.
  void hear(const posting& from) noexcept { least_finished_ = std::min(least_finished_, sequence_ - from.unfinished); }
  /// All ranks have been heard.
  void has_heard_all() noexcept { on_.all_have_finished(least_finished_); }

  /// True: the operation is complete, and this rank leaves it.
  bool finish() noexcept {
    on_.finish(sequence_);
    return true;
  }

  /// Notes that rank q gives `theirs` bytes where this rank expects `ours`.
  void check_size(int q, std::size_t theirs, std::size_t ours) {
    if (theirs != ours) [[unlikely]]
      disagree({q, rank(), theirs, ours});
  }
  /// The same for what a posting says.
  void check_size(int q, const posting& theirs, std::size_t ours) {
    if (theirs.low_bytes != static_cast<std::uint32_t>(ours)) [[unlikely]]
      disagree({q, rank(), theirs.low_bytes, ours});
  }
  /// The first one counts.
  void disagree(const wrong_size& how) noexcept {
    if (!disagreement_) disagreement_ = how;
  }
  /// Of `bytes` that this rank has from some ranks, and passes on to others: none once it disagrees with a rank, for
  /// then it has them not. So those others disagree with it, and none takes for a result what is none.
  [[nodiscard]] std::size_t what_agrees_of(std::size_t bytes) const noexcept { return disagrees() ? 0 : bytes; }

  /// The reduction is a sum that is rounded once (PURE_REPRODUCIBLE_SUMS).
  [[nodiscard]] bool sums_exactly() const noexcept { return what_.how.sum_exactly != nullptr && on_.sums_exactly(); }

  [[nodiscard]] int size() const noexcept { return on_.size(); }

  collective_member& on_;
  const collective_arguments& what_;
  const std::uint64_t sequence_;
  std::uint64_t least_finished_;  // of those heard, and of this rank

 private:
  void want_room(bool now) noexcept;

  int waits_for_ = 0;
  bool waits_for_call_ = false;
  bool wants_room_ = false;
  std::optional<wrong_size> disagreement_;
};

// ---- arithmetic of arguments ------------------------------------------------------------------------------------

[[nodiscard]] inline std::size_t bytes_of_vector(const collective_arguments& what) noexcept {
  return what.count * what.how.element_bytes;
}

/// What a rank contributes to a reduction: its send buffer, or in place its receive buffer.
[[nodiscard]] inline const void* operand_of(const collective_arguments& what) noexcept {
  return what.send != nullptr ? what.send : what.recv;
}

inline std::byte* at(void* base, std::ptrdiff_t offset) noexcept { return static_cast<std::byte*>(base) + offset; }
inline const std::byte* at(const void* base, std::ptrdiff_t offset) noexcept {
  return static_cast<const std::byte*>(base) + offset;
}

/// The block of rank q in a buffer; null if it is empty: an empty buffer may be at null, which has no neighbours, and
/// the displacement of an empty block may be anything.
inline std::byte* block_at(void* base, const block_layout& blocks, int q) noexcept {
  return blocks.bytes(q) == 0 ? nullptr : at(base, blocks.offset(q));
}
inline const std::byte* block_at(const void* base, const block_layout& blocks, int q) noexcept {
  return blocks.bytes(q) == 0 ? nullptr : at(base, blocks.offset(q));
}

/// Copies `bytes`, which may be none (then the pointers may be null).
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(double)) {
    std::memcpy(to, from, sizeof(double));
  } else if (bytes > 0) {
    copy_row(to, from, bytes);
  }
}

}  // namespace pure::core
