// Random pauses of very different lengths: they bring threads into each other's way at ever other places.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

namespace test_support {

class pauses {
 public:
  explicit pauses(std::uint64_t seed) : random_(seed) {}

  /// Mostly none; sometimes a few cycles, a turn of the scheduler, or a sleep.
  void maybe() {
    const auto dice = random_() % 1024;
    if (dice >= 64) return;
    if (dice == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 50));
    } else if (dice < 8) {
      std::this_thread::yield();
    } else {
      for (auto left = random_() % 256; left > 0; --left) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }
  std::uint64_t number() { return random_(); }

 private:
  std::mt19937_64 random_;
};

}  // namespace test_support
