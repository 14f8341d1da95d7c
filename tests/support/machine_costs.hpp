// What a message between two cores costs, by the way that it goes: a model of few numbers, which are those of machines
// on which messages were measured (docs/decisions.md, D-cells, D-fresh-line, D-eager-limit). choice_of_ways_test.cpp
// weighs the chooser by it, and looks whether it tells what was measured.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/cache_line.hpp"

namespace pure::core::model {

/// Where the lines of a buffer are when it is sent.
enum class content {
  kept,     // in the receiver's cache, after the first message: nobody writes them
  touched,  // likewise, but for one word
  fresh,    // in the sender's: it has written them all since the last message
  at_hand,  // in a cache that both share, as ranks of one core do: written likewise
};
inline constexpr content all_contents[] = {content::kept, content::touched, content::fresh, content::at_hand};

constexpr const char* name_of(content data) noexcept {
  switch (data) {
    case content::kept: return "kept";
    case content::touched: return "touched";
    case content::fresh: return "fresh";
    case content::at_hand: return "at hand";
  }
  return "";
}

enum class way { ring, cells, buffer };
inline constexpr way all_ways[] = {way::ring, way::cells, way::buffer};

/// Nanoseconds. Copies of up to 4, 8, 16, 32 KB have numbers of their own.
struct machine_costs {
  const char* name;
  double message;               // half a round trip of a message in one line of the ring
  double meeting;               // what it takes besides until a sender has its buffer back
  double again;                 // to write a line that the other end has read
  std::array<double, 4> own;    // to copy a line in the own cache, at best
  std::array<double, 4> other;  // one that the other core has just written, the lines in a row
  double clock;                 // to read it, where `own` and `other` are without

  /// By how much a message takes longer whose payload is in many lines of the ring, though they are as good as none;
  /// and one whose payload is in a cell.
  static constexpr double several_lines = 0.8, first_cell = 0.35;
  /// A program's copy is never the best one.
  static constexpr double usual_copy = 1.3;

  static double of_size(const std::array<double, 4>& all, std::size_t bytes) noexcept {
    std::size_t i = 0;
    for (std::size_t most = 4096; most < bytes && i + 1 < all.size(); most *= 2) ++i;
    return all[i];
  }
  /// A line of a copy out of the sender's buffer.
  [[nodiscard]] double copied_line(std::size_t bytes, content data) const noexcept {
    return data == content::fresh ? of_size(other, bytes) : usual_copy * of_size(own, bytes);
  }
  [[nodiscard]] double cost(way by, std::size_t bytes, content data) const noexcept {
    const auto lines = static_cast<double>(lines_for(bytes));
    const bool shares_cache = data == content::at_hand;
    const double rewritten = shares_cache ? 0 : again;
    const double fetched = shares_cache ? copied_line(bytes, data) : of_size(other, bytes);
    switch (by) {
      case way::ring: return message * (1 + several_lines * (1 - 1 / lines)) + (lines - 1) * (rewritten + fetched);
      case way::cells: return message * (1 + first_cell) + lines * (of_size(own, bytes) + fetched);
      case way::buffer: break;
    }
    return message + meeting + lines * (copied_line(bytes, data) + (data == content::fresh ? rewritten : 0));
  }
  [[nodiscard]] double least_cost(std::size_t bytes, content data) const noexcept {
    double least = cost(way::ring, bytes, data);
    for (const way by : all_ways) least = std::min(least, cost(by, bytes, data));
    return least;
  }
};

/// The first three are one machine, in three states of its host. Of the meshes `again` follows from half round trips of
/// many lines through the ring; of the one with 16 cores, so do the times of lines.
inline constexpr machine_costs machines[] = {
    {"Zen 4, one L3", 83, 70, 4.5, {1.0, 0.8, 1.0, 1.15}, {2.6, 2.5, 2.7, 2.9}, 0},
    {"Zen 4, two L3s", 270, 226, 27, {1.0, 0.8, 1.0, 1.15}, {6.6, 5.5, 6.0, 7.0}, 0},
    {"Zen 4, far", 270, 226, 27, {1.0, 0.8, 1.0, 1.15}, {14, 12, 13, 14}, 0},
    {"a mesh of 2 cores", 113, 180, 4.5, {0.9, 0.8, 1.0, 1.3}, {6.7, 6.7, 6.0, 5.5}, 0},
    {"a mesh of 16 cores", 220, 170, 10, {0.9, 0.8, 1.0, 1.3}, {9, 8.5, 8, 7}, 0},
    {"the first mesh, with a clock of 300 ns", 113, 180, 4.5, {0.9, 0.8, 1.0, 1.3}, {6.7, 6.7, 6.0, 5.5}, 300},
};

}  // namespace pure::core::model
