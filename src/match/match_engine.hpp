// The match engine: one rank's messages, sent and received (DESIGN D3).
//
// Only the owning rank calls it, apart from inbox(), through which others connect. Matching therefore takes no lock.
// Messages of one sender are matched in the order of sending, receives in the order of posting: a message takes the
// first posted receive that matches it, a receive takes the oldest unexpected message, then the oldest in the ring.
// Neither takes longer where many are posted, or early (matching_queue.hpp).
//
// A message stays in its ring until a receive wants it or one behind it, or until its sender asks for room; then it
// becomes an unexpected message. (The functions of the short path are in short_path.hpp.) Early messages are bounded
// only by memory; past a limit a warning names their senders.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/call.hpp"
#include "base/intrusive_fifo.hpp"
#include "base/open_accounts.hpp"
#include "base/peer_table.hpp"
#include "match/claim_pool.hpp"
#include "match/matching_queue.hpp"
#include "match/receive_op.hpp"
#include "match/send_op.hpp"
#include "match/unexpected_message.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"
#include "transport/inbox.hpp"

namespace pure::core {

class message_checks;

class remote_ranks;
struct unreceived_message;
struct watched_delivery;

class match_engine final : public rank_service<match_engine, 0> {
 public:
  explicit match_engine(rank_context& self);
  ~match_engine() override;

  [[nodiscard]] rank_context& self() const noexcept { return self_; }
  [[nodiscard]] inbox& mail() noexcept { return inbox_; }
  /// Null unless messages are checked (PURE_CHECK). Then each send that starts has its number from them.
  [[nodiscard]] message_checks* checks() const noexcept { return checks_.get(); }

  // ---- sends: to a rank of the job, by its number ----

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

  // ---- receives ----

  /// Receives an eager message that is the next of `from`, if nothing is in its way, and calls take(status). False
  /// otherwise: start() a receive.
  template <class Take>
  bool try_receive_now(const receive_place& place, std::uint32_t context, int from, int tag, Take&& take);
  /// Starts `op`; it must stay where it is until test(op). `by`: the call to name where messages are checked; null: one
  /// of Pure's own. Throws buffer, before anything has happened, if its buffer is a pending operation's.
  void start(receive_op& op, const call* by = nullptr, bool is_request = false);
  /// Polls for `op`; true when it is complete.
  bool test(receive_op& op);
  /// Takes back a receive that is not done: it will match nothing. For a rank that unwinds. False if it has matched a
  /// message that is on its way.
  bool withdraw(receive_op& op) noexcept;

  /// A message of another process, behind all that are in the ring of the pair. True if a posted receive has got it:
  /// false where that is not plain and short.
  bool receive_now(ring& from, const envelope& who, const std::byte* payload, std::size_t bytes) noexcept;

  // ---- probes (MPI 4.1, 3.8): the message that a receive with these arguments, posted now, would match ----

  /// Calls take(status) with what it is; false if there is none yet.
  template <class Take>
  bool probe(std::uint32_t context, int from, int tag, Take&& take);
  /// Takes the message out: only receive() can receive it. Null if there is none yet.
  unexpected_message* take(std::uint32_t context, int from, int tag);
  /// Receives a message that was taken out, and destroys it. `op` is done then.
  void receive(unexpected_message& taken, receive_op& op);

  /// Those to this rank, and those of this rank that have not left it. Takes them out of their rings. When no rank
  /// runs.
  std::vector<unreceived_message> unreceived();
  /// Those in a ring, to rank `to`.
  static void take_unreceived(ring& from, int to, std::vector<unreceived_message>& into);

  bool advance() override;
  [[nodiscard]] bool helps_receivers() const noexcept override { return true; }
  void help_receivers() noexcept override;
  bool end_main() noexcept override { return !offered_.empty() || !waiting_out_.empty(); }  // its sends go on
  void close() noexcept override;

  /// What has been started here and is not complete: nothing, where a program has completed what it has started. (A
  /// message that its sender has taken back may stay among the unexpected ones.)
  void add_open_accounts(open_accounts& to) const;
  [[nodiscard]] std::size_t unexpected_messages() const noexcept { return early_count_; }
  /// How many receives and messages matching has looked at so far.
  [[nodiscard]] std::uint64_t match_steps() const noexcept;
  /// True once the job has failed and all ranks have stopped.
  [[nodiscard]] bool is_closed() const noexcept { return closed_; }

 private:
  struct in_channel {  // one sender's messages to this rank
    ring* from = nullptr;
    matching_queue<receive_op> posted;         // receives that name this sender
    matching_queue<unexpected_message> early;  // its messages that no receive has matched, oldest first
    std::size_t unexpected_count = 0;
    std::vector<envelope> streams;  // of large messages of another process: context and tag, without `source`
  };
  struct out_channel {  // this rank's messages to one receiver
    ring* to = nullptr;
    notified* reader = nullptr;     // of that ring
    bool is_elsewhere = false;      // the receiver is in another process
    intrusive_fifo<send_op> queue;  // sends that found the ring full; later ones stay behind them
    bool listed = false;            // in waiting_out_
  };

  in_channel& channel_from(int source) {
    in_channel* const there = in_[source];
    return there != nullptr ? *there : open_in(source, nullptr);
  }
  out_channel& channel_to(int receiver) {
    out_channel* const there = out_[receiver];
    return there != nullptr ? *there : open_out(receiver);
  }
  in_channel& open_in(int source, ring* announced);
  out_channel& open_out(int receiver);
  void adopt_announced();

