// Probes and matched probes: what a receive would match, before it is posted (MPI 4.1, 3.8).
// Modelled by tests/model/send_claim.pml.
#include "match/message_content.hpp"
#include "match/short_receive.hpp"

namespace pure::core {

/// Calls visit(channel) for the channels that a receive from `from` looks at, until it returns true. Starts elsewhere
/// each time that several senders are possible.
template <class Visit>
bool message_receiver::any_channel(int from, Visit visit) {
  if (from != any_source) return visit(from_.from(from));
  from_.adopt_announced();
  return from_.any(visit);
}

/// The first message of the ring that matches and that no posted receive takes before; those in front of it become
/// unexpected messages.
record* message_receiver::find_in_ring(in_channel& channel, std::uint32_t context, int tag) {
  while (record* const arrived = channel.from->front()) {
    const bool is_posted_for = find_posted(channel, arrived->who).at.entry != nullptr;
    if (is_posted_for || !is_wanted(arrived->who, context, tag)) {
      accept(channel, *arrived);
    } else if (const claim_reference claim = claim_in(*arrived); claim && claim.was_withdrawn()) {
      from_.pop(channel, *arrived);
    } else {
      return arrived;
    }
  }
  return nullptr;
}

bool message_receiver::probe_all(std::uint32_t context, int from, int tag, status& found) {
  return any_channel(from, [&](in_channel& channel) {
    if (const unexpected_message* const early = channel.unexpected.find(context, tag).entry) {
      found = status_of(early->who, bytes_of(*early));
      return true;
    }
    if (record* const arrived = find_in_ring(channel, context, tag)) {
      found = status_of(arrived->who, bytes_of(*arrived));
      return true;
    }
    return false;
  });
}

unexpected_message* message_receiver::take(std::uint32_t context, int from, int tag) {
  unexpected_message* taken = nullptr;
  any_channel(from, [&](in_channel& channel) {
    for (;;) {
      if (const unexpected_queue::place early = channel.unexpected.find(context, tag); early.entry != nullptr) {
        taken = &channel.unexpected.unlink(early);
      } else if (record* const arrived = find_in_ring(channel, context, tag)) {
        taken = take_out(channel, *arrived);
      } else {
        taken = nullptr;
        return false;
      }
      if (!taken->claim || taken->claim.hold()) return true;
      unexpected_message::destroy(taken);  // cancelled this moment
    }
  });
  return taken;
}

void message_receiver::receive(unexpected_message& taken, receive_op& op) {
  if (taken.claim) taken.claim.take_held();
  delivery_.deliver(taken, op);
}

}  // namespace pure::core
