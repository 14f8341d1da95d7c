// What a rank that has its core to itself, and has waited for a while, does for others who want the core.
//
// A wait yields at every look: that costs next to nothing where nobody wants the core. But where a foreign program
// computes there, the kernel gives it a whole slice, milliseconds, whatever comes for the rank meanwhile, and in a job
// of many small steps all ranks wait for that one. So a yield that took long was paid to a stranger, and until a
// hundred times as long has passed the rank parks in place of yielding. A rank that sleeps gives the core away, too,
// but the kernel owes it the time, and lets it run when it is woken, before the stranger or on a core that is idle
// (D-busy-neighbour).
//
// Not for ranks that PURE_SPIN_US tells to look longer than usual: they yield. One for each rank, for all its waits;
// own thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pure::core {

class courtesy {
 public:
  enum class next { wait_on, park };

  static constexpr std::int64_t long_ns =
      50'000;  // neither the call itself nor a short task of the kernel takes so long
  static constexpr std::int64_t times_as_long = 100;
  static constexpr std::int64_t at_most_ns = 1'000'000'000;

  /// `now_ns` has just been read from clock(). Clock and yield are parameters for tests.
  template <class Clock, class Yield>
  next offer(std::int64_t now_ns, Clock clock, Yield yield) noexcept {
    if (now_ns < stranger_until_ns_) return next::park;
    yield();
    const std::int64_t back_ns = clock();
    const std::int64_t took_ns = back_ns - now_ns;
    // Not park: what the rank waits for may have come.
    if (took_ns > long_ns) met_stranger(back_ns, took_ns);
    return next::wait_on;
  }

  /// A stranger has had the core for so long.
  void met_stranger(std::int64_t now_ns, std::int64_t took_ns) noexcept {
    stranger_until_ns_ = now_ns + std::min(times_as_long * took_ns, at_most_ns);
  }

 private:
  std::int64_t stranger_until_ns_ = 0;
};

}  // namespace pure::core
