// The gateway: how the ranks of this process exchange messages with those of other processes (DESIGN D5).
//
// To a rank, another process looks like ranks of this one. It writes its records into a ring, notifies, and reads
// records from a ring, but for two short cuts (send_now, receive_now). The other end of those rings is whoever has the
// *turn* (network/network_lock.hpp), which is any thread that is there when there is something to do: a sender that
// notifies the proxy of a process, a rank that waits, the watch while all sleep. It alone touches what is marked so
// below.
//
//   out  record -> envelope, and payload if it is small, in the network message that is being packed for the process.
//        Rings whose messages were not moved at once stand on a list. Whatever the ranks have left at that moment
//        travels together. Where sends are fast, nobody waits for more; where they take long, what is left soon after
//        one waits for the next poll (send_pace.hpp). A large message's payload goes straight from its buffer, under a
//        tag of its own. A synchronous message is held (send_claim.hpp) until its receiver says that it has matched. A
//        send that is cancelled is asked back (gateway_cancel.cpp). A rank that finds the turn free, and nothing before
//        its plain small message, sends it itself, past the ring, in a packet of its own (send_now), or without one, if
//        the receiver's process knows its envelope (match/envelope_cache.hpp), or knows that nothing but such messages
//        comes (gateway_runs.cpp).
//   in   envelope -> record in the ring of the pair. What finds no room there waits here, in order. A large message is
//        a record that points to a remote_payload, whose bytes the receiver asks for when it has matched. Where the
//        holder of the network lock is the receiver, waits, and has posted the receive, it gets the bytes at once
//        (receive_now).
//
// Of some messages more has to be said than an envelope holds: what object it is, and which call has sent it where
// calls are checked. A note goes before them (gateway_notes.cpp).
//
// Missed work: whoever leaves work takes the turn and does it; or else says so (has_work_), for the holder of the
// network lock, and then tries again to take it. Who gives the turn back looks at has_work_ afterwards. Both sides have
// a sequentially consistent fence between the two, so one of them sees the other. (tests/model/network_lock.pml)
//
// The end: when the mains of all processes have returned, they add up how many packets each has been sent, and stay
// until these have arrived; large messages that nobody has received are received here, and dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/cache_line.hpp"
#include "base/observed_count.hpp"
#include "match/control_channel.hpp"
#include "match/gateway_links.hpp"
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/outgoing.hpp"
#include "match/packet_pool.hpp"
#include "match/payload_pool.hpp"
#include "match/remote_payload.hpp"
#include "match/send_log.hpp"
#include "match/send_pace.hpp"
#include "match/special_ways.hpp"
#include "network/network.hpp"
#include "network/network_lock.hpp"
#include "runtime/other_processes.hpp"
#include "transport/wire.hpp"

namespace pure::core {

class gateway final : public other_processes, private network_events {
 public:
  using outbound_ring = gateway_links::outbound_ring;
  /// A packet that has come before there were ranks here: other processes may have begun.
  struct early_packet {
    int from_process;
    int tag;
    std::vector<std::byte> bytes;
  };

  /// `over` outlives it, and is used by one gateway at a time.
  gateway(rank_placement placement, network& over, std::vector<early_packet> arrived = {});
  ~gateway() override;

  // ---- for the ranks; own thread ----

  /// Of `from`, of this process, to rank `to` of another one. Once for each pair.
  outbound_ring& connect(const rank_context& from, int to);

  /// What has become of a message: nothing; its sender may use its buffer again; or only when its `rendezvous` is
  /// finished, lent: it cannot be cancelled, held: it can, as one that has left by its ring.
  enum class departure : std::uint8_t { refused, sent, lent, held };
  /// Sends a message of the rank whose link `from` is, past the ring, if nothing is before it, and the network is free
  /// and takes it. The network may keep the buffer of a lender, until the meeting of its send is finished, or, without
  /// one, has_own_buffer(). A send's claim is open; only such a message may be held.
  departure send_now(outbound_ring& from, const bare_message& what) noexcept;
  /// Whether what was lent by the call that `by` is in is its own again.
  [[nodiscard]] bool has_own_buffer(const rank_context& by) const noexcept {
    return ends_[static_cast<std::size_t>(by.index())]->blocking_send.finished();
  }

