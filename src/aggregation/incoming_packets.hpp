// What comes to the ranks of a process from other processes: packets are checked, taken apart, and given to whom they
// are for.
//
// What always holds: `delivered_` counts the buffers of each process that ranks here have got, and each rank counts in
// `handled_` those that it has handled; the rest is what unhandled_of() says. A packet that is refused, or for which
// there is no memory, has given nothing to anybody. deliver(): one thread at a time; the rest: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/channel_records.hpp"
#include "aggregation/packet_reader.hpp"
#include "aggregation/part_members.hpp"
#include "aggregation/part_phases.hpp"
#include "aggregation/shared_packets.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class incoming_packets {
 public:
  incoming_packets(const aggregation_layout& layout, part_members& members, channel_records& channels,
                   shared_packets& shared, part_phases& phases, common_buffers& spare);
  incoming_packets(const incoming_packets&) = delete;
  incoming_packets& operator=(const incoming_packets&) = delete;

  /// A packet from that process. Never blocks. Returns what is wrong with it; empty: nothing. Throws std::bad_alloc.
  [[nodiscard]] std::string deliver(int from, std::span<const std::byte> packet);
  /// Buffers that have come from that process, and are not handled. A moment ago.
  [[nodiscard]] std::uint64_t unhandled_of(int process) const noexcept;
  void add_open_accounts(open_accounts& to) const;

 private:
  struct slice;
  class slices;
  struct visitor;

  [[nodiscard]] std::uint64_t handled_of(int process) const noexcept;
  [[nodiscard]] pair_credit& credit_of(std::size_t index, int process) const noexcept {
    return handled_[index * delivered_.size() + static_cast<std::size_t>(process)];
  }
  [[nodiscard]] std::string channel_has_come(const channel_packet& what, std::span<const std::byte> rest);
  [[nodiscard]] std::string problem_of(int from, const packet_reader& packet, std::uint64_t phase) const;
  [[nodiscard]] std::string items_have_come(int from, const packet_reader& packet);
  void pass_on(const packet_reader& packet, const item_run& run, const std::byte* items);

  const aggregation_layout& layout_;
  part_members& members_;
  channel_records& channels_;
  shared_packets& shared_;
  part_phases& phases_;
  std::vector<std::atomic<std::uint64_t>> delivered_;  // buffers, by process
  const std::unique_ptr<pair_credit[]> handled_;       // of these, by member and process; written by the members
  spare_buffers spare_;
};

}  // namespace pure::core
