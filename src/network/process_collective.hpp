// What all processes of a job do together when it starts and when it ends: barriers, sums, gathers and broadcasts, made
// of payloads, so that a network need not have any.
//
// They go up a binomial tree to process 0, and down again: 2 log2(P) steps, each one transfer at a time. Process p has
// the children p + 1, p + 2, p + 4, ... below p + (its lowest bit), or all of them for process 0; so each subtree is a
// row of processes, and what it has gathered is one block.
//
// Whoever is inside the network (network/network.hpp) makes the calls. Every process starts the same ones in the same
// order, and a process its next one when the one before is done. It is not done before every process has started it,
// but for a broadcast: process 0 may be ahead there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "network/network.hpp"

namespace pure::core {

class process_collective {
 public:
  /// The payloads of a collective have a tag of their own, the largest one. `owner`: that of its operations, for
  /// whoever hears of their end and calls one_is_done().
  process_collective(network& over, void* owner) noexcept;

  // Each returns true if all of it is done already. The memory has to stay until then.

  bool start_barrier();
  /// The sums take the place of what is added.
  bool start_sum(std::span<std::uint64_t> values);
  /// `all` holds `bytes` of each process, in their order.
  bool start_all_gather(const void* mine, std::size_t bytes, void* all);
  /// From process 0 to all.
  bool start_broadcast(void* data, std::size_t bytes);

  [[nodiscard]] bool is_under_way() const noexcept { return next_ < transfers_.size(); }
  /// The operation that it has started last is done (network_events::operation_done).
  void one_is_done();

  /// The tag that users of the network leave to it.
  [[nodiscard]] static int tag_of(const network_peers& peers) noexcept { return peers.largest_tag; }

 private:
  enum class direction : std::uint8_t { in, in_to_be_added, out };
  struct transfer {
    direction way;
    int process;
    std::byte* data;
    std::size_t bytes;
  };

  [[nodiscard]] int first_not_below() const noexcept;  // of this process in the tree
  [[nodiscard]] int parent() const noexcept;
  void plan_down(std::byte* data, std::size_t bytes);
  bool start();
  bool start_next();
  void take_in();

  network& network_;
  network_operation going_;
  std::vector<transfer> transfers_;  // one after the other
  std::size_t next_ = 0;             // the one under way
  std::span<std::uint64_t> sums_;
  std::vector<std::uint64_t> theirs_;  // of a child
};

}  // namespace pure::core
