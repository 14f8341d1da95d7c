// What the programs of this folder share: numbers that are the same on every machine, the command line, time.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

/// A good hash of any 64-bit number (Steele, Lea, Flood, 2014).
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A whole number of the command line, at its place.
struct parameter {
  const char* name;
  const char* meaning;
  std::uint64_t otherwise;
  std::uint64_t most;
};

/// The numbers of the command line, from 1 to `most`, or the defaults. Ends the program after --help, and where
/// something is wrong with them: with status 2, and says what.
template <std::size_t Count>
std::array<std::uint64_t, Count> numbers_of(int argc, char** argv, const char* what, const parameter (&all)[Count]) {
  std::array<std::uint64_t, Count> values{};
  for (std::size_t i = 0; i < Count; ++i) values[i] = all[i].otherwise;
  const auto refuse = [&](const char* word, const std::string& why) {
    std::fprintf(stderr, "%s: '%s': %s; try --help\n", argv[0], word, why.c_str());
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      std::printf("usage: %s", argv[0]);
      for (const parameter& each : all) std::printf(" [%s", each.name);
      for (std::size_t k = 0; k < Count; ++k) std::putchar(']');
      std::printf("\n\n%s\n\n", what);
      for (const parameter& each : all)
        std::printf("  %-24s %s (%llu)\n", each.name, each.meaning, static_cast<unsigned long long>(each.otherwise));
      std::printf("\nThe number of ranks: purerun -n, or PURE_RANKS.\n");
      std::exit(0);
    }
    const auto place = static_cast<std::size_t>(i) - 1;
    if (place >= Count) refuse(argv[i], "too many arguments");
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), values[place]);
    if (error != std::errc{} || end != word.data() + word.size() || values[place] == 0 ||
        values[place] > all[place].most)
      refuse(argv[i], std::string(all[place].name) + " is a whole number from 1 to " + std::to_string(all[place].most));
  }
  return values;
}

class stopwatch {
 public:
  [[nodiscard]] double ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};