  /// Receives the bytes of a message that has matched: into `into`, or else `kept`, of which the receiver has said what
  /// it wants. The receiver is notified when they are there.
  void request(remote_payload& wanted) noexcept;
  /// Posts the receive of the next message of rank `from` to `by` with that context and tag, into `capacity` bytes from
  /// `into`, before it is known; null: it is not known how, or something is before it. By a rank that has posted a
  /// receive for it, the first that matches, and has found nothing for that in `way`, the ring of the pair. It tells by
  /// `state` what has come of it, and is then given back by release().
  remote_payload* expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                         std::size_t capacity, ring& way) noexcept;
  /// Decides what an expected message is: it has come, or will not come to that memory. By its receiver.
  void stop_expecting(remote_payload& expected) noexcept;
  /// The receiver needs it no more.
  void release(remote_payload& received) noexcept { payloads_.release(received); }

  /// A receive of `by` has taken the claim of a synchronous message, which is short.
  void has_matched(const rank_context& by, const claim_reference& its) noexcept;
  /// Asks for a message back whose claim `its` is, and which has left: its send completes either way, and the claim
  /// says how.
  void ask_back(const rank_context& by, send_claim& its);

  // ---- what is checked (gateway_notes.cpp) ----

  /// The calls that have sent messages to ranks here, of a rank of another process; null: none is known. For whoever
  /// has one of these messages.
  [[nodiscard]] const send_log* calls_of(int sender) const noexcept {
    return calls_[static_cast<std::size_t>(sender)].get();
  }
  /// Messages from and to `rank` that are still here when all ranks have ended. Takes them out of their rings. When no
  /// rank runs.
  void add_unreceived(const rank_context& rank, std::vector<match_engine::unreceived_message>& to);

  // ---- other_processes ----

