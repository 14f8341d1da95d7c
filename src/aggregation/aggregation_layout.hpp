// What all ranks of an aggregation know alike, as one process sees it, and what never changes: the options, who is
// where, and the ways between processes. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aggregation/item_routes.hpp"

namespace pure::core {

/// By which the items of several ranks share a packet: by the names of
/// Chandrasekar and Kale (Shared Memory-Aware Latency-Sensitive Message Aggregation, section III).
enum class item_scheme : std::uint8_t {
  automatic,
  ww,   // from a worker to a worker
  wps,  // from a worker to a process, which groups them
  wsp,  // the same, but the worker groups them
  pp    // from a process to a process, which groups them
};

/// Where a rank of an aggregation is: in which process, and which of those there.
struct item_home {
  int process = 0;
  int index = 0;
};

/// The same on all ranks of an aggregation but for the name.
struct aggregation_options {
  std::size_t buffer_bytes = 0;  // of items; 0: it adapts
  std::size_t memory_cap = std::size_t{64} << 20;
  std::int64_t latency_ns = 0;  // 0: no bound
  item_scheme scheme = item_scheme::automatic;
  item_hops hops = item_hops::automatic;
  bool measures_latency = false;
  std::string name;
};

class aggregation_layout {
 public:
  /// `homes`: by rank of the communicator. `machines`: of each process, numbers.
  aggregation_layout(std::vector<item_home> homes, int process, std::span<const int> machines,
                     aggregation_options options)
      : homes_(std::move(homes)),
        by_process_(machines.size()),
        process_(process),
        options_(std::move(options)),
        // The buffers of ww are packets, for one rank each: nobody would gain by passing them on.
        routes_(options_.scheme == item_scheme::ww ? item_hops::direct : options_.hops, process, machines) {
    for (std::size_t rank = 0; rank < homes_.size(); ++rank)
      by_process_[static_cast<std::size_t>(homes_[rank].process)].push_back(static_cast<int>(rank));
  }

  [[nodiscard]] const aggregation_options& options() const noexcept { return options_; }
  /// Of the communicator.
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(homes_.size()); }
  [[nodiscard]] int process() const noexcept { return process_; }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(by_process_.size()); }
  [[nodiscard]] const item_home& home_of(int rank) const noexcept { return homes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_here(int rank) const noexcept { return home_of(rank).process == process_; }
  /// The ranks of this process, by index.
  [[nodiscard]] std::span<const int> ranks_here() const noexcept {
    return by_process_[static_cast<std::size_t>(process_)];
  }

  [[nodiscard]] const item_routes& routes() const noexcept { return routes_; }
  /// Where this process sends items for a rank of another one.
  [[nodiscard]] int next_to(int rank) const noexcept { return routes_.next(home_of(rank).process); }

  /// Whether items for other processes are put together by process: all schemes but ww.
  [[nodiscard]] bool groups() const noexcept { return processes() > 1 && options_.scheme != item_scheme::ww; }
  /// Whether ranks here may fill packets together: schemes pp and automatic.
  [[nodiscard]] bool shares() const noexcept {
    return processes() > 1 && (options_.scheme == item_scheme::pp ||
                               (options_.scheme == item_scheme::automatic && ranks_here().size() > 1));
  }

 private:
  const std::vector<item_home> homes_;
  std::vector<std::vector<int>> by_process_;
  const int process_;
  const aggregation_options options_;
  const item_routes routes_;
};

}  // namespace pure::core
