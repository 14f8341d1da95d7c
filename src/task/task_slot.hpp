// The task slot: where a rank offers the chunks of the task that it executes (paper, 4.3; DESIGN D7).
//
// One per rank, for the whole job: a thief may look at it at any time. One word says everything a claim needs:
//
//      63..32       31..16     15..0
//      generation   chunks     next        chunks next..chunks-1 are unclaimed
//
// The owner opens the slot for a new generation; it and thieves claim chunks by compare-exchange of the whole word, so
// that a late thief, who has read the word of an older generation, claims nothing.
//
// Invariants (tests/model/task_slot.pml; of thieves that sleep task_sleeper.pml)
//  1. Each chunk of a generation is claimed once.
//  2. `what` does not change from open() until every claimed chunk of the generation is completed: a thief reads it
//     after its claim. The owner returns only then.
//  3. completed_ counts the chunks of this generation that thieves have done or that were dropped; it is reset by
//     open(), when nobody can have claimed anything.
//
// Cache lines: the word is written by every claim; completed_ once by each thief's chunk; `what` once per task. A task
// that nobody steals from costs its owner no transfer.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "task/arithmetic_modes.hpp"

namespace pure::core {

/// Does chunks first..last, both included.
using chunk_function = void (*)(void* context, std::uint32_t first, std::uint32_t last);

struct task {
  chunk_function work = nullptr;
  void* context = nullptr;
  arithmetic_modes modes{};  // of the owner; set by whoever opens the task
};

/// Consecutive chunks; none if count is 0.
struct chunk_range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// A part of what is left of a task: a divisor that costs a multiplication (a division takes as long as a
/// claim: D-first-share).
class chunk_share {
 public:
  /// 1/divisor of what is left, rounded down, but at least one chunk. 0 < divisor <= 65536.
  constexpr explicit chunk_share(std::uint32_t divisor) noexcept
      : inverse_(((std::uint64_t{1} << 32) - 1) / divisor + 1) {}
  static constexpr chunk_share one_chunk() noexcept { return chunk_share(1 << 16); }

  /// left <= 65535, for which the product's error never reaches the next integer.
  [[nodiscard]] constexpr std::uint32_t of(std::uint32_t left) const noexcept {
    const auto part = static_cast<std::uint32_t>(left * inverse_ >> 32);
    return part > 1 ? part : 1;
  }

 private:
  std::uint64_t inverse_;  // of the divisor, in units of 2^-32, rounded up
};

class alignas(pair_bytes) task_slot {
 public:
  static constexpr std::uint32_t most_chunks = 0xffff;

  // ---- the owner ----

  /// Claims chunks 0..own-1 for the owner and offers own..chunks-1; own <= chunks <= most_chunks, 0 < chunks. The
  /// generation before must be complete.
  void open(const task& what, std::uint32_t chunks, std::uint32_t own) noexcept {
    what_ = what;
    completed_.store(0, std::memory_order_relaxed);
    // seq_cst: publishes `what_` and the reset count, as release; and comes before the owner's look at the hint
    // in task_pool::tell(); pairs with the loads in steal() and still_has_chunks()
    word_.store(make_word(++generation_, chunks, own), std::memory_order_seq_cst);
  }

  /// The number of the last task, and of the next one; for the timeline.
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
  [[nodiscard]] std::uint32_t next_generation() const noexcept { return generation_ + 1; }
  /// A task that is not offered has a number, too.
  void skip_generation() noexcept { ++generation_; }

  /// The owner's next chunks: a share of what is left; none if all are claimed.
  chunk_range claim_own(chunk_share share) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t left = chunks_in(word) - next_in(word);
      if (left == 0) return {};
      const std::uint32_t taken = share.of(left);
      // relaxed: the owner needs nothing that thieves have written; what they do is counted in completed_
      if (word_.compare_exchange_weak(word, word + taken, std::memory_order_relaxed)) return {next_in(word), taken};
    }
  }

  /// Claims what is left and drops it, after a failure.
  void drop_rest() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    // relaxed: as in claim_own()
    while (!word_.compare_exchange_weak(word, word + (chunks_in(word) - next_in(word)), std::memory_order_relaxed)) {
    }
    complete(chunks_in(word) - next_in(word));
  }

  /// True when thieves have completed all that the owner has not; `own`: how many chunks the owner has done.
  [[nodiscard]] bool all_others_done(std::uint32_t own) const noexcept {
    // acquire: what thieves have written in their chunks; pairs with complete()
    return completed_.load(std::memory_order_acquire) + own == chunks_in(word_.load(std::memory_order_relaxed));
  }

  // ---- thieves ----

  /// Any rank, at any time.
  [[nodiscard]] bool has_chunks() const noexcept { return has_chunks(look()); }
  /// The same for a thief that has just cleared the hint, or been counted as parked.
  [[nodiscard]] bool still_has_chunks() const noexcept {
    // seq_cst: after the clear of the hint (task_pool), or the change of the count (parked_count); pairs with the store
    // in open(), which the looks at these two follow
    return has_chunks(word_.load(std::memory_order_seq_cst));
  }

  /// The word, for steal().
  [[nodiscard]] std::uint64_t look() const noexcept { return word_.load(std::memory_order_relaxed); }

  /// Claims a share of what is left. If the range is not empty, `what` is its task.
  chunk_range steal(chunk_share share, task& what) noexcept { return steal(look(), share, what); }
  /// The same by a thief that has looked before, at whatever time.
  chunk_range steal(std::uint64_t word, chunk_share share, task& what) noexcept {
    for (;;) {
      const std::uint32_t left = chunks_in(word) - next_in(word);
      if (left == 0) return {};
      const std::uint32_t taken = share.of(left);
      // acquire: `what_` of this generation; pairs with the store in open() (claims in between continue its release)
      if (word_.compare_exchange_weak(word, word + taken, std::memory_order_acquire, std::memory_order_relaxed)) {
        what = what_;
        return {next_in(word), taken};
      }
    }
  }

  /// The number of the task whose chunks the caller holds.
  [[nodiscard]] std::uint32_t claimed_generation() const noexcept { return static_cast<std::uint32_t>(look() >> 32); }

  /// Says that `chunks` claimed chunks are done. Notify the owner afterwards.
  void complete(std::uint32_t chunks) noexcept {
    completed_.fetch_add(chunks,
                         std::memory_order_release);  // release: what the chunks wrote; pairs with all_others_done()
  }

 private:
  static constexpr std::uint64_t make_word(std::uint32_t generation, std::uint32_t chunks,
                                           std::uint32_t next) noexcept {
    return std::uint64_t{generation} << 32 | std::uint64_t{chunks} << 16 | next;
  }
  static constexpr std::uint32_t chunks_in(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 16) & 0xffff;
  }
  static constexpr bool has_chunks(std::uint64_t word) noexcept { return next_in(word) < chunks_in(word); }
  static constexpr std::uint32_t next_in(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word) & 0xffff;
  }

  // --- written by the owner, read by thieves after a claim ---
  task what_;
  std::uint32_t generation_ = 0;  // own only
  // --- written by whoever claims ---
  alignas(pair_bytes) std::atomic<std::uint64_t> word_{0};
  // --- written by thieves ---
  alignas(pair_bytes) std::atomic<std::uint32_t> completed_{0};
};

}  // namespace pure::core
