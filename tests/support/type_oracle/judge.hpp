// A library's datatype against the typemap of its plan: its bounds, and the bytes of messages.
#pragma once

#include <cstddef>
#include <string>

#include "support/type_oracle/typemap.hpp"

namespace type_oracle {

struct bounds {
  std::int64_t size, lower, extent, true_lower, true_extent;

  friend bool operator==(const bounds&, const bounds&) = default;
};

inline std::string to_text(const bounds& b) {
  return fmt::format("size {}, lb {}, extent {}, true lb {}, true extent {}", b.size, b.lower, b.extent, b.true_lower,
                     b.true_extent);
}

inline type_plan random_plan(std::uint64_t seed, range what, pairs how) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    type_plan p = generator(oracle::mix(seed) + attempt, what).make();
    const typemap its = expander(how)(p);
    if (its.bytes.size() > typemap::most_bytes) continue;
    if (what == range::standard || !(its.bytes.empty() || its.has_empty_part || its.is_ambiguous)) return p;
  }
}

/// What is wrong with a library's type, or empty. A door makes it, says its bounds, and sends a message from laid-out
/// elements to a row of bytes, or the other way.
template <class Door>
std::string complaint_about(const type_plan& p, pairs how, std::uint64_t seed, Door& door) {
  const typemap expected = expander(how)(p);
  auto made = door.make(p);
  const bounds should{static_cast<std::int64_t>(expected.bytes.size()), expected.lower(), expected.extent(),
                      expected.first, expected.end - expected.first};
  if (const bounds is = door.bounds_of(made); is != should) {
    return fmt::format("{}: {}, not {}", to_text(p), to_text(is), to_text(should));
  }
  oracle::dice dice(seed);
  const int count = dice.between(1, 3);
  const offsets places = bytes_of_several(expected, count);
  std::string complaint;
  if (!places.empty()) {
    const auto [least, most] = std::ranges::minmax(places);
    constexpr std::byte untouched{0xee};
    const auto bytes = static_cast<std::size_t>(most - least + 1);
    std::vector<std::byte> memory(bytes), row(places.size()), sent(places.size());
    for (std::byte& each : memory) each = static_cast<std::byte>(dice.below(256));
    const auto index = [from = least](std::ptrdiff_t place) { return static_cast<std::size_t>(place - from); };
    for (std::size_t i = 0; i < places.size(); ++i) sent[i] = memory[index(places[i])];
    door.send_laid_out(memory.data() - least, count, made, row.data(), row.size());
    if (row != sent) complaint = fmt::format("{}: {} sent: the wrong bytes", to_text(p), count);
    if (!overlaps_itself(places)) {
      std::vector<std::byte> filled(bytes, untouched), expected_memory = filled;
      for (std::size_t i = 0; i < places.size(); ++i) expected_memory[index(places[i])] = sent[i];
      door.receive_laid_out(sent.data(), sent.size(), filled.data() - least, count, made);
      if (filled != expected_memory) complaint = fmt::format("{}: {} received: in wrong places", to_text(p), count);
    }
  }
  door.release(made);
  return complaint;
}

}  // namespace type_oracle
