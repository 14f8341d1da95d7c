// By which processes items travel: straight to that of their destination, or over processes that gather them. Where
// destinations are many, each has few items for each: over others they travel together, in fuller packets, and a rank
// fills as many buffers as it has next processes. Each leg costs the items of a packet once more.
//
//   machine  over one process of each machine: to that of the sender's machine, from there to that of the receiver's
//   grid     processes in rows: along the sender's row to the receiver's column, and along that (MPI's Cartesian order)
//
// Items for a process always take the same way, so that none overtakes another one. A process that waits for room on
// one leg keeps others waiting on the leg before only (process_aggregations.hpp), and nobody waits for a leg before its
// own: so nobody waits in a circle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pure::core {

enum class item_hops : std::uint8_t { automatic, direct, machine, grid };

class item_routes {
 public:
  /// More processes than that are many (automatic): own packets for so many are a megabyte of a rank and channel.
  static constexpr std::size_t many = 64;

  /// Of `process`. `machines`: of each process.
  item_routes(item_hops how, int process, std::span<const int> machines);

  [[nodiscard]] item_hops how() const noexcept { return how_; }
  [[nodiscard]] bool are_direct() const noexcept { return how_ == item_hops::direct; }
  /// Where this process sends items for `process`, another one: there, or to one that passes them on.
  [[nodiscard]] int next(int process) const noexcept { return next_[static_cast<std::size_t>(process)]; }
  /// How many processes it sends to.
  [[nodiscard]] std::size_t next_processes() const noexcept { return next_processes_; }
  /// Whether items that come from `from` may be passed on to `next`. In a circle of processes each of which passes on
  /// to the next one, there is always one of which that is false for where its items come from.
  [[nodiscard]] bool may_pass_on(int from, int next) const noexcept;

 private:
  item_hops how_;
  int process_;
  std::vector<int> machines_;  // by process
  std::vector<int> next_;      // by process
  std::size_t next_processes_ = 0;
};

}  // namespace pure::core
