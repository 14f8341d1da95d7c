// A number that one thread at a time changes, and that others look at.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::core {

/// Costs what a plain number costs: those who change it take turns, under a lock of theirs. Others see it as it was a
/// moment ago, and nothing else by it.
class observed_count {
 public:
  void operator++() noexcept { set(read() + 1); }
  void operator--() noexcept { set(read() - 1); }
  [[nodiscard]] std::uint64_t read() const noexcept { return now_.load(std::memory_order_relaxed); }

 private:
  // relaxed: it orders nothing
  void set(std::uint64_t next) noexcept { now_.store(next, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> now_{0};
};

}  // namespace pure::core
