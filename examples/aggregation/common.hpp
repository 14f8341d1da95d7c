// What the programs of this folder share: numbers that are the same on every machine, arguments, time.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>

/// A good hash of any 64-bit number (Steele, Lea, Flood, 2014).
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The number that stands at `index` of the command line, or the default.
inline std::uint64_t argument(int argc, char** argv, int index, std::uint64_t otherwise) {
  return index < argc ? std::strtoull(argv[index], nullptr, 10) : otherwise;
}

class stopwatch {
 public:
  [[nodiscard]] double ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};
