// Random numbers for tests: the same on every platform for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace oracle {

/// One step of splitmix64 (Steele, Lea, Flood, 2014): a good hash of any 64-bit number.
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(mix(seed)) {}

  std::uint64_t next() noexcept { return mix(state_++); }

  /// 0 <= result < limit
  template <class Integer>
  Integer below(Integer limit) noexcept {
    return static_cast<Integer>(next() % static_cast<std::uint64_t>(limit));
  }
  /// lowest <= result <= highest
  int between(int lowest, int highest) noexcept { return lowest + below(highest - lowest + 1); }

  bool chance(int percent) noexcept { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) noexcept {
    return from[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) noexcept {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace oracle
