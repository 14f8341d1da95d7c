// What the ranks of an aggregation that are in one process share: their inboxes and counts, the channels they have
// made, the phase that has ended, spare buffers, and the way to the other processes.
//
// Made by one rank; each has a reference, and whoever gives up the last one destroys it, with the buffers that nobody
// has taken. An aggregation in one process has one part. Several parts of one aggregation in one process are how tests
// simulate processes (tests/support/simulated_processes.hpp): a part sees the others through its item_transport only.
//
// Any thread, where nothing else is said.
// Modelled by tests/model/termination.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregation/channel_records.hpp"
#include "aggregation/item_inbox.hpp"
#include "aggregation/item_routes.hpp"
#include "aggregation/item_transport.hpp"
#include "aggregation/packet_reader.hpp"
#include "aggregation/packet_writer.hpp"
#include "aggregation/phase_counts.hpp"
#include "aggregation/shared_items.hpp"
#include "aggregation/spare_buffers.hpp"
#include "aggregation/termination_waves.hpp"
#include "base/open_accounts.hpp"
#include "runtime/job.hpp"

namespace pure::core {

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

/// A packet that leaves, in a node of its own: where it has to wait, that takes no memory.
struct outgoing_packet {
  std::vector<std::byte> bytes;
  int by;  // the member for which it counts while it waits
};
/// One, or none.
using packet_node = std::list<outgoing_packet>;

class aggregation_part {
 public:
  /// A rank of this process.
  struct member {
    item_inbox inbox;
    rank_context* owner = nullptr;          // null until the rank is ready
    int rank = 0;                           // of the communicator
    int number = 0;                         // in the job
    std::unique_ptr<pair_credit[]> credit;  // for what it pushes, by the receiver's index; written by the receivers
    std::unique_ptr<pair_credit[]>
        of_processes;  // what it has handled of other processes' buffers; null: there are none
    std::atomic<bool> has_left{false};
    std::atomic<std::size_t> waiting_bytes{0};  // of packets that it has sent, and that have found no room yet
  };

  /// `homes`: by rank of the communicator. `machines`: of each process, numbers. `transport`: null for an aggregation
  /// in one process; outlives the part.
  aggregation_part(std::vector<item_home> homes, int process, std::span<const int> machines,
                   aggregation_options options, item_transport* transport);
  aggregation_part(const aggregation_part&) = delete;
  aggregation_part& operator=(const aggregation_part&) = delete;

  [[nodiscard]] const aggregation_options& options() const noexcept { return options_; }
  [[nodiscard]] int process() const noexcept { return process_; }
  [[nodiscard]] int processes() const noexcept { return processes_; }
  [[nodiscard]] const std::vector<item_home>& homes() const noexcept { return homes_; }
  [[nodiscard]] const item_home& home_of(int rank) const noexcept { return homes_[static_cast<std::size_t>(rank)]; }
  /// The ranks of a process, by index.
  [[nodiscard]] std::span<const int> ranks_of(int process) const noexcept {
    return by_process_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] std::span<member> members() noexcept { return members_; }
  [[nodiscard]] member& at(int index) noexcept { return members_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] common_buffers& spare() noexcept { return spare_; }
  [[nodiscard]] phase_counts& counts() noexcept { return counts_; }
  [[nodiscard]] item_transport* transport() const noexcept { return transport_; }

  // ---- channels ----

  [[nodiscard]] channel_records& channels() noexcept { return channels_; }
  /// Whether ranks here may fill packets together: schemes pp and automatic.
  [[nodiscard]] bool shares() const noexcept {
    return processes_ > 1 &&
           (options_.scheme == item_scheme::pp || (options_.scheme == item_scheme::automatic && members_.size() > 1));
  }
  /// Their items of that channel for that next process, and those that are passed on.
  [[nodiscard]] shared_items& shared_of(std::size_t number, std::size_t item_bytes, int next);

  // ---- the end of a phase ----

  /// Sticky: whoever finds the end of a phase says so for all. (Counts go on: who leaves sends items of the next phase,
  /// and those who come later would find sums that differ. tests/model/termination.pml, MUTATE_NO_STICKY_END.)
  [[nodiscard]] bool has_ended(std::uint64_t phase) const noexcept {
    return ended_.load(std::memory_order_acquire) >= phase;  // acquire: pairs with end_phase()
  }
  /// By ranks that are quiet in `phase`: looks whether all are, and whether that was all. `first_active` as in
  /// phase_counts::look().
  void look_for_end(std::uint64_t phase, std::size_t& first_active);
  /// Of the ranks here, the first that is not in its finish of that phase; null if all are.
  [[nodiscard]] const member* first_missing(std::uint64_t phase) const noexcept;
  /// Of the ranks here, the first that has left before its finish of that phase: it will never end. Usually null, which
  /// costs a load.
  [[nodiscard]] const member* first_gone(std::uint64_t phase) const noexcept;
  /// True once: of the ranks here one says that a finish lasts long.
  [[nodiscard]] bool is_first_to_note_long_finish() noexcept {
    return !has_noted_long_finish_.exchange(true, std::memory_order_relaxed);
  }

  // ---- other processes ----

