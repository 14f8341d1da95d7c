// What the environment says to tests, and what tests say to the library through it.
//
//   PURETEST_SEED    the first seed of a stress test: a failure prints the one that repeats it
//   PURETEST_SCALE   how much longer (or shorter) than by default a stress test runs: 10, or 0.1
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test_support {

inline std::uint64_t first_seed() {
  const char* const text = std::getenv("PURETEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

/// The same, said once.
inline std::uint64_t announced_seed() {
  const std::uint64_t seed = first_seed();
  std::printf("PURETEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

/// `count` repetitions by default; less under a sanitizer, which is about that much slower.
inline int repetitions(int count) {
#if defined(__SANITIZE_THREAD__)
  constexpr double slower = 0.05;
#elif defined(__SANITIZE_ADDRESS__)
  constexpr double slower = 0.1;
#else
  constexpr double slower = 1;
#endif
  const char* const text = std::getenv("PURETEST_SCALE");
  const double scale = text == nullptr ? 1 : std::strtod(text, nullptr);
  return std::max(1, static_cast<int>(count * scale * slower));
}

/// Sets variables for as long as it lives. pure::run reads the settings each time.
class environment {
 public:
  using variable = std::pair<std::string, std::string>;

  environment(std::initializer_list<variable> variables) : environment(std::vector<variable>(variables)) {}
  explicit environment(const std::vector<variable>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const old = std::getenv(name.c_str());
      before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~environment() {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace test_support
