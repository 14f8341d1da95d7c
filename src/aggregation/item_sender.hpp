// Buffers and packets on their way from a rank: taken, counted, and pushed to the ranks of this process, or given to
// those who send them to others.
//
// What always holds: items are counted as sent, for all to see, before the buffer or packet with them can be taken by
// anybody (phase_counts.hpp); and before that, everything is there that may lack memory: where something throws
// std::bad_alloc nothing was sent. Knows buffers, packets and numbers of channels, no channel. Own thread of the rank
// only. Modelled by tests/model/termination.pml, aggregation_inbox.pml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <pure/detail/aggregation.hpp>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/arrival_queues.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/memory_account.hpp"
#include "aggregation/pair_credits.hpp"
#include "aggregation/rank_stage.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class item_sender {
 public:
  /// Of the member of `part` that is `index`. `own`: where it finds what it sends to itself.
  item_sender(aggregation_part& part, int index, const rank_stage& stage, const call_checks& checks,
              spare_buffers& spare, arrival_queues& own, bool keeps_time);
  item_sender(const item_sender&) = delete;
  item_sender& operator=(const item_sender&) = delete;

  // ---- buffers ----

  /// An open buffer. Throws std::bad_alloc.
  [[nodiscard]] item_buffer& take_buffer(std::size_t item_bytes);
  void give_back(item_buffer& unused) noexcept;
  /// The packet for push(), none if that rank is in this process. Throws std::bad_alloc.
  [[nodiscard]] packet_node packet_for(item_buffer& full, int dest, std::size_t item_bytes);
  /// Throws state: that rank has left.
  void push(const call& by, item_buffer& pushed, int dest, std::size_t capacity, packet_node packet);

  // ---- packets to other processes ----

  /// A packet of the rank's own begins to wait, and one leaves. Throws std::bad_alloc: then it still waits.
  void open_packet(const packet_writer& packet) noexcept;
  void push_packet(packet_writer& packet, std::size_t channel, int next);
  /// Items that leave with those of other ranks here; their phase is the rank's. Throws std::bad_alloc, and so many of
  /// them are `taken` then.
  void push_shared(tagged_items items, int next, std::size_t& taken);

  // ---- what others ask ----

  void count_combined() noexcept { ++counts_.combined; }
  /// Items.
  [[nodiscard]] std::uint64_t sent() const noexcept { return counts_.sent; }
  [[nodiscard]] memory_account& memory() noexcept { return memory_; }
  [[nodiscard]] pair_credits& credits() noexcept { return credits_; }
  /// Now, for a buffer that is opened; 0: nobody keeps the time.
  [[nodiscard]] std::int64_t time_of_opening() noexcept;
  /// No open buffer is older; 0: none, or nobody keeps the time.
  [[nodiscard]] std::int64_t oldest_open_ns() const noexcept { return oldest_open_ns_; }
  void set_oldest_open(std::int64_t when_ns) noexcept { oldest_open_ns_ = when_ns; }
  void add_to(aggregation_stats& stats) const noexcept;
  void add_open_accounts(open_accounts& to);

  /// Runs act(), which throws std::bad_alloc before it has changed anything: then throws no_memory.
  template <class Act>
  decltype(auto) or_refuse(const call& by, Act act) {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      throw_no_memory(by);
    }
  }

 private:
  struct sent_counts {
    std::uint64_t sent = 0, combined = 0, urgent = 0;                   // items
    std::uint64_t buffers = 0, partial = 0, room = 0, over_credit = 0;  // as in aggregation_stats
  };

  [[noreturn]] void throw_no_memory(const call& by) const;
  void note_peak() noexcept {
    memory_.note_peak([this] { credits_.look_at_all(); });
  }
  void count_sent(std::size_t items, std::size_t capacity);
  void require_present(const call& by, item_buffer& pushed, int dest);
  [[nodiscard]] static pair_credit* new_credit(part_member& mine, std::size_t receivers);

  aggregation_part& part_;
  const int index_;
  const rank_stage& stage_;
  const call_checks& checks_;
  spare_buffers& spare_;
  arrival_queues& own_;
  const bool keeps_time_;
  rank_counts& published_;
  memory_account memory_;
  pair_credits credits_;
  sent_counts counts_;
  std::int64_t oldest_open_ns_ = 0;
};

}  // namespace pure::core