  [[nodiscard]] const item_routes& routes() const noexcept { return routes_; }
  /// Where this process sends items for a rank of another one.
  [[nodiscard]] int next_to(int rank) const noexcept { return routes_.next(home_of(rank).process); }
  /// A packet from that process. Never blocks. One thread at a time. Returns what is wrong with it; empty: nothing.
  [[nodiscard]] std::string deliver(int from, std::span<const std::byte> packet);
  /// Whether that process may send more: not while there is no room for what is passed on for it.
  [[nodiscard]] bool has_passed_on(int from) const noexcept;
  /// Buffers that have come from that process, and are not handled. A moment ago.
  [[nodiscard]] std::uint64_t unhandled_of(int process) noexcept;
  /// Before ranks use it: the transport is its own.
  void own(std::unique_ptr<item_transport> transport) noexcept { owned_transport_ = std::move(transport); }
  /// What has come, and what could not be sent before. True if anything moved. Throws std::bad_alloc, if there is no
  /// memory for what is sent, or has come: then nobody may go on.
  bool poll_transport();
  /// Pushes what ranks have left together for each other process, or only where something is to be passed on. Returns
  /// how many packets that made. Throws std::bad_alloc: what is not pushed is still there.
  std::uint64_t push_shared(bool only_passed_on = false);
  bool push_shared(shared_items& of, int next, bool only_passed_on = false);
  /// How many packets of items the ranks here have sent.
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_.load(std::memory_order_relaxed); }
  /// Packets for that process that have found no room.
  [[nodiscard]] std::size_t waiting_packets(int process) const noexcept {
    return ways_[static_cast<std::size_t>(process)].count.load(std::memory_order_relaxed);
  }
  /// Whether all that was to be sent has left. (Who leaves finish may make no call for long, and others wait.)
  [[nodiscard]] bool has_sent_all() const noexcept { return waiting_count_.load(std::memory_order_relaxed) == 0; }
  static constexpr int nobody = -1;
  /// Before items of a channel are sent, and counted: all that may lack memory. Tells that process what the channel is,
  /// if it does not know yet. The packet has no bytes yet. Throws std::bad_alloc.
  [[nodiscard]] packet_node prepare(int process, std::size_t channel, int by = nobody);
  /// Sends a prepared packet now or, if there is no room, later: for so long it counts for its member. (Without memory,
  /// later, too: ranks try again in their waits, and end the job if there still is none.)
  void send_items(int process, packet_node packet) noexcept;
  /// Sends all that the writer has. count() comes when nothing can fail any more, and before anybody gets the packet.
  /// Throws std::bad_alloc: then the writer has everything as before.
  template <class Count>
  void send_from(packet_writer& writer, const items_in_runs& head, int next, int by, Count count) {
    packet_node packet = prepare(next, head.channel, by);
    packet.front().bytes = writer.take_packet(head);
    count();
    send_items(next, std::move(packet));
  }

  /// What has been counted here and has not come back: nothing, where all ranks have finished and none has sent again.
  void add_open_accounts(open_accounts& to);

  /// A rank uses it no longer. The last one destroys it.
  void leave(int index) noexcept;
  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // acq_rel: the last to come destroys what all the others have used; pairs with itself in their release()
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  [[nodiscard]] bool somebody_has_left() const noexcept { return left_.load(std::memory_order_relaxed) > 0; }

 private:
  /// What waits for one process: none waits behind those for another one.
  struct way {
    packet_node waiting;
    std::atomic<std::size_t> count{0};
    std::size_t told_channels = 0;  // that process knows what these are
  };

  ~aggregation_part();
  void end_phase(std::uint64_t phase) noexcept;
  void send_packet(way& there, int process, packet_node packet) noexcept;
  [[nodiscard]] packet_bounds bounds() const noexcept {
    return {process_, members_.size(), static_cast<std::size_t>(processes_), homes_.size()};
  }
  [[nodiscard]] bool may_be_at_work(std::uint64_t phase) const noexcept;
  [[nodiscard]] std::string deliver_token(int from, const wave_token& token, bool is_whole);
  [[nodiscard]] std::string deliver_phase_end(int from, std::uint64_t phase, bool is_whole);
  [[nodiscard]] std::string deliver_channel(const channel_packet& what, std::span<const std::byte> rest);
  [[nodiscard]] std::string deliver_items(int from, const packet_reader& packet);
  [[nodiscard]] item_buffer& new_slice(int from, std::uint64_t phase, std::size_t index, std::size_t count,
                                       const packet_reader& packet);
  void pass_on(std::uint64_t phase, const packet_reader& packet, const item_run& run, const std::byte* items);
  void send_control(int process, std::vector<std::byte> bytes);

  const std::vector<item_home> homes_;
  std::vector<std::vector<int>> by_process_;
  const int process_;
  const int processes_;
  const aggregation_options options_;
  const item_routes routes_;
  item_transport* const transport_;
  std::vector<member> members_;
  phase_counts counts_;
  std::vector<std::atomic<std::uint64_t>> delivered_;  // buffers, by process
  common_buffers spare_;
  spare_buffers arriving_{spare_};                           // for deliver()
  alignas(pair_bytes) std::atomic<std::uint64_t> ended_{0};  // read by those who wait, written once a phase
  std::atomic<int> left_{0};
  std::atomic<bool> has_noted_long_finish_{false};
  alignas(pair_bytes) std::atomic<int> references_{0};
  std::atomic<std::uint64_t> packets_{0};

  channel_records channels_;
  mutable std::mutex registering_;                                 // for a moment
  std::deque<std::vector<std::unique_ptr<shared_items>>> shared_;  // by channel, by next process; null: none yet
  std::atomic<std::size_t> filled_shares_{0};                      // of these, those that have items

  mutable std::mutex sending_;                 // for a moment
  std::vector<way> ways_;                      // by process
  std::atomic<std::size_t> waiting_count_{0};  // in all of them
  std::mutex waving_;                          // for a moment
  termination_waves waves_;
  std::unique_ptr<item_transport> owned_transport_;
};

}  // namespace pure::core
