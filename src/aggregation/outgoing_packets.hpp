// Packets of the ranks of a process to other processes, from when they are complete until the transport has them.
//
// Each process has a queue. What always holds:
//   order   a packet enters the queue of its process at the end, and leaves it at the front. One thread at a time takes
//           from the front, which is what `is_served` says, and puts back there what finds no room. So packets for a
//           process leave in the order in which they were queued, and those that tell of a channel before its items.
//   lock    `queueing_` is held to queue a packet, and to take one out, never while the transport has one: who sends to
//           one process keeps nobody from queueing, or from sending to another one.
//   asked   whoever queues a packet serves its process, or asks the thread that does. So does who waits for packets to
//           leave, before it sleeps. A thread that has served tells all, if one of them has asked. Of room where there
//           was none the transport tells.
//
// Any rank's thread of the process, and who delivers packets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/channel_records.hpp"
#include "aggregation/item_transport.hpp"
#include "aggregation/packet_writer.hpp"
#include "aggregation/part_members.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

/// A packet that leaves, in a node of its own: where it has to wait, that takes no memory.
struct outgoing_packet {
  std::vector<std::byte> bytes;
  int by;  // the member for which it counts while it waits
};
/// One, or none.
using packet_node = std::list<outgoing_packet>;

class outgoing_packets {
 public:
  static constexpr int nobody = -1;
  /// Who serves a process has done its share then: others send, too.
  static constexpr int most_at_once = 64;
  /// Where more wait, those whose items are passed on there may send no more.
  static constexpr std::size_t most_passed_on = 64;

  /// `transport`: null for an aggregation in one process, which sends nothing.
  outgoing_packets(const aggregation_layout& layout, const part_members& members, const channel_records& channels,
                   item_transport* transport);

  // ---- in two steps: what may lack memory, then what cannot fail ----

  /// Before items of a channel are sent, and counted. Tells that process what the channel is, if it does not know yet.
  /// The packet has no bytes yet. Throws std::bad_alloc.
  [[nodiscard]] packet_node prepare(int process, std::size_t channel, int by = nobody);
  /// A prepared packet, behind all that wait for that process. serve() has to follow.
  void queue_items(int process, packet_node packet) noexcept;
  /// Sends what waits for that process, unless another thread is about to. (Without memory, later: ranks try again in
  /// their waits, and end the job if there still is none.)
  void serve(int process) noexcept;

  // ---- made of these ----

  void send_items(int process, packet_node packet) noexcept {
    queue_items(process, std::move(packet));
    serve(process);
  }
  /// All that the writer has. count() comes when nothing can fail any more, and before anybody gets the packet. serve()
  /// has to follow. Throws std::bad_alloc: then the writer has everything as before.
  template <class Count>
  void queue_from(packet_writer& writer, const items_in_runs& head, int process, int by, Count count) {
    packet_node packet = prepare(process, head.channel, by);
    packet.front().bytes = writer.take_packet(head);
    count();
    queue_items(process, std::move(packet));
  }
  /// A packet without items. Throws std::bad_alloc.
  void send_control(int process, std::vector<std::byte> bytes);

  // ---- what has found no room ----

  /// Sends it where there is room now. True if a packet has left. Throws std::bad_alloc.
  bool try_again();
  /// For that process. A moment ago, as all that follows.
  [[nodiscard]] std::size_t waiting(int process) const noexcept {
    return ways_[static_cast<std::size_t>(process)].count.load(std::memory_order_relaxed);
  }
  /// Bytes of packets that this member has sent, and that have found no room yet.
  [[nodiscard]] const std::atomic<std::size_t>& waiting_bytes_of(int member) const noexcept {
    return waiting_bytes_[static_cast<std::size_t>(member)];
  }
  /// Whether all that was to be sent has left.
  [[nodiscard]] bool has_sent_all() const noexcept { return waiting_count_.load(std::memory_order_relaxed) == 0; }
  /// The same for who sleeps if it has not, and is told when it has. (Who leaves finish may make no call for long, and
  /// others wait for what it has sent.)
  [[nodiscard]] bool ask_whether_all_is_sent() noexcept;
  enum class queue : std::uint8_t { is_short, is_served, is_long };
  /// Whether no more than so many wait for that process; else whether they are being sent: the caller is told then when
  /// that has ended. Else there was no room for them.
  [[nodiscard]] queue queue_for(int process, std::size_t most) noexcept;
  /// Whether that process may send more to be passed on: not while many packets wait where its items go.
  [[nodiscard]] bool has_passed_on(int from) const noexcept;

  /// How many packets of items there were.
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_.load(std::memory_order_relaxed); }
  void add_open_accounts(open_accounts& to) const;

 private:
  /// What waits for one process. Changed under the lock.
  struct way {
    packet_node waiting;
    std::atomic<std::size_t> count{0};  // of these, and one that the transport is offered
    bool is_served = false;
    bool is_asked = false;          // while it was served
    std::size_t told_channels = 0;  // that process knows what these are, or will by what waits
  };
  enum class outcome { left, no_room, no_memory };

  [[nodiscard]] way& to(int process) noexcept { return ways_[static_cast<std::size_t>(process)]; }
  void append(way& there, packet_node packet) noexcept;
  [[nodiscard]] outcome offer(int process, const outgoing_packet& packet) noexcept;
  void note_left(way& there, const outgoing_packet& packet) noexcept;
  bool serve(int process, bool& lacks_memory) noexcept;
  void tell_whose_items_are_passed_on() noexcept;

  const aggregation_layout& layout_;
  const part_members& members_;
  const channel_records& channels_;
  item_transport* const transport_;
  std::mutex queueing_;                                  // for a moment
  std::vector<way> ways_;                                // by process
  std::atomic<std::size_t> waiting_count_{0};            // in all of them
  std::vector<std::atomic<std::size_t>> waiting_bytes_;  // by member
  std::atomic<std::uint64_t> packets_{0};
};

}  // namespace pure::core
