// The gateway, messages out that leave at once, past their ranks' rings: the turn was free, and nothing was before
// them.
#include <memory>
#include <utility>

#include "match/gateway.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// From its sender's buffer, if that may be lent. But while other sends are under way in the network, which then does
/// not look at once whether it is done with this one, it is copied for a sender that waits for nothing else. (Nor does
/// it look where receives are under way: but who sends then mostly waits for both.) `by`: the first free packet.
[[gnu::always_inline]] inline gateway::departure gateway::send_without_envelope(out_link& link, packet& by,
                                                                                const bare_message& what, int tag,
                                                                                bool is_in_run) {
  const bool is_network_idle = packets_.on_their_way() == 0 && payloads_on_their_way_.read() == 0;
  const bool is_large = has_to_be_lent(what.bytes);
  const bool is_copied = !is_large && (!what.lender || (what.lender.is_blocking && !is_network_idle));
  if (is_copied) copy_payload(by.buffer.get(), what.data, what.bytes);
  const void* const row = is_copied ? by.buffer.get() : what.data;
  const auto send = [&] {
    return is_in_run ? network_.send_short(by.going, link.process, tag, row, what.bytes)
                     : network_.send_message(by.going, link.process, tag, row, what.bytes);
  };
  if (what.bytes > most_inside_now() ? send() : pace_.measured(what.bytes, send)) return departure::sent;
  packets_.leaves(packets_.take());
  if (is_copied) return departure::sent;
  by.lent_by = what.lender.op != nullptr ? &what.lender.op->rendezvous : &link.end.blocking_send;
  if (!what.is_lent_already) by.lent_by->open(*link.end.rank, what.data, what.bytes);
  return departure::lent;
}

/// Refused if the message has to wait behind others or for room, or is too large for a packet and cannot be lent.
[[gnu::always_inline]] inline gateway::departure gateway::send_directly(out_link& link, const bare_message& what) {
  if (link.messages.front() != nullptr || step_ > end_step::gathering) return departure::refused;
  peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  const bool is_large = what.bytes > most_inside_now();
  const bool is_in_run = link.streams.run != nullptr;
  if (is_in_run && (what.lender || !has_to_be_lent(what.bytes)) && goes_on_with_run(to, link, what)) {
    return send_in_run(to, link, what);
  }
  if (is_large) {
    const bool may_leave = what.lender.op != nullptr && !is_in_run;
    return may_leave ? send_large_directly(link, *what.lender.op) : departure::refused;
  }
  if (to.open != nullptr) return departure::refused;  // something is before it
  const int tag = link.tags.find(what.who);
  const std::span<const stream_of_run> next_run = run_behind(link, what.who, what.bytes, true);
  if (!next_run.empty() || tag == envelope_cache::none || link.streams.ends_before(what.who, what.bytes) ||
      to.has_to_be_told()) {
    return send_with_envelope(to, link, tag, next_run, what);
  }
  // The tag says its envelope.
  packet* const by = packets_.first();
  if (by == nullptr) return departure::refused;
  link.tags.leaves(tag, what.who);
  ++to.sent;
  if (!link.streams.empty()) link.streams.count(what.who, to.sent);
  return send_without_envelope(link, *by, what, tag, false);
}

gateway::departure gateway::send_now(outbound_ring& from, const bare_message& what) noexcept {
  out_link& link = static_cast<out_link&>(from);
  if (what.bytes < not_packed_from() && pace_.is_too_soon()) return departure::refused;
  if (!ways_.direct) return departure::refused;
  departure its = departure::refused;
  {
    const network_visit visit(lock_);
    if (!visit) return departure::refused;
    // Before what else has been left at this end: that has been said, and is looked for below.
    its = send_directly(link, what);
  }
  serve_newcomers();
  return its;
}

/// In a packet of its own, which tells the receiver's process more: what has been dealt with here, the end of a run,
/// that one begins with the next message, or the tag of this one's envelope.
gateway::departure gateway::send_with_envelope(peer& to, out_link& link, int tag,
                                               std::span<const stream_of_run> next_run, const bare_message& what) {
  const bool has_room = what.bytes <= most_inside_now() - sizeof(wire_envelope);
  if (!has_room && link.streams.ends_before(what.who, what.bytes)) return departure::refused;
  std::unique_ptr<packet> alone = new_packet(to);
  if (alone == nullptr) return departure::refused;
  wire_envelope entry = link.envelope_of(what.who);
  entry.bytes = what.bytes;
  link.tags.leaves(tag, what.who);
  if (tag == envelope_cache::none) tag = new_tag(to, link, what.who);
  entry.number = static_cast<std::uint32_t>(envelope_cache::as_given(tag));
  if (!next_run.empty()) begin_run(link, entry, *alone, next_run);
  copy_payload(alone->add(entry, link.streams), what.data, what.bytes);
  if (!next_run.empty()) link.streams.run = &link.streams.of_run.current();
  send_packet(to, link.process, std::move(alone));
  return departure::sent;
}

/// Where the next message of the run goes.
gateway::departure gateway::send_in_run(peer& to, out_link& link, const bare_message& what) {
  packet* const by = packets_.first();
  if (by == nullptr) return departure::refused;
  out_stream& run = *link.streams.run;
  const int tag = static_cast<int>(run.next_tag());
  run.add_of_run();
  if (link.streams.of_run.size() > 1) link.streams.run = &link.streams.of_run.advance();
  ++link.streams.messages_of_run;
  ++to.sent_in_runs;
  const departure how = send_without_envelope(link, *by, what, tag, true);
  if (to.has_to_be_told()) tell(to, link.process);
  return how;
}

/// As its record would leave (forward_large), which one does that may be of a run, or leaves soon after another.
gateway::departure gateway::send_large_directly(out_link& link, send_op& op) {
  if (pace_.is_too_soon()) return departure::refused;
  const std::span<const stream_of_run> next_run = run_behind(link, op.who, op.bytes, true);
  outgoing message{.what = link.envelope_of(op.who), .note = std::nullopt, .streams = &link.streams};
  message.what.bytes = op.bytes;
  const std::size_t beginning = next_run.size() * sizeof(wire_envelope);
  packet* const into = room_for(link.process, beginning + message.bytes_before_payload() + sizeof(wire_large));
  if (into == nullptr) return departure::refused;
  const claim_reference claim(*op.claim, false);
  static_cast<void>(claim.hold());  // nobody else knows of it
  op.rendezvous.open(*link.end.rank, op.data, op.bytes);
  open_send& made = open_large(link.end, link.process, claim, op);
  message.what.number = made.number;
  if (!next_run.empty()) begin_run(link, message.what, *into, next_run);
  send_apart(made, message, op.rendezvous.data(), *into, next_run.empty());
  if (!next_run.empty()) link.streams.run = &link.streams.of_run.current();
  send_off();
  return departure::held;
}

/// For an envelope that has none; none: there are no more.
int gateway::new_tag(peer& to, out_link& link, const envelope& who) noexcept {
  if (!ways_.bare) return envelope_cache::none;
  if (!link.tags.has_any()) {
    if (to.pairs_with_tags == envelope_cache::most_pairs(network_.peers().largest_tag)) return envelope_cache::none;
    link.tags.set_pair(to.pairs_with_tags++);
  }
  return link.tags.give(who);
}

}  // namespace pure::core
