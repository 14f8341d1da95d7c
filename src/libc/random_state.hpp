// The sequences of rand and random, which are one, and of drand48 and its relatives (random_replacements.cpp).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <mutex>

namespace pure::core {

struct random_state {
  /// As in a process that has called neither srand nor srand48.
  random_state() noexcept;
  random_state(const random_state&) = delete;
  random_state& operator=(const random_state&) = delete;

  std::mutex lock;  // of `sequence`, as libc has one; drand48 has none there either
  random_data sequence{};
  std::int32_t table[32];  // of `sequence`, until initstate or setstate is called
  drand48_data sequence48{};
};

}  // namespace pure::core
