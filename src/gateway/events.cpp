// The gateway, what the network reports: to the parts that it is for.
#include <bit>
#include <utility>

#include "gateway/gateway.hpp"

namespace pure::core {

void gateway::message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) {
  context_.pace.has_heard();
  if (tag != envelope_cache::none) [[likely]]
    return bare_message_arrived(from_process, tag, data, bytes);
  packet_arrived(from_process, data, bytes);
}

[[gnu::noinline]] void gateway::packet_arrived(int from_process, const std::byte* data, std::size_t bytes) {
  peer& from = context_.peer_of(from_process);
  ++from.arrived;
  wire_reader entries(data, bytes);
  from.dealt_with_by_it = entries.seen_since(from.dealt_with_by_it);
  wire_envelope what;
  const std::byte* payload = nullptr;
  std::optional<wire_note> note;  // of the next message
  while (entries.next(what, payload)) {
    if (what.kind == wire_kind::eager && !note) [[likely]] {
      if (what.number != envelope_cache::none) learn_tag(from_process, what);
      in_.hand_over(in_.link_of(what), from_process, what, std::nullopt, payload);
      continue;
    }
    switch (what.kind) {
      case wire_kind::matched:
      case wire_kind::cancelled:
      case wire_kind::not_cancelled: out_.hear_of(what.number, what.kind); break;
      case wire_kind::cancel: in_.answer_asked_back(from_process, what.number); break;
      case wire_kind::control_message: control_arrived(from_process, what, payload); break;
      case wire_kind::text: texts_.hear_text(from_process, what, payload); break;
      case wire_kind::note: note = std::bit_cast<wire_note>(what); break;
      case wire_kind::run_begins:
      case wire_kind::run_stream:
      case wire_kind::run_ends: runs_.entry_of_run(in_.link_of(what), from_process, what); break;
      case wire_kind::run_unwanted: streams_.avoid_runs(from_process, what.number); break;
      case wire_kind::nothing: break;
      default:
        if (!what.carries_payload()) from.last_large = from.arrived;
        in_.hand_over(in_.link_of(what), from_process, what, std::exchange(note, std::nullopt), payload);
    }
  }
  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;
  if (!entries.is_whole()) context_.damaged(from_process);
}

/// What messages are that come under that tag.
void gateway::learn_tag(int from_process, const wire_envelope& what) {
  if (what.number > static_cast<std::uint32_t>(context_.largest_tag())) return context_.damaged(from_process);
  std::vector<known_envelope>& known = context_.peer_of(from_process).known;
  const std::size_t number = envelope_cache::number_of(static_cast<int>(what.number));
  if (known.size() <= number) known.resize(number + 1);
  known[number] = {&in_.link_of(what), what};
}

void gateway::bare_message_arrived(int from_process, int tag, const std::byte* payload, std::size_t bytes) {
  peer& from = context_.peer_of(from_process);
  ++from.arrived;
  const std::size_t number = envelope_cache::number_of(tag);
  if (number >= from.known.size() || from.known[number].link == nullptr) return context_.damaged(from_process);
  known_envelope& known = from.known[number];
  if (envelope_cache::is_of_next(tag)) known.what.who.tag += envelope_cache::stride;
  in_link& link = *known.link;
  if (!link.streams.empty()) {
    in_.hand_over(link, from_process, known.with(bytes), std::nullopt, payload);
  } else if (!in_.give_now(link, known.what.who, payload, bytes)) {
    in_.leave_for_receiver(link, from_process, known.with(bytes), std::nullopt, payload);
  }
  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;
}

void gateway::operation_done(network_operation& done) {
  auto& ended = *static_cast<gateway_operation*>(done.owner);
  switch (ended.what) {
    case gateway_operation::kind::packet: return packets_.has_left(static_cast<packet&>(ended));
    case gateway_operation::kind::payload_out:
      --context_.payloads_on_their_way;
      return out_.payload_has_left(static_cast<open_send&>(ended));
    case gateway_operation::kind::payload_in: {
      auto& come = static_cast<remote_payload&>(ended);
      if (come.state.load(std::memory_order_relaxed) != remote_payload::expectation::none) return foreseen_.done(come);
      --context_.payloads_on_their_way;
      return payloads_.has_come(come);
    }
    case gateway_operation::kind::step: return end_.step_is_done();
  }
}

}  // namespace pure::core
