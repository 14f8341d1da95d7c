#include "transport/copy_speed.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/row_copy.hpp"

namespace pure::core {

namespace {

/// Where there is no memory to measure with.
constexpr double usual_line_ns = 1.1;

double measure_line_ns(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr int tries = 6;  // the least: all others were disturbed, and the first one is cold
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < tries; ++i) {
    const std::int64_t begin_ns = now_ns();
    copy_row(to, from, bytes);
    asm volatile("" : : "r"(to) : "memory");  // the copy is needed
    least_ns = std::min(least_ns, now_ns() - begin_ns);
  }
  return std::max(static_cast<double>(least_ns) / static_cast<double>(lines_for(bytes)), usual_line_ns / 4);
}

copy_speed measure() noexcept try {
  constexpr std::size_t measured = 5;  // longer ones take as long a line, as far as the nearest caches hold them
  constexpr std::size_t longest = copy_speed::first_bytes << (measured - 1);
  constexpr std::size_t apart = longest + 2048;  // not in the same place of a page (are_apart_badly())
  const auto memory = std::make_unique<std::byte[]>(apart + longest);
  copy_speed all{};
  for (std::size_t i = 0; i < measured; ++i) {
    all.own_line_ns[i] = measure_line_ns(memory.get() + apart, memory.get(), copy_speed::first_bytes << i);
  }
  std::fill(all.own_line_ns.begin() + measured, all.own_line_ns.end(), all.own_line_ns[measured - 1]);
  return all;
} catch (...) {
  copy_speed all{};
  all.own_line_ns.fill(usual_line_ns);
  return all;
}

}  // namespace

const copy_speed& measured_copy_speed() noexcept {
  static const copy_speed all = measure();
  return all;
}

}  // namespace pure::core
