// The end of a match: the message goes to where the receive says, or is asked for, if it is in another process.
//
// Matching is over when these are called: they look into no queue. A message that is in its ring is released; one whose
// bytes are asked for ends with test_requested(). Own thread of the receiving rank only.
#pragma once

#include <cstddef>

#include "match/in_channels.hpp"
#include "match/message_terms.hpp"
#include "match/receive_op.hpp"
#include "match/unexpected_message.hpp"
#include "transport/record.hpp"

namespace pure::core {

struct watched_delivery;

class message_delivery {
 public:
  message_delivery(rank_context& self, const message_terms& terms, in_channels& from) noexcept
      : self_(self), terms_(terms), from_(from) {}

  void deliver(in_channel& channel, record& arrived, receive_op& op);
  /// A message that is this rank's: destroys it.
  void deliver(unexpected_message& message, receive_op& op);
  /// Of a synchronous message that is short: its send is complete.
  void tell_matched(int sender, const claim_reference& claim) noexcept;
  /// Of a receive whose bytes have been asked for: true, and done, if they are here.
  bool test_requested(receive_op& op);

 private:
  void deliver_record(in_channel& channel, record& arrived, receive_op& op);
  void deliver_early(unexpected_message& message, receive_op& op);
  void deliver_bytes(const envelope& who, const void* data, std::size_t bytes, receive_op& op);
  void deliver_rendezvous(const envelope& who, const rendezvous_source& of, receive_op& op);
  void deliver_remote(const envelope& who, arriving_message& payload, receive_op& op);
  void deliver_moved(const envelope& who, moved_value& object, receive_op& op);
  void watch_delivery(receive_op& op, const watched_delivery& how);

  rank_context& self_;
  const message_terms terms_;
  in_channels& from_;
};

}  // namespace pure::core
