// Receives whose message is expected from another process before its envelope is here (gateway/foreseen_receives.hpp).
// Such a receive stays posted, with `arriving` set, until the gateway has said what comes of it. Own thread of the rank
// only.
//
// Invariant: a receive has `arriving` exactly while the gateway may still write to its buffer, or tell of its message.
#pragma once

#include "match/in_channels.hpp"
#include "match/message_terms.hpp"

namespace pure::core {

class expected_receives {
 public:
  expected_receives(rank_context& self, const message_terms& terms, in_channels& from) noexcept
      : self_(self), terms_(terms), from_(from) {}

  /// Of a receive that has just been posted, the only ones before it being those of `channel`, and has found no
  /// message: if the next message of its stream will match it, expects that.
  void expect_next(in_channel& channel, receive_op& op) noexcept;
  /// Whether it is a receive of that kind, or else one whose bytes have been asked for. Of one with `arriving`.
  [[nodiscard]] static bool is_expected(const receive_op& op) noexcept;
  /// Completes a receive whose expected message has come; one whose message will not come there is like others again.
  bool test(receive_op& op) noexcept;
  /// Whether a posted receive that has expected a message can have this one, which matches: not if it got the one
  /// before.
  bool is_open(receive_op& op) noexcept;
  /// After test() was false.
  [[nodiscard]] static bool may_still_match(const receive_op& op) noexcept;
  /// Expects nothing any more. False if the receive has matched.
  bool stop(receive_op& op) noexcept;

 private:
  rank_context& self_;
  const message_terms terms_;
  in_channels& from_;
};

}  // namespace pure::core
