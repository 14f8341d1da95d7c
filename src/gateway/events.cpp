// The gateway, what the network reports: to the parts that it is for.
#include <optional>
#include <utility>

#include "gateway/gateway.hpp"

namespace pure::core {

void gateway::message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) {
  context_.pace.has_heard();
  if (tag != envelope_cache::none) [[likely]]
    return bare_message_arrived(from_process, tag, data, bytes);
  packet_arrived(from_process, data, bytes);
}

namespace {

/// A function object of several: one for each kind of entry.
template <class... Each>
struct for_each_kind : Each... {
  using Each::operator()...;
};
template <class... Each>
for_each_kind(Each...) -> for_each_kind<Each...>;

}  // namespace

[[gnu::noinline]] void gateway::packet_arrived(int from_process, const std::byte* data, std::size_t bytes) {
  peer& from = context_.peer_of(from_process);
  ++from.arrived;
  wire_reader entries(data, bytes);
  from.dealt_with_by_it = entries.seen_since(from.dealt_with_by_it);
  std::optional<wire_note> note;  // of the next message
  const auto hand_over = [&](const message_entry& what, const std::byte* payload) {
    in_.hand_over(in_.link_of(what), from_process, what, std::exchange(note, std::nullopt), payload);
  };
  const for_each_kind deal_with{
      [&](const wire_eager& what, const std::byte* payload) {
        const message_entry message = message_entry::of(what);
        if (message.bare_tag != envelope_cache::none) learn_tag(from_process, message);
        hand_over(message, payload);
      },
      [&](const wire_synchronous& what, const std::byte* payload) { hand_over(message_entry::of(what), payload); },
      [&](const wire_large& what, const std::byte* payload) {
        from.last_large = from.arrived;
        hand_over(message_entry::of(what), payload);
      },
      [&](const wire_answer& what, const std::byte*) {
        if (what.tail.kind == wire_kind::cancel) {
          in_.answer_asked_back(from_process, what.send_number);
        } else {
          out_.hear_of(what.send_number, what.tail.kind);
        }
      },
      [&](const wire_text& part, const std::byte* payload) { texts_.hear_text(from_process, part, payload); },
      [&](const wire_note& what, const std::byte*) { note = what; },
      [&](const wire_control& what, const std::byte* payload) { control_arrived(from_process, what, payload); },
      [&](const wire_run_stream& what, const std::byte*) { runs_.stream_of_run(from_process, what); },
      [&](const wire_run_end& what, const std::byte*) { runs_.run_ends(from_process, what); },
      [&](const wire_run_unwanted& what, const std::byte*) { streams_.avoid_runs(from_process, what.stream); },
      [&](const wire_nothing&, const std::byte*) {},
  };
  while (entries.next(deal_with)) {
  }
  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;
  if (!entries.is_whole()) context_.damaged(from_process);
}

/// What messages are that come under that tag.
void gateway::learn_tag(int from_process, const message_entry& what) {
  if (what.bare_tag > static_cast<std::uint32_t>(context_.largest_tag())) return context_.damaged(from_process);
  std::vector<known_envelope>& known = context_.peer_of(from_process).known;
  const std::size_t number = envelope_cache::number_of(static_cast<int>(what.bare_tag));
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
    case gateway_operation::kind::announced_in:
      --context_.payloads_on_their_way;
      return payloads_.has_come(static_cast<announced_payload&>(ended));
    case gateway_operation::kind::foreseen_in: return foreseen_.done(static_cast<foreseen_receive&>(ended));
    case gateway_operation::kind::active:
      return active_payloads_.has_moved(static_cast<active_payloads::moving&>(ended));
    case gateway_operation::kind::step: return end_.operation_is_done();
  }
}

}  // namespace pure::core
