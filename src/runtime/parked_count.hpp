// How many ranks of a job live, and how many of them are parked: enough to know a deadlock exactly.
//
// When every live rank is parked, nobody is left to make any of their conditions true. The ranks' parking states and
// this word are changed by different threads, so the one who sees "all parked" takes a snapshot: the word, every
// rank's state, the word again. Every change of the word moves its epoch; two equal readings around the states mean
// that all of them were parked at one moment, and that moment never ends (DESIGN D12).
//
// Invariant: a rank counts itself parked before it turns its state to `parked`; whoever wakes it un-counts it first.
// Only threads that park, wake a parked rank, or end touch the line.
// Modelled by tests/model/park.pml, task_sleeper.pml.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace pure::core {

class alignas(pair_bytes) parked_count {
 public:
  struct reading {
    std::uint32_t epoch, live, parked;
    bool operator==(const reading&) const = default;
    [[nodiscard]] bool all_parked() const noexcept { return live > 0 && live == parked; }
  };

  explicit parked_count(int live) noexcept : word_(pack(0, static_cast<std::uint64_t>(live), 0)) {}

  void count_parked() noexcept { change(0, +1); }
  void uncount_parked() noexcept { change(0, -1); }
  void count_ended() noexcept { change(-1, 0); }

  [[nodiscard]] reading read() const noexcept {
    // acquire: pairs with the release half of change(), so that states counted in this word are visible
    return taken_apart(word_.load(std::memory_order_acquire));
  }

  /// By a rank that has just published work: true if anybody sleeps, or is about to without having seen it.
  [[nodiscard]] bool has_parked() const noexcept {
    // seq_cst: after the store in task_slot::open(); pairs with change(), which a look at the slots follows
    return taken_apart(word_.load(std::memory_order_seq_cst)).parked > 0;
  }

 private:
  static constexpr std::uint64_t mask = (1U << 20) - 1;  // a million ranks a process; 24 bits of epoch

  static constexpr reading taken_apart(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 40), static_cast<std::uint32_t>((word >> 20) & mask),
            static_cast<std::uint32_t>(word & mask)};
  }
  static constexpr std::uint64_t pack(std::uint64_t epoch, std::uint64_t live, std::uint64_t parked) noexcept {
    return (epoch << 40) | (live << 20) | parked;
  }

  void change(int live, int parked) noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    std::uint64_t after = 0;
    do {
      after = pack((before >> 40) + 1, ((before >> 20) & mask) + static_cast<std::uint64_t>(live),
                   (before & mask) + static_cast<std::uint64_t>(parked));
      // seq_cst: one total order of changes, pairs with the acquire in read(); and before a parking rank's look at the
      // slots of tasks, pairs with has_parked()
    } while (!word_.compare_exchange_weak(before, after, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  std::atomic<std::uint64_t> word_;
};

}  // namespace pure::core
