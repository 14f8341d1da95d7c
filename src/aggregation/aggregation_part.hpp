// What the ranks of an aggregation that are in one process share: themselves, the channels that they have made, spare
// buffers, phases, and the packets from and to other processes. Each is a class of its own; a part makes them, and ends
// them.
//
// Made by one rank; each has a reference, and whoever gives up the last one destroys it, with the buffers that nobody
// has taken. An aggregation in one process has one part. Several parts of one aggregation in one process are how tests
// simulate processes (tests/support/simulated_processes.hpp): a part sees the others through its item_transport only.
//
// Any thread, where nothing else is said.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/channel_records.hpp"
#include "aggregation/incoming_packets.hpp"
#include "aggregation/item_transport.hpp"
#include "aggregation/outgoing_packets.hpp"
#include "aggregation/part_members.hpp"
#include "aggregation/part_phases.hpp"
#include "aggregation/shared_packets.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/cache_line.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class aggregation_part {
 public:
  /// `homes`: by rank of the communicator. `machines`: of each process, numbers. `transport`: null for an aggregation
  /// in one process; outlives the part.
  aggregation_part(std::vector<item_home> homes, int process, std::span<const int> machines,
                   aggregation_options options, item_transport* transport);
  aggregation_part(const aggregation_part&) = delete;
  aggregation_part& operator=(const aggregation_part&) = delete;

  [[nodiscard]] const aggregation_layout& layout() const noexcept { return layout_; }
  [[nodiscard]] part_members& members() noexcept { return members_; }
  [[nodiscard]] part_member& at(int index) noexcept { return members_.at(index); }
  [[nodiscard]] channel_records& channels() noexcept { return channels_; }
  [[nodiscard]] common_buffers& spare() noexcept { return spare_; }
  [[nodiscard]] part_phases& phases() noexcept { return phases_; }
  [[nodiscard]] phase_counts& counts() noexcept { return phases_.counts(); }

  // ---- other processes ----

  /// Null: there are none.
  [[nodiscard]] item_transport* transport() const noexcept { return transport_; }
  [[nodiscard]] outgoing_packets& outgoing() noexcept { return outgoing_; }
  [[nodiscard]] shared_packets& shared() noexcept { return shared_; }
  [[nodiscard]] incoming_packets& incoming() noexcept { return incoming_; }
  /// Before ranks use it: the transport is its own.
  void own(std::unique_ptr<item_transport> transport) noexcept { owned_transport_ = std::move(transport); }
  /// What has come, and what could not be sent before. True if anything moved. Throws std::bad_alloc, if there is no
  /// memory for what is sent, or has come: then nobody may go on.
  bool poll_transport();

  /// What has been counted here and has not come back: nothing, where all ranks have finished and none has sent again.
  void add_open_accounts(open_accounts& to);

  /// A rank uses it no longer. The last one destroys it.
  void leave(int index) noexcept {
    members_.leave(index);
    release();
  }
  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // acq_rel: the last to come destroys what all the others have used; pairs with itself in their release()
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~aggregation_part();

  const aggregation_layout layout_;
  item_transport* const transport_;
  part_members members_;
  channel_records channels_;
  common_buffers spare_;
  outgoing_packets outgoing_;
  shared_packets shared_;
  part_phases phases_;
  incoming_packets incoming_;
  std::unique_ptr<item_transport> owned_transport_;
  alignas(pair_bytes) std::atomic<int> references_;
};

}  // namespace pure::core