  void start_behind_others(receive_op& op, const call* by, bool is_request);
  void poll_for(receive_op& op);
  template <class Stop>
  bool drain(in_channel& channel, Stop stop);
  void accept(in_channel& channel, record& arrived);
  struct posted_place {
    matching_queue<receive_op>* queue = nullptr;
    matching_queue<receive_op>::place at;  // without an entry: no posted receive matches
  };
  posted_place find_posted(in_channel& channel, const envelope& who) noexcept;
  receive_op& take_posted(const posted_place& found) noexcept;
  bool take_early(in_channel& channel, receive_op& op);
  using early_place = matching_queue<unexpected_message>::place;
  early_place find_unexpected(in_channel& channel, std::uint32_t context, int tag) noexcept;
  unexpected_message& unlink_early(in_channel& channel, const early_place& found) noexcept;
  record* find_in_ring(in_channel& channel, std::uint32_t context, int tag);
  /// Calls visit(channel) for the senders that this rank knows, until it returns true; that sender is the last to be
  /// asked the next time, so that none is starved.
  template <class Visit>
  bool any_active(Visit visit) {
    const std::size_t channels = active_in_.size();  // visit() may open others
    std::size_t at = first_polled_ < channels ? first_polled_ : 0;
    for (std::size_t left = channels; left > 0; --left) {
      in_channel& each = *active_in_[at];
      if (++at == channels) at = 0;
      if (visit(each)) {
        first_polled_ = at;
        return true;
      }
    }
    return false;
  }
  template <class Visit>
  bool any_channel(int from, Visit visit);
  bool take_eager(receive_op& op);
  bool take_any(in_channel& channel, receive_op& op);
  bool probe_all(std::uint32_t context, int from, int tag, status& found);
  void tell_matched(int sender, const claim_reference& claim) noexcept;
  void deliver_short(in_channel& channel, record& arrived, const std::byte* payload, receive_op& op) noexcept;
  bool try_deliver_eager(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool try_deliver_other(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool try_deliver_checked(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool start_checked(receive_op& op, const call& by, bool is_request);
  void deliver(in_channel& channel, record& arrived, receive_op& op);
  void deliver_record(in_channel& channel, record& arrived, receive_op& op);
  void deliver(unexpected_message& message, receive_op& op);
  void deliver_early(unexpected_message& message, receive_op& op);
  void deliver_bytes(const envelope& who, const void* data, std::size_t bytes, receive_op& op);
  void deliver_rendezvous(const envelope& who, const rendezvous_source& of, receive_op& op);
  void deliver_remote(const envelope& who, arriving_message& payload, receive_op& op);
  bool test_arriving(receive_op& op);
  bool test_requested(receive_op& op);
  void expect_next(in_channel& channel, receive_op& op) noexcept;
  void note_stream(in_channel& channel, const envelope& who);
  bool test_expected(receive_op& op) noexcept;
  bool is_open(receive_op& op) noexcept;
  static bool may_still_match(const receive_op& op) noexcept;
  bool stop_expecting(receive_op& op) noexcept;
  void watch_delivery(receive_op& op, const watched_delivery& how);
  void deliver_moved(const envelope& who, moved_value& object, receive_op& op);
  void set_aside(in_channel& channel, record& arrived);
  unexpected_message* make_early(in_channel& channel, record& arrived);
  void warn_of_early_messages();
  [[nodiscard]] std::string text_of_early_messages() const;
  void any_posted_has_changed() noexcept { is_never_alone_ = checks_ != nullptr || !posted_any_.empty(); }
  void pop(in_channel& channel, const record& done) noexcept;

  bool put_eager(out_channel& channel, const envelope& who, const void* data, std::size_t bytes) noexcept;
  bool put_moved(out_channel& channel, const envelope& who, moved_value& object) noexcept;
  bool put(out_channel& channel, send_op& op);
  bool put_record(out_channel& channel, send_op& op);
  bool put_copied(out_channel& channel, send_op& op);
  bool put_elsewhere(out_channel& channel, const envelope& who, const void* data, std::size_t bytes) noexcept;
  bool put_elsewhere(out_channel& channel, send_op& op);
  bool put_queued(out_channel& channel);
  void note_offered(send_op& op);
  bool look_at_offered() noexcept;
  void end_offered(send_op& op) noexcept;
  void forget_offered(send_op& op) noexcept;

  rank_context& self_;
  remote_ranks* const remote_;  // null: all ranks are in this process
  activity* const log_;
  const std::unique_ptr<message_checks> checks_;
  const std::size_t eager_limit_bytes_;
  const std::size_t short_path_end_;  // eager messages with fewer bytes take the short path; 0 if all are watched
  const bool is_watched_;             // logged or checked
  bool is_never_alone_;               // of a receive that starts: posted_any_ has one, or all are checked
  std::uint32_t last_number_ = 0;     // of a send that is watched
  peer_table<in_channel> in_;         // by sender; null until the pair talks
  peer_table<out_channel> out_;       // by receiver; likewise
  std::vector<in_channel*> active_in_;
  std::vector<out_channel*> waiting_out_;  // those with a queue
  std::vector<send_op*> offered_;          // rendezvous that no receiver has finished
  std::size_t next_offered_ = 0;           // to be looked at
  claim_pool<> claims_;
  packed_pieces_pool packed_;
  matching_queue<receive_op> posted_any_;  // receives from any source
  std::uint64_t receives_posted_ = 0;
  std::size_t first_polled_ = 0;  // rotates, so that any-source receives starve nobody
  std::size_t early_count_ = 0;
  std::size_t next_warning_;
  bool closed_ = false;
  inbox inbox_;
};

}  // namespace pure::core
