// The gateway's control messages: active messages, and those of the search for ranks that wait for ever in several
// processes (hang/coordinator.hpp), with what of some ranks' messages is still on its way.
// tests/model/hang_coordinator.pml
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gateway/gateway.hpp"

namespace pure::core {

namespace {

/// False: there is no room for it now.
bool add_to_packet(packet_sender& packets, const control_channel::piece& next) {
  packet* const into = packets.room_for(next.process, sizeof(wire_control) + wire::padded(next.bytes.size()));
  if (into == nullptr) return false;
  const wire_control what{.bytes = next.bytes.size(), .left = next.left, .handler = next.handler};
  std::memcpy(into->entries.add(what), next.bytes.data(), next.bytes.size());
  return true;
}

}  // namespace

void gateway::send_control_message(int process, std::string text) {
  if (process == this->process()) {
    control_.arrive_whole(process, std::move(text));
    context_.running->control_messages_have_come();
    return;
  }
  control_.send(process, std::move(text));
  leave_work();
}

/// As many as there is room for.
void gateway::send_control_messages() {
  if (!control_.has_unsent()) [[likely]]
    return;
  if (context_.has_stopped_sending()) {  // nothing leaves any more, and nobody waits
    for (active_payload* const each : control_.drop_unsent()) each->has_moved();
    return;
  }
  std::vector<std::pair<int, active_payload*>> payloads;  // of messages that leave
  control_.hand_out(context_.largest_inside, [&](const control_channel::piece& next) {
    if (!add_to_packet(packets_, next)) return false;
    if (next.with != nullptr) payloads.emplace_back(next.process, next.with);
    return true;
  });
  for (const auto& [process, payload] : payloads) active_payloads_.send(process, *payload);
}

void gateway::control_arrived(int from_process, const wire_control& what, const std::byte* payload) {
  const std::string_view bytes(reinterpret_cast<const char*>(payload), what.bytes);
  if (what.handler == active_message_kind::none) {
    if (control_.arrive(from_process, bytes, what.left)) context_.running->control_messages_have_come();
    return;
  }
  const std::optional<std::string_view> whole = control_.assemble(from_process, bytes, what.left);
  if (!whole.has_value()) return;
  if (!active_.handle(what.handler, from_process, std::as_bytes(std::span(*whole)))) context_.damaged(from_process);
}

/// Past the channel, if nothing is before it there and the network is free. A packet that is left open leaves with what
/// is sent next, or at the next poll.
void gateway::send_active_message(int process, active_message_kind kind, std::string bytes, active_payload* with,
                                  departs when) {
  bool has_left = false;
  if (with == nullptr) {
    const network_visit visit(lock_);
    has_left = visit && !control_.has_unsent() && !context_.has_stopped_sending() &&
               bytes.size() <= context_.largest_inside &&
               add_to_packet(packets_, {process, bytes, 0, kind.number(), nullptr});
    if (has_left && when == departs::at_once) packets_.send_all();
  }
  if (has_left) return serve_newcomers();
  control_.send(process, std::move(bytes), kind.number(), with);
  leave_work();
}

std::optional<messages_under_way> gateway::look_at_messages(std::span<const int> of,
                                                            std::span<const held_elsewhere> held) {
  std::optional<messages_under_way> seen;
  {
    const network_visit visit(lock_);
    if (visit) {
      constexpr int most_polls = 64;  // where messages come all the time, this look is in vain
      work();
      for (int i = 0; i < most_polls && context_.net.poll(*this); ++i) work();
      seen = count_messages(of, held);
    }
  }
  serve_newcomers();
  return seen;
}

/// By the holder of the network lock, after it has done all work that there was.
messages_under_way gateway::count_messages(std::span<const int> of, std::span<const held_elsewhere> held) const {
  messages_under_way seen;
  seen.is_settled = packets_.is_empty() && !control_.has_unsent();
  std::unordered_set<const rank_context*> asked_for;
  for (const int rank : of) {
    const local_end& end = *context_.ends[static_cast<std::size_t>(context_.placement.index_of(rank))];
    asked_for.insert(end.rank);
    // acquire: what the rank has left; pairs with the release in say_work(). What it leaves in rings is said there.
    if (end.has_work.load(std::memory_order_acquire) || !end.full.empty()) seen.is_settled = false;
  }
  for (const peer& each : context_.peers) {
    seen.sent.push_back(each.sent + each.sent_in_runs);
    seen.arrived.push_back(each.arrived + each.arrived_in_runs);
  }
  out_.for_each_open([&](const open_send& each) {
    if (!asked_for.contains(each.sender)) return;
    if (each.is_asked_back) seen.is_settled = false;
    if (each.is_payload_on_its_way) seen.held.push_back({each.process, each.number});
  });
  const auto is_asked_for = [&](const rank_context* receiver) { return asked_for.contains(receiver); };
  if (payloads_.is_fetching_for(is_asked_for) || foreseen_.is_awaiting_for(is_asked_for)) seen.is_settled = false;
  if (!held.empty() && !payloads_.are_unwanted(held)) seen.is_settled = false;
  if (!active_payloads_.empty()) seen.is_settled = false;  // their receives are posted: they come
  return seen;
}

}  // namespace pure::core