  [[nodiscard]] bool is_work_left() const noexcept override { return has_work_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t polls_of_ranks() const noexcept override { return polls_of_ranks_.read(); }
  [[nodiscard]] bool are_payloads_on_their_way() const noexcept override { return payloads_on_their_way_.read() > 0; }
  [[nodiscard]] int host() const noexcept override;
  void ring_for(rank_context& whom) noexcept override;
  void attach(job& of) override;
  using other_processes::poll;
  bool poll(rank_context* calling, int& looks) override;
  bool poll_for_busy_ranks() override;
  [[nodiscard]] bool try_keep_network() override;
  void let_network_go() noexcept override;
  void leave_network_to_parent() noexcept override { static_cast<void>(lock_.try_take()); }  // and never gives it back
  void send_control_message(int process, std::string text) override;
  std::vector<control_message> take_control_messages() override;
  std::optional<messages_under_way> look_at_messages(std::span<const int> of,
                                                     std::span<const held_elsewhere> held) override;
  void own_mains_have_returned() override;
  [[nodiscard]] bool all_mains_have_returned() const noexcept override {
    return has_ended_.load(std::memory_order_acquire);  // acquire: pairs with the release in move_end_on()
  }
  [[noreturn]] void abort(int status) noexcept override;

 private:
  using out_link = gateway_links::out_link;
  using in_link = gateway_links::in_link;
  using in_run = gateway_links::in_run;
  using entry_behind = gateway_links::entry_behind;
  using local_end = gateway_links::local_end;
  using waiting_entry = gateway_links::waiting_entry;
  using known_envelope = gateway_links::known_envelope;
  using peer = gateway_links::peer;
  friend out_link;  // left_by_rank()

  static void say_work(local_end& end) noexcept {
    end.has_work.store(true, std::memory_order_release);  // release: what is left; pairs with the acquire in work()
  }
  void left_by_rank(local_end& end, out_link* with_message) noexcept;
  void leave_work() noexcept;
  void leave_for_later(local_end& end) noexcept;
  /// For the rank whose end it is: does its work, and `more`, if the turn is free. False otherwise.
  template <class More>
  bool take_turn(local_end& end, More more) noexcept {
    {
      const network_visit visit(lock_);
      if (!visit) return false;
      work_at(end);
      more();
      send_off();
    }
    serve_newcomers();
    return true;
  }
  void serve_own(local_end& end, out_link* with_message = nullptr) noexcept;
  void serve() noexcept;
  void serve_newcomers() noexcept;

  /// That many messages of a rank in a row may wait for others: its ring has room for more.
  static constexpr std::uint32_t most_left_for_later = 16;
  /// A message of so many bytes does not wait for others like it: they would not fit into a packet with it.
  [[nodiscard]] std::size_t not_packed_from() const noexcept { return largest_inside_ / 2; }

  // ---- by the holder of the network lock ----

  /// Whether work() may find something.
  [[nodiscard]] bool is_anything_left() const noexcept {
    return has_work_.load(std::memory_order_relaxed) || has_unfinished_ || !being_packed_.empty() ||
           !answers_.empty() || control_.has_unsent() || own_mains_ended_.load(std::memory_order_relaxed);
  }
  bool work();
  void work_at(local_end& end);
  void say_unfinished(local_end& end) noexcept;
  void send_off();
  /// False if some of it has to be tried again.
  bool work_for(local_end& end);

  // out (gateway_out.cpp, match/gateway_direct_send.cpp)
  static void adopt_announced(local_end& end);
  static void list(out_link& link) noexcept;
  void forward_from(out_link& link);
  void forward_listed(local_end& end);
  bool forward_all(out_link& link);
  departure send_directly(out_link& link, const bare_message& what);
  departure send_large_directly(out_link& link, send_op& op);
  departure send_with_envelope(peer& to, out_link& link, int tag, std::span<const stream_of_run> next_run,
                               const bare_message& what);
  departure send_without_envelope(out_link& link, packet& by, const bare_message& what, int tag, bool is_in_run);
  int new_tag(peer& to, out_link& link, const envelope& who) noexcept;
  bool forward(out_link& link, const wire_envelope& what, record& leaving);
  void forward_synchronous(local_end& end, int process, outgoing message, record& leaving, packet& into);
  void forward_large(local_end& end, int process, outgoing message, const message_offer& offer, packet& into,
                     bool may_be_foreseen);
  open_send& open_large(local_end& end, int process, claim_reference claim, send_op& op);
  void forward_object(int process, const outgoing& message, moved_value& object, packet& into);
  packet* room_for(int process, std::size_t entry_bytes);
  std::unique_ptr<packet> new_packet(const peer& to);
  std::size_t most_inside_now() const noexcept { return pace_.is_slow() ? largest_inside_ : largest_inside_if_fast_; }
  bool may_travel_inside(const outgoing& message) const noexcept {
    return message.what.bytes <= most_inside_now() - message.bytes_before_envelope();
  }
  void send_packet(peer& to, int process, std::unique_ptr<packet> full);
  void send_all_packets();
  std::uint32_t next_tag(int process) noexcept;
  open_send& open(local_end* end, int process);
  void send_apart(open_send& made, outgoing message, const laid_out_source& data, packet& into,
                  bool may_be_foreseen = true);
  void end_if_complete(open_send& which);
  void answer(int process, wire_kind kind, std::uint32_t number);
  void take_asked_back(local_end& end);
  static void keep_out_of_runs(local_end& end, const send_op& taken_back) noexcept;

  // runs (gateway_runs.cpp, gateway_runs_out.cpp)
  /// The streams of the run that begins behind a message that is in none, if one does. `is_plain`: it could be in one.
  std::span<const stream_of_run> run_behind(out_link& link, const envelope& who, std::size_t bytes, bool is_plain) {
    const std::size_t shortest = pace_.is_slow() ? streams::shortest_of_run : streams::shortest_of_run_if_fast;
    if (ways_.runs && ways_.foreseen && bytes >= shortest && bytes <= streams::longest_of_run && is_plain)
      return note_for_run(link, who, bytes);
    link.streams.interrupt_by(who, bytes);
    return {};
  }
  std::span<const stream_of_run> note_for_run(out_link& link, const envelope& who, std::size_t bytes) noexcept;
  void begin_run(out_link& link, const wire_envelope& what, packet& in, std::span<const stream_of_run> its) noexcept;
  [[nodiscard]] static bool is_plain(record& leaving) noexcept;
  [[nodiscard]] bool goes_on_with_run(const peer& to, out_link& link, const bare_message& what) noexcept;
  departure send_in_run(peer& to, out_link& link, const bare_message& what);
  bool forward_in_run(out_link& link, record& leaving);
  void tell(peer& to, int process);
  void avoid_runs(int process, std::uint32_t number) noexcept;
  void entry_of_run(in_link& link, int process, const wire_envelope& what);
  void take_up_run(in_link& link, int process, const wire_envelope& what);
  /// Too long for a packet: it can only be sent from its sender's buffer.
  [[nodiscard]] bool has_to_be_lent(std::size_t bytes) const noexcept { return bytes > largest_inside_; }
  void add_to_run(in_link& link, in_stream& its, std::size_t limit);
  static void pass_those_ahead(in_run& run) noexcept;
  void end_run(in_link& link, std::uint32_t messages);
  void forget_run(in_link& link);
  void go_on_behind_run(in_link& link);
  [[nodiscard]] bool leave_behind_run(in_link& link, const wire_envelope& what, const std::optional<wire_note>& note,
                                      const std::byte* payload);
  void message_of_run_has_come(in_link& link, in_stream& its);
  void kept_done(remote_payload& kept);
  [[nodiscard]] bool are_copies_dear(const in_run& run) const noexcept;
  void say_that_run_is_unwanted(in_run& run, const in_stream& its);
  void take_back_kept(in_link& link);
  void set_lacks_receive(in_link& link, bool lacks) noexcept;
  void note_lack(in_link& link) noexcept;
  [[nodiscard]] bool is_long_without_receive(const local_end& end, in_run& run) noexcept;
  bool look_after_runs();
  void post_all_of(const in_stream& stream);

  // notes (gateway_notes.cpp)
  bool describe(const local_end& end, int process, record& leaving, outgoing& message);
  std::optional<std::uint32_t> number_of_text(int process, const char* text);
  void hear_text(int process, const wire_envelope& part, const std::byte* payload);
  [[nodiscard]] const char* text_of(int process, std::uint32_t number) const;
  void note_call(int process, int sender, const wire_note& note);

  // in (gateway_in.cpp)
  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override;
  void packet_arrived(int from_process, const std::byte* data, std::size_t bytes);
  void bare_message_arrived(int from_process, int tag, const std::byte* payload, std::size_t bytes);
  void learn_tag(int from_process, const wire_envelope& what);
  void damaged(int from_process);
  void operation_done(network_operation& done) override;
  void has_left(packet& full);
  void hand_over(in_link& link, int process, const wire_envelope& what, const std::optional<wire_note>& note,
                 const std::byte* payload);
  bool give_now(const in_link& link, const envelope& who, const std::byte* payload, std::size_t bytes);
  void leave_for_receiver(in_link& link, int process, const wire_envelope& what, const std::optional<wire_note>& note,
                          const std::byte* payload);
  static std::size_t lines_for(const waiting_entry& entry) noexcept;
  bool put(in_link& link, waiting_entry& next, const std::byte* payload);
  in_link& link_to(int receiver, int sender);
  in_link& link_of(const wire_envelope& what) {
    return link_to(static_cast<int>(what.to), static_cast<int>(what.from));
  }
  remote_payload& make_payload(int process, const wire_envelope& what);
  void tell_matches(local_end& end);
  bool put_waiting(local_end& end);
  void take_requests(local_end& end);
  void post(remote_payload& payload);
  void start_receive(remote_payload& payload);
  void has_come(remote_payload& payload);

  // expected messages (gateway_expected.cpp)
  out_stream* start_stream(out_streams& of, int process, const envelope& who, wire_large& starting) noexcept;
  [[nodiscard]] bool has_room_for_streams(const out_streams& of, int process, std::uint32_t new_ones) const noexcept;
  out_stream& add_stream(out_streams& of, int process, const envelope& who) noexcept;
  [[nodiscard]] std::uint32_t number_of(const message_stream& one) const noexcept;
  in_stream& add_stream(in_link& link, const wire_envelope& what, std::uint32_t number);
  bool was_expected(in_link& link, const wire_envelope& what, const std::byte* payload);
  [[nodiscard]] bool may_expect(in_link& link, in_stream& next, std::size_t capacity, ring& way);
  remote_payload& start_expecting(rank_context& by, int from, in_stream& next, void* into);
  void post_expected(remote_payload& expected);
  void announce(in_link& link, remote_payload& expected, const wire_envelope& what);
  void hold(in_link& link, remote_payload& by);
  void end_hold(remote_payload& by);
  void one_hold_less() noexcept;
  void give_up(remote_payload& expected);
  void give_up_all();
  void expected_done(remote_payload& expected);

  // cancelled sends (gateway_cancel.cpp)
  void hear_of(std::uint32_t number, wire_kind what);
  void answer_asked_back(int process, std::uint32_t number);
  [[nodiscard]] bool take_back(int process, std::uint32_t number);
  bool take_back_waiting(local_end& end, int process, std::uint32_t number);
  void drop(remote_payload& payload);
  void forget(remote_payload& payload);

  // for ranks that compute (gateway_progress.cpp)
  void receive_unrequested();

  // control messages, and what is on its way (match/gateway_control.cpp)
  void send_letters();
  void control_arrived(int from_process, const wire_envelope& what, const std::byte* payload);
  [[nodiscard]] messages_under_way count_messages(std::span<const int> of, std::span<const held_elsewhere> held) const;
  [[nodiscard]] bool are_unwanted(std::span<const held_elsewhere> held) const;

  // the end (gateway.cpp)
  bool move_end_on();
  [[nodiscard]] bool has_nothing_to_send() const noexcept;
  [[nodiscard]] bool all_have_arrived() const noexcept;
  void drop_unreceived();

  network& network_;
  job* job_ = nullptr;
  /// Of the payloads that travel with their envelopes. A fast network copies a larger one at once to where it belongs.
  const std::size_t largest_inside_;
  const std::size_t largest_inside_if_fast_;
  std::size_t ring_bytes_ = 0;
  std::vector<early_packet> early_;
  special_ways ways_;
  bool is_checked_ = false;                       // PURE_CHECK
  std::vector<std::unique_ptr<send_log>> calls_;  // by sender; made before its first message is handed over

  std::vector<std::unique_ptr<local_end>> ends_;  // by index
  network_lock lock_;
  send_pace pace_;
  alignas(pair_bytes) std::atomic<bool> has_work_{false};

  // --- by the holder of the network lock ---
  alignas(pair_bytes) bool has_unfinished_ = false;  // some end has to be looked at again
  rank_context* polls_ = nullptr;                    // the holder itself, where its receives may end
  observed_count polls_of_ranks_;
  std::vector<peer> peers_of_;  // by process
  std::vector<int> being_packed_;
  packet_pool packets_;
  std::unordered_map<std::uint32_t, open_send> open_sends_;  // by number
  std::vector<decltype(open_sends_)::node_type> free_sends_;
  std::uint32_t next_number_ = 0;
  observed_count payloads_on_their_way_;  // both ways
  std::size_t holds_ = 0;                 // of all links
  std::size_t expected_ = 0;              // receives of messages that are, or were, expected
  std::vector<in_link*> runs_;
  std::size_t runs_without_receive_ = 0;
  std::size_t incomplete_runs_ = 0;                          // whose end has come, and not all messages
  std::vector<std::pair<int, std::uint32_t>> asked_behind_;  // messages that may wait behind them: process and number
  handed_over_messages handed_over_;
  std::deque<std::pair<int, wire_envelope>> answers_;  // for which there was no room
  payload_pool payloads_;
  std::size_t unrequested_bytes_ = 0;  // of those among them that were received before somebody asked
  std::int64_t next_look_ns_ = 0;      // for more of these
  control_channel control_;

  // --- the end ---
  enum class end_step { mains_run, gathering, counting, draining, leaving, ended };
  std::atomic<bool> own_mains_ended_{false};
  end_step step_ = end_step::mains_run;
  gateway_operation under_way_{gateway_operation::kind::step};
  bool is_step_done_ = false;
  std::vector<std::uint64_t> sent_to_all_;  // packets, by receiver: of this process, then of all together
  std::atomic<bool> has_ended_{false};
};

}  // namespace pure::core
