// The two questions of a sender that has written a record for a process: does that one look at this ring, and does it
// sleep? What both sides do with the words that answer them, apart from where these lie.
//
// The sender writes its record, passes a light fence, and asks; the process changes its answer to the rarer one, passes
// a heavy fence (doorbell.hpp), and looks once more. So either the look finds the record, or the sender gets the new
// answer. Both words may be read late otherwise: an answer that is true no more costs a look in vain.
//
// `Word`: std::atomic of an integer, or that of tests/support/interleavings.hpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::net_shm {

// ---- does it look at this ring? `watched` is written by the process only; `announced` by its senders, too ----

/// By the sender, behind the fence that follows its record.
template <class Word>
void announce_if_unwatched(const Word& watched, Word& announced, std::uint64_t bit) noexcept {
  // relaxed: the fences order it
  if ((watched.load(std::memory_order_relaxed) & bit) != 0) [[likely]]
    return;
  // release: the record; pairs with the acquire in take_announcement()
  announced.fetch_or(bit, std::memory_order_release);
}

/// By the process, who has seen the bit, and looks at the ring now, until it finds no record: the next one is announced
/// again.
template <class Word>
void take_announcement(Word& announced, std::uint64_t bit) noexcept {
  // acquire: the record; pairs with the release in announce_if_unwatched()
  announced.fetch_and(~bit, std::memory_order_acquire);
}

/// By the process: from here on it looks at the ring again and again.
template <class Word>
void start_watching(Word& watched, std::uint64_t bit) noexcept {
  // relaxed: a sender that reads it late announces its record
  watched.store(watched.load(std::memory_order_relaxed) | bit, std::memory_order_relaxed);
}

/// By the process: it looks at the ring no more, but for once, now: `has_record()`.
template <class Word, class Fence, class Look>
void stop_watching(Word& watched, Word& announced, std::uint64_t bit, Fence heavy_fence, Look has_record) {
  watched.store(watched.load(std::memory_order_relaxed) & ~bit, std::memory_order_relaxed);
  heavy_fence();
  // relaxed: it is for this process itself, which has seen the record
  if (has_record()) announced.fetch_or(bit, std::memory_order_relaxed);
}

// ---- does it sleep? ----

/// By the process: from here on it is rung for, once. It looks once more before it sleeps.
template <class Word, class Fence>
void arm(Word& is_armed, Fence heavy_fence) {
  is_armed.store(1, std::memory_order_relaxed);  // relaxed: the fence orders it
  heavy_fence();
}

/// By the process, awake. Somebody may have rung, or be about to.
template <class Word>
void disarm(Word& is_armed) noexcept {
  is_armed.store(0, std::memory_order_relaxed);  // relaxed: it looks at what has been written for it, whoever has rung
}

/// By the sender, behind the fence that follows its record. True: the sender has to ring, and nobody else does.
template <class Word>
[[nodiscard]] bool disarm_to_ring(Word& is_armed) noexcept {
  // relaxed, both: the fences order the first; one of those who have written rings, and records have marks of their own
  return is_armed.load(std::memory_order_relaxed) != 0 && is_armed.exchange(0, std::memory_order_relaxed) != 0;
}

}  // namespace pure::net_shm
