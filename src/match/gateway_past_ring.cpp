// The gateway, messages out that leave at once, past their ranks' rings: the turn was free, and nothing was before
// them.
#include <memory>
#include <utility>

#include "match/gateway.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// Refused if the message has to wait behind others or for room, or is too large for a packet and cannot be lent.
gateway::departure gateway::send_past_ring(out_link& link, const envelope& who, const void* data, std::size_t bytes,
                                           send_op* lender) {
  if (link.messages.front() != nullptr || step_ > end_step::meeting) return departure::refused;
  if (bytes > most_inside_now()) {
    return lender == nullptr ? departure::refused : send_large_past_ring(link, *lender);
  }
  peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  const bare_message bare{who, data, bytes, lender};
  const bool is_in_run = link.streams.run != nullptr;
  if (is_in_run && goes_on_with_run(to, link, bare)) return send_in_run(to, link, bare);
  if (to.open != nullptr) return departure::refused;  // something is before it
  const int tag = link.tags.find(who);
  bool is_run = false;  // from the next one on
  if (tag != envelope_tags::none && !is_in_run && !to.has_to_be_told()) [[likely]] {
    if (bytes >= streams::shortest_of_run) {
      is_run = may_begin_run(to, link, tag, bare);
    } else {
      link.streams.alike.interrupt();
    }
    if (!is_run) return send_bare(to, link, tag, bare);
  }
  if (is_in_run && bytes > most_inside_now() - sizeof(wire_envelope)) return departure::refused;
  std::unique_ptr<packet> alone = new_packet(to);
  if (alone == nullptr) return departure::refused;
  wire_envelope what = link.envelope_of(who);
  what.bytes = bytes;
  what.number = static_cast<std::uint32_t>(tag != envelope_tags::none ? tag : new_tag(to, link, who));
  out_stream* const run = is_run ? &begin_run(link, what, *alone) : nullptr;
  const alike_messages alike = link.streams.alike;  // it has left alone
  copy_payload(alone->add(what, link.streams), data, bytes);
  link.streams.run = run;
  link.streams.alike = alike;
  send_packet(to, link.process, std::move(alone));
  return departure::sent;
}

/// As its record would leave (forward_large), which one does that may be of a run, or leaves soon after another.
gateway::departure gateway::send_large_past_ring(out_link& link, send_op& op) {
  peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  if (link.streams.run != nullptr) {
    const bare_message bare{op.who, op.data, op.bytes, &op};
    return op.is_blocking && goes_on_with_run(to, link, bare) ? send_in_run(to, link, bare) : departure::refused;
  }
  if (pace_.is_too_soon()) return departure::refused;
  const bool is_alone = to.open == nullptr;
  const bool is_run = is_alone && may_begin_run_of_large(to, link, op);  // from the next one on
  outgoing message{.what = link.envelope_of(op.who), .note = std::nullopt, .streams = &link.streams};
  message.what.bytes = op.bytes;
  const std::size_t begins = is_run ? sizeof(wire_envelope) : 0;
  packet* const into = room_for(link.process, begins + message.bytes_before_payload() + sizeof(wire_large));
  if (into == nullptr) return departure::refused;
  const claim_reference claim(*op.claim, false);
  static_cast<void>(claim.hold());  // nobody else knows of it
  op.meeting.open(*link.end.rank, op.data, op.bytes);
  open_send& made = open_large(link.end, link.process, claim, op);
  message.what.number = made.number;
  out_stream* const run = is_run ? &begin_run(link, message.what, *into) : nullptr;
  const alike_messages alike = link.streams.alike;
  send_apart(made, message, op.meeting.data(), *into, !is_run);
  if (is_alone) link.streams.alike = alike;
  link.streams.run = run;
  send_off();
  return departure::held;
}

/// A message whose envelope the tag says.
gateway::departure gateway::send_bare(peer& to, out_link& link, int tag, const bare_message& what) {
  packet* const by = first_free_packet();
  if (by == nullptr) return departure::refused;
  if (!link.streams.empty()) link.streams.count(what.who, to.sent + 1);
  ++to.sent;
  return send_without_envelope(link, *by, what, tag, false);
}

/// From its sender's buffer, if that may be lent. But while other sends are under way in the network, which then does
/// not look at once whether it is done with this one, it is copied for a sender that waits for nothing else. (Nor does
/// it look where receives are under way: but who sends then mostly waits for both.) `by`: the first free packet.
gateway::departure gateway::send_without_envelope(out_link& link, packet& by, const bare_message& what, int tag,
                                                  bool is_in_run) {
  const bool is_network_idle = packets_on_their_way_ == 0 && payloads_on_their_way_.read() == 0;
  const bool is_large = has_to_be_lent(what.bytes);
  const bool is_copied = !is_large && (what.lender == nullptr || (what.lender->is_blocking && !is_network_idle));
  if (is_copied) copy_payload(by.buffer.get(), what.data, what.bytes);
  const void* const row = is_copied ? by.buffer.get() : what.data;
  const auto send = [&] {
    return is_in_run ? network_.send_short(by.going, link.process, tag, row, what.bytes)
                     : network_.send_message(by.going, link.process, tag, row, what.bytes);
  };
  if (what.bytes > most_inside_now() ? send() : pace_.measured(what.bytes, send)) return departure::sent;
  ++packets_on_their_way_;
  static_cast<void>(take_free_packet().release());
  if (is_copied) return departure::sent;
  by.lender = what.lender;
  if (!what.is_lent_already) what.lender->meeting.open(*link.end.rank, what.data, what.bytes);
  return departure::lent;
}

/// For an envelope that has none; none: there are no more.
int gateway::new_tag(peer& to, out_link& link, const envelope& who) noexcept {
  if (!link.tags.has_any()) {
    if (to.pairs_with_tags == envelope_tags::most_pairs(network_.peers().largest_tag)) return envelope_tags::none;
    link.tags.set_pair(to.pairs_with_tags++);
  }
  return link.tags.give(who);
}

}  // namespace pure::core
