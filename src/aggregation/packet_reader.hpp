// The items of a packet from another process, as runs whose numbers are all in their bounds. Read by who delivers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "aggregation/packets.hpp"

namespace pure::core {

/// What the numbers in a packet stay below, where it arrives.
struct packet_bounds {
  int process = 0;             // this one, ...
  std::size_t ranks_here = 0;  // ... with so many ranks
  std::size_t processes = 0;   // of the aggregation
  std::size_t ranks = 0;       // of the communicator
};

/// Refers to the packet's bytes. Until problem() is empty nothing else is to be asked.
class packet_reader {
 public:
  packet_reader(const items_for_rank& what, std::span<const std::byte> rest, const packet_bounds& bounds)
      : kind_(what.kind), phase_(what.phase), channel_(what.channel), is_urgent_(what.is_urgent == 1) {
    if (what.is_urgent > 1) problem_ = "they are neither urgent nor not";
    if (what.source >= bounds.ranks) problem_ = "their sender is no rank";
    runs_.push_back({{what.target, static_cast<std::uint16_t>(what.source), static_cast<std::uint16_t>(bounds.process)},
                     what.count});
    if (is_sound()) take_items(rest, bounds);
  }
  packet_reader(const items_in_runs& what, std::span<const std::byte> rest, const packet_bounds& bounds)
      : kind_(what.kind), phase_(what.phase), channel_(what.channel) {
    if (what.runs > rest.size() / sizeof(item_run)) {
      problem_ = "they are fewer runs than they say";
      return;
    }
    runs_.resize(what.runs);
    const std::size_t bytes = what.runs * sizeof(item_run);
    if (bytes > 0) std::memcpy(runs_.data(), rest.data(), bytes);
    take_items(rest.subspan(bytes), bounds);
  }

  /// What is wrong with it; empty: nothing.
  [[nodiscard]] std::string_view problem() const noexcept { return problem_; }
  [[nodiscard]] bool is_sound() const noexcept { return problem_.empty(); }

  /// The last 32 bits.
  [[nodiscard]] std::uint32_t phase() const noexcept { return phase_; }
  [[nodiscard]] std::size_t channel() const noexcept { return channel_; }
  [[nodiscard]] bool is_urgent() const noexcept { return is_urgent_; }
  [[nodiscard]] bool has_several_sources() const noexcept { return core::has_several_sources(kind_); }
  /// The only one, where there are not several.
  [[nodiscard]] int source() const noexcept { return runs_.front().tag.source; }
  [[nodiscard]] std::span<const item_run> runs() const noexcept { return runs_; }
  /// Of all runs, one behind the other.
  [[nodiscard]] std::span<const std::byte> items() const noexcept { return items_; }
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }

 private:
  void take_items(std::span<const std::byte> items, const packet_bounds& bounds) {
    std::size_t count = 0;
    for (const item_run& each : runs_) {
      problem_ = problem_of(each, bounds);
      if (!is_sound()) return;
      count += each.count;
    }
    if (count == 0 || items.empty() || items.size() % count != 0) {
      problem_ = "they are not as many as they say";
      return;
    }
    items_ = items;
    item_bytes_ = items.size() / count;
    // A slice of them is not larger than all of them, each with its source.
    const std::size_t with_sources = (items.size() + 1) / 2 * 2 + 2 * count;
    if (has_several_sources() && with_sources > item_buffer::most_bytes) problem_ = "they are too many";
  }
  [[nodiscard]] std::string_view problem_of(const item_run& run, const packet_bounds& bounds) const noexcept {
    if (run.count == 0) return "a run of them is empty";
    if (run.tag.source >= bounds.ranks) return "the sender of a run is no rank";
    if (!has_several_sources() && run.tag.source != source()) return "they are of several senders";
    if (run.tag.process >= bounds.processes) return "a run is for no process";
    if (run.tag.process != bounds.process) return kind_ == packet_kind::hop ? "" : "a run is for another process";
    if (run.tag.target >= bounds.ranks_here) return "a run is for no rank";
    return "";
  }

  const packet_kind kind_;
  const std::uint32_t phase_;
  const std::uint16_t channel_;
  const bool is_urgent_ = false;
  std::string_view problem_;
  std::span<const std::byte> items_;
  std::vector<item_run> runs_;
  std::size_t item_bytes_ = 0;
};

}  // namespace pure::core
