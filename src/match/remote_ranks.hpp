// The ranks of other processes, as matching knows them: where messages for them are left, what becomes of these, and
// how the bytes of large ones are had. The layer above implements it (gateway/gateway.hpp); a job of one process has
// none.
//
// By the rank that a call is for, on its own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "match/arriving_message.hpp"
#include "match/send_op.hpp"
#include "runtime/job.hpp"
#include "runtime/other_processes.hpp"
#include "transport/ring.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

class send_log;
struct unreceived_message;

/// Where a rank of this process leaves its messages to one of another process, and what it notifies then.
struct outbound_ring : notified {
  ring messages;

 protected:
  outbound_ring(int from_rank, std::size_t bytes) : notified(elsewhere), messages(from_rank, bytes) {}
  ~outbound_ring() = default;
};

/// Whose buffer the network may keep for some time: nobody's, and then the message has to be copied; a send's, or that
/// of a call that blocks and has no send_op, for its message mostly leaves at once.
struct buffer_lender {
  send_op* op = nullptr;     // null, and it blocks: the rank's own call (remote_ranks::has_own_buffer)
  bool is_blocking = false;  // nobody can cancel it, and its call waits for nothing else

  explicit operator bool() const noexcept { return op != nullptr || is_blocking; }
};

/// A message that may travel without its envelope: plain, and in a row.
struct bare_message {
  const envelope& who;
  const void* data;
  std::size_t bytes;
  buffer_lender lender = {};
  bool is_lent_already = false;  // its record was in the ring
};

/// A message whose envelope is that of another one of its pair but for a tag so much further, which comes next, travels
/// without it, as one with the same envelope does: whoever numbers messages by their tags takes such steps.
inline constexpr std::int32_t cheap_tag_stride = 32;

class remote_ranks : public other_processes {
 public:
  using other_processes::other_processes;

  /// Of a job of several processes; null otherwise.
  static remote_ranks* of(const job& which) noexcept { return static_cast<remote_ranks*>(which.others()); }

  /// Of `from`, of this process, to rank `to` of another one. Once for each pair.
  virtual outbound_ring& connect(const rank_context& from, int to) = 0;

  /// What has become of a message: nothing; its sender may use its buffer again; or only when its `rendezvous` is
  /// finished, lent: it cannot be cancelled, held: it can, as one that has left by its ring.
  enum class departure : std::uint8_t { refused, sent, lent, held };
  /// Sends a message of the rank whose ring `from` is, past the ring, if nothing is before it, and the network is free
  /// and takes it. The network may keep the buffer of a lender, until the rendezvous of its send is finished, or,
  /// without one, has_own_buffer(). A send's claim is open; only such a message may be held.
  virtual departure send_now(outbound_ring& from, const bare_message& what) noexcept = 0;
  /// Whether what was lent by the call that `by` is in is its own again.
  [[nodiscard]] virtual bool has_own_buffer(const rank_context& by) const noexcept = 0;

  /// Receives the bytes of a message that has matched: into `into`, or else `kept`, of which the receiver has said what
  /// it wants. The receiver is notified when they are there.
  virtual void request(arriving_message& wanted) noexcept = 0;
  /// Posts the receive of the next message of rank `from` to `by` with that context and tag, into `capacity` bytes from
  /// `into`, before it is known; null: it is not known how, or something is before it. By a rank that has posted a
  /// receive for it, the first that matches, and has found nothing for that in `way`, the ring of the pair. It tells by
  /// `state` what has come of it, and is then given back by release().
  virtual arriving_message* expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                                   std::size_t capacity, ring& way) noexcept = 0;
  /// Decides what an expected message is: it has come, or will not come to that memory. By its receiver.
  virtual void stop_expecting(arriving_message& expected) noexcept = 0;
  /// The receiver needs it no more.
  virtual void release(arriving_message& received) noexcept = 0;

  /// A receive of `by` has taken the claim of a synchronous message, which is short.
  virtual void has_matched(const rank_context& by, const claim_reference& its) noexcept = 0;
  /// Asks for the message of that send back, which has left: the send completes either way, and its claim says how. It
  /// may be complete before anybody looks; then nothing happens.
  virtual void ask_back(const rank_context& by, const claimed_send& its) = 0;

  /// The calls that have sent messages to ranks here, of a rank of another process; null: none is known. For whoever
  /// has one of these messages.
  [[nodiscard]] virtual const send_log* calls_of(int sender) const noexcept = 0;
  /// Messages from and to `rank` that are still here when all ranks have ended. Takes them out of their rings. When no
  /// rank runs.
  virtual void add_unreceived(const rank_context& rank, std::vector<unreceived_message>& to) = 0;
};

}  // namespace pure::core
