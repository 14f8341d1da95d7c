// The sending half of a rank's match engine: records into rings, and sends that must wait (DESIGN D3).
//
// Own thread of the rank only. The receiving half, the own rank's as well as others', is known only as rings, which
// `connect` finds: a message to the own rank goes through a ring, too.
//
// Invariants: messages to one receiver get into its ring in the order in which they start. So while one waits for room,
// all later ones are queued behind it. Exactly the channels that have a queue are in waiting_. A send has a claim
// exactly while it is offered or unmatched (send_op.hpp), and is in offered_ exactly while it is offered. The channel
// to a rank of another process leads to the ring that remote_ranks has made for the pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/call.hpp"
#include "base/intrusive_fifo.hpp"
#include "base/open_accounts.hpp"
#include "base/peer_table.hpp"
#include "match/claim_pool.hpp"
#include "match/copy_ways.hpp"
#include "match/message_terms.hpp"
#include "match/offered_sends.hpp"
#include "match/send_op.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "transport/cells.hpp"
#include "transport/ring.hpp"

namespace pure::core {

struct unreceived_message;

class message_sender {
 public:
  /// How a rank finds what it shares with another of this process.
  struct connector {
    /// The ring into rank `to` from rank `from`, and that `to` learns of it.
    ring& (*way)(const rank_context& to, int from);
    /// The end of rank `self` of its cells with `other`.
    cell_end& (*cells)(const rank_context& self, const rank_context& other);
  };

  message_sender(rank_context& self, const message_terms& terms, connector connect) noexcept
      : self_(self), terms_(terms), connect_(connect) {}
  message_sender(const message_sender&) = delete;
  message_sender& operator=(const message_sender&) = delete;
  ~message_sender();

  /// Sends a message that needs neither room nor meeting: false if it does, and then nothing has happened.
  bool try_send_now(int to, const envelope& who, const void* data, std::size_t bytes);
  /// The same where messages are checked, with the call's entry in their log: the other one then always refuses.
  bool try_send_checked(int to, const envelope& who, const void* data, std::size_t bytes, const call& by);
  /// The first for an object, which is moved from only if it returns true.
  bool try_send_now(int to, const envelope& who, moved_value& object);

  /// Sends a synchronous message that is not large, for a sender that waits for the claim to be taken and then
  /// gives it back. Null if it needs more, and then nothing has happened.
  send_claim* try_send_firm(int to, const envelope& who, const void* data, std::size_t bytes);
  void give_back(send_claim& claim) noexcept { claims_.give_back(claim); }

  enum class instant_send : std::uint8_t { refused, sent, lent };
  /// Sends a plain message of a call that blocks to a rank of another process, if it can leave at once; refused:
  /// nothing has happened. Lent: the call has to wait until it has_own_buffer(); it may then not send anything
  /// meanwhile.
  instant_send try_send_elsewhere(int to, const envelope& who, const void* data, std::size_t bytes) noexcept;
  [[nodiscard]] bool has_own_buffer() const noexcept;

  /// Starts `op`, whose data, bytes, who, to, is_moved and object are set. It must stay where it is until test(op).
  void start(send_op& op);
  /// Moves `op` on; true when its buffer may be reused, and, if it is synchronous, a receive has matched.
  bool test(send_op& op);
  /// Takes back a send that is not complete, unless a receive has matched it: false then (MPI 4.1, 3.8.4). Also false
  /// where another process has to be asked: then op.is_taken_back says it in the end.
  bool cancel(send_op& op);

  // ---- the rank's ----

  /// Sends what has waited for room, and helps receivers. True if anything moved.
  bool advance();
  void help_receivers() noexcept { offered_.help(); }
  /// Gives the memory of rings back to which nothing has been sent since the last call. True if there were any.
  bool give_back_unused() noexcept;
  /// The job has failed: forgets all sends.
  void close() noexcept;
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  /// Sends wait for room, or for their receivers.
  [[nodiscard]] bool has_waiting() const noexcept { return !offered_.empty() || !waiting_.empty(); }
  /// What has been started and is not complete.
  void add_open_accounts(open_accounts& to) const;
  /// The messages that wait for room.
  void add_unsent(std::vector<unreceived_message>& to) const;

 private:
  struct alignas(pair_bytes) out_channel {  // this rank's messages to one receiver; in lines of its own
    ring* to = nullptr;
    notified* reader = nullptr;         // of that ring
    remote_ranks* elsewhere = nullptr;  // if the receiver is in another process
    intrusive_fifo<send_op> queue;      // sends that found the ring full; later ones stay behind them
    bool is_listed = false;             // in waiting_
    int receiver = 0;
    bool may_have_cells = false;            // the receiver is another rank of this process
    cell_end* cells = nullptr;              // null until one is needed
    copy_ways ways{measured_copy_speed()};  // of what is longer than the eager limit
  };

  out_channel& channel_to(int receiver) {
    out_channel* const there = to_[receiver];
    return there != nullptr ? *there : open(receiver);
  }
  out_channel& open(int receiver);

  bool put_eager(out_channel& channel, const envelope& who, const void* data, std::size_t bytes) noexcept;
  bool put_in_cells(out_channel& channel, const envelope& who, const void* data, std::size_t bytes) noexcept;
  cell_end* open_cells(out_channel& channel) noexcept;
  cell_end* cells_of(out_channel& channel) noexcept {
    return channel.cells != nullptr || !channel.may_have_cells ? channel.cells : open_cells(channel);
  }
  copy_ways::way way_of(out_channel& channel, const send_op& op) const noexcept;
  bool put_moved(out_channel& channel, const envelope& who, moved_value& object) noexcept;
  bool put(out_channel& channel, send_op& op);
  bool put_record(out_channel& channel, send_op& op);
  bool put_copied(out_channel& channel, send_op& op);
  bool put_offer(out_channel& channel, send_op& op, copy_ways::way way);
  static bool put_elsewhere(out_channel& channel, const envelope& who, const void* data, std::size_t bytes) noexcept;
  bool put_elsewhere(out_channel& channel, send_op& op);
  bool put_queued(out_channel& channel);
  void note_offered(send_op& op);
  void end_offered(send_op& op) noexcept;

  rank_context& self_;
  const message_terms terms_;
  std::uint32_t last_number_ = 0;  // of a send that is watched
  peer_table<out_channel> to_;     // by receiver; null until the pair talks
  std::vector<out_channel*> waiting_;
  offered_sends offered_;
  claim_pool<> claims_;
  bool is_closed_ = false;
  const connector connect_;
};

}  // namespace pure::core
