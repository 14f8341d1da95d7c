// The receiving half of a rank's match engine: what has come, what is wanted, and how the two meet (DESIGN D3).
//
// Own thread of the rank only, apart from mail(), through which senders connect. So matching takes no lock. The sending
// half is not known here: what a send has to learn, it learns by its claim, its rendezvous, or the room in its ring.
//
// Invariants: messages of one sender are matched in the order of sending, receives in the order of posting. A message
// takes the first posted receive that matches it; a receive takes the oldest unexpected message, then the oldest in the
// ring. So no posted receive that is open (expected_receives.hpp) matches an unexpected message. Neither search takes
// longer where many are posted, or unexpected
// (matching_queue.hpp).
//
// A message stays in its ring until a receive wants it or one behind it, or until its sender asks for room; then it
// becomes an unexpected message. (The functions of the short path are in short_receive.hpp.) Past a limit of unexpected
// messages a warning names their senders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/call.hpp"
#include "base/open_accounts.hpp"
#include "match/delivery.hpp"
#include "match/expected_receives.hpp"
#include "match/in_channels.hpp"
#include "match/message_terms.hpp"
#include "match/posted_receives.hpp"
#include "match/receive_op.hpp"
#include "match/unexpected_message.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class message_receiver {
 public:
  message_receiver(rank_context& self, const message_terms& terms);

  [[nodiscard]] inbox& mail() noexcept { return from_.mail(); }

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

  // ---- the rank's ----

  /// Takes messages out of their rings where receives are posted for them, or their senders ask for room.
  bool advance();
  /// Tells senders from which nothing has come since the last call that all has been received.
  void tell_idle_senders() noexcept { from_.tell_idle_senders(); }
  /// The job has failed: forgets all receives, and receives nothing more.
  void close() noexcept;

  /// What has been posted and is not complete: nothing, where a program has completed what it has started.
  void add_open_accounts(open_accounts& to) const;
  void add_unreceived(std::vector<unreceived_message>& to) { from_.add_unreceived(to); }
  [[nodiscard]] std::size_t unexpected_messages() const noexcept { return from_.unexpected().count(); }
  /// How many receives and messages matching has looked at so far.
  [[nodiscard]] std::uint64_t match_steps() const noexcept;

 private:
  void start_behind_others(receive_op& op, const call* by, bool is_request);
  bool start_checked(receive_op& op, const call& by, bool is_request);
  void poll_for(receive_op& op);
  bool test_arriving(receive_op& op);
  template <class Stop>
  bool drain(in_channel& channel, Stop stop);
  void accept(in_channel& channel, record& arrived);
  posted_receives::place find_posted(in_channel& channel, const envelope& who) noexcept;
  bool take_early(in_channel& channel, receive_op& op);
  bool take_eager(receive_op& op);
  bool take_any(in_channel& channel, receive_op& op);
  void set_aside(in_channel& channel, record& arrived);
  void warn_of_unexpected();
  unexpected_message* take_out(in_channel& channel, record& arrived);
  void deliver_short(in_channel& channel, record& arrived, const std::byte* payload, receive_op& op) noexcept;
  void deliver_from_cells(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool try_deliver_eager(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool try_deliver_other(in_channel& channel, record& arrived, receive_op& op) noexcept;
  bool try_deliver_checked(in_channel& channel, record& arrived, receive_op& op) noexcept;
  template <class Visit>
  bool any_channel(int from, Visit visit);
  record* find_in_ring(in_channel& channel, std::uint32_t context, int tag);
  bool probe_all(std::uint32_t context, int from, int tag, status& found);

  in_channels from_;
  const message_terms terms_;
  posted_receives posted_;
  rank_context& self_;
  expected_receives expected_;
  message_delivery delivery_;
};

}  // namespace pure::core
