// Messages out that leave at once, past their ranks' rings: the network was free, and nothing was before them.
#include <memory>
#include <utility>

#include "gateway/outbox.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// From its sender's buffer, if that may be lent. But while other sends are under way in the network, which then does
/// not look at once whether it is done with this one, it is copied for a sender that waits for nothing else. (Nor does
/// it look where receives are under way: but who sends then mostly waits for both.) `by`: the first free packet.
[[gnu::always_inline]] inline outbox::departure outbox::send_without_envelope(out_link& link, packet& by,
                                                                              const bare_message& what, int tag,
                                                                              bool is_in_run) {
  const bool is_network_idle = packets_.on_their_way() == 0 && context_.payloads_on_their_way.read() == 0;
  const bool is_large = context_.has_to_be_lent(what.bytes);
  const bool is_copied = !is_large && (!what.lender || (what.lender.is_blocking && !is_network_idle));
  if (is_copied) copy_payload(by.buffer.get(), what.data, what.bytes);
  const void* const row = is_copied ? by.buffer.get() : what.data;
  const auto send = [&] {
    return is_in_run ? context_.net.send_short(by.going, link.process, tag, row, what.bytes)
                     : context_.net.send_message(by.going, link.process, tag, row, what.bytes);
  };
  if (what.bytes > context_.most_inside_now() ? send() : context_.pace.measured(what.bytes, send))
    return departure::sent;
  packets_.pool().leaves(packets_.pool().take());
  if (is_copied) return departure::sent;
  by.lent_by = what.lender.op != nullptr ? &what.lender.op->rendezvous : &link.end.blocking_send;
  if (!what.is_lent_already) by.lent_by->open(*link.end.rank, what.data, what.bytes);
  return departure::lent;
}

outbox::departure outbox::send_directly(out_link& link, const bare_message& what) {
  if (link.messages.front() != nullptr || context_.step > end_step::gathering) return departure::refused;
  peer& to = context_.peers[static_cast<std::size_t>(link.process)];
  const bool is_large = what.bytes > context_.most_inside_now();
  const bool is_in_run = link.streams.run != nullptr;
  if (is_in_run && (what.lender || !context_.has_to_be_lent(what.bytes)) && streams_.goes_on_with_run(to, link, what)) {
    return send_in_run(to, link, what);
  }
  if (is_large) {
    const bool may_leave = what.lender.op != nullptr && !is_in_run;
    return may_leave ? send_large_directly(link, *what.lender.op) : departure::refused;
  }
  if (to.open != nullptr) return departure::refused;  // something is before it
  const int tag = link.tags.find(what.who);
  const std::span<const stream_of_run> next_run = streams_.run_behind(link, what.who, what.bytes, true);
  if (!next_run.empty() || tag == envelope_cache::none || link.streams.ends_before(what.who, what.bytes) ||
      to.has_to_be_told()) {
    return send_with_envelope(to, link, tag, next_run, what);
  }
  // The tag says its envelope.
  packet* const by = packets_.pool().first();
  if (by == nullptr) return departure::refused;
  link.tags.leaves(tag, what.who);
  ++to.sent;
  if (!link.streams.empty()) link.streams.count(what.who, to.sent);
  return send_without_envelope(link, *by, what, tag, false);
}

/// In a packet of its own, which tells the receiver's process more: what has been dealt with here, the end of a run,
/// that one begins with the next message, or the tag of this one's envelope.
outbox::departure outbox::send_with_envelope(peer& to, out_link& link, int tag, std::span<const stream_of_run> next_run,
                                             const bare_message& what) {
  const bool has_room = what.bytes <= context_.most_inside_now() - sizeof(wire_run_end);
  if (!has_room && link.streams.ends_before(what.who, what.bytes)) return departure::refused;
  std::unique_ptr<packet> alone = packets_.new_packet(to);
  if (alone == nullptr) return departure::refused;
  message_entry entry = link.entry_of(what.who, what.bytes);
  link.tags.leaves(tag, what.who);
  if (tag == envelope_cache::none) tag = new_tag(to, link, what.who);
  entry.bare_tag = static_cast<std::uint32_t>(envelope_cache::as_given(tag));
  if (!next_run.empty()) streams_.begin_run(link, entry, *alone, next_run);
  copy_payload(alone->add(entry, link.streams), what.data, what.bytes);
  if (!next_run.empty()) link.streams.run = &link.streams.of_run.current();
  packets_.send_packet(to, link.process, std::move(alone));
  return departure::sent;
}

/// Where the next message of the run goes.
outbox::departure outbox::send_in_run(peer& to, out_link& link, const bare_message& what) {
  packet* const by = packets_.pool().first();
  if (by == nullptr) return departure::refused;
  out_stream& run = *link.streams.run;
  const int tag = static_cast<int>(run.next_tag());
  run.add_of_run();
  if (link.streams.of_run.size() > 1) link.streams.run = &link.streams.of_run.advance();
  ++link.streams.messages_of_run;
  ++to.sent_in_runs;
  const departure how = send_without_envelope(link, *by, what, tag, true);
  if (to.has_to_be_told()) packets_.tell(to, link.process);
  return how;
}

/// As its record would leave (forward_large), which one does that may be of a run, or leaves soon after another.
outbox::departure outbox::send_large_directly(out_link& link, send_op& op) {
  if (context_.pace.is_too_soon()) return departure::refused;
  const std::span<const stream_of_run> next_run = streams_.run_behind(link, op.who, op.bytes, true);
  outgoing message{.what = link.entry_of(op.who, op.bytes), .note = std::nullopt, .streams = &link.streams};
  const std::size_t beginning = next_run.size() * sizeof(wire_run_stream);
  packet* const into = packets_.room_for(link.process, beginning + message.packet_bytes(false));
  if (into == nullptr) return departure::refused;
  const claim_reference claim(*op.claim, false);
  static_cast<void>(claim.hold());  // nobody else knows of it
  op.rendezvous.open(*link.end.rank, op.data, op.bytes);
  open_send& made = open_large(link.end, link.process, claim, op);
  message.what.send_number = made.number;
  if (!next_run.empty()) streams_.begin_run(link, message.what, *into, next_run);
  send_apart(made, message, op.rendezvous.data(), *into, next_run.empty());
  if (!next_run.empty()) link.streams.run = &link.streams.of_run.current();
  packets_.send_answers();
  packets_.send_all();
  return departure::held;
}

/// For an envelope that has none; none: there are no more.
int outbox::new_tag(peer& to, out_link& link, const envelope& who) noexcept {
  if (!context_.ways.bare) return envelope_cache::none;
  if (!link.tags.has_any()) {
    if (to.pairs_with_tags == envelope_cache::most_pairs(context_.largest_tag())) return envelope_cache::none;
    link.tags.set_pair(to.pairs_with_tags++);
  }
  return link.tags.give(who);
}

}  // namespace pure::core
