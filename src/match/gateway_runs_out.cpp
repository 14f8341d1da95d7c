// The gateway, runs (gateway_runs.cpp), where they leave.
#include <memory>
#include <span>
#include <utility>

#include "match/gateway.hpp"
#include "match/short_path.hpp"

namespace pure::core {

namespace {

/// A run of so many messages of each of its streams was long.
constexpr std::uint32_t many_messages = 16;
/// So many in a row of one stream for which nothing has come: a flood.
constexpr std::uint32_t most_unanswered = 4;

}  // namespace

/// Of one that could be in a run (run_behind).
std::span<const stream_of_run> gateway::note_for_run(out_link& link, const envelope& who, std::size_t bytes) noexcept {
  out_streams& of = link.streams;
  const peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  of.note(who, bytes, to.arrived + to.arrived_in_runs);
  out_stream* const its = of.find(who);
  if (of.run != nullptr || (its != nullptr && its->avoids_run())) return {};
  // Shorter ones of several streams travel together, or take as long.
  const std::span<const stream_of_run> next = of.next_run(its, {who.tag, bytes}, not_packed_from());
  const bool is_inside = bytes <= most_inside_now();
  if (is_inside && bytes + next.size() * sizeof(wire_envelope) > most_inside_now()) return {};
  std::uint32_t new_ones = 0;
  for (const stream_of_run& one : next) {
    const out_stream* const each = of.find({.context = who.context, .source = who.source, .tag = one.tag});
    if (each == nullptr) {
      ++new_ones;
      continue;
    }
    const bool has_room = each == its || one.bytes <= each->limit;  // for a receive may be posted already
    if (!has_room || each->without_run > 0 || !each->are_tags_free_for_run(to.dealt_with_by_it)) return {};
  }
  if (new_ones > 0 && !has_room_for_streams(of, link.process, new_ones)) return {};
  return next;
}

/// With the next message in the packet, whose envelope `what` is. It begins when that has been added, which is not
/// foreseen: what came of it before the packet would be taken for the first of the run.
void gateway::begin_run(out_link& link, const wire_envelope& what, packet& in,
                        std::span<const stream_of_run> its) noexcept {
  out_streams& of = link.streams;
  of.messages_of_run = 0;
  of.of_run.clear();
  of.recent.forget();
  for (const stream_of_run& each : its) {
    wire_envelope told = what;
    told.who.tag = each.tag;
    out_stream* const known = of.find(told.who);
    out_stream& stream = known != nullptr ? *known : add_stream(of, link.process, told.who);
    stream.limit = each.bytes;
    told.kind = of.of_run.size() == 0 ? wire_kind::run_begins : wire_kind::run_stream;
    told.bytes = each.bytes;
    told.number = number_of(stream);
    told.payload_tag = static_cast<std::uint32_t>(its.size());
    of.of_run.add(stream);
    static_cast<void>(in.entries.add(told));
  }
}

/// Asked again for the same message, it may count it twice, and then ends the run sooner.
bool gateway::goes_on_with_run(const peer& to, out_link& link, const bare_message& what) noexcept {
  out_streams& of = link.streams;
  out_stream& run = *of.run;
  if (run.without_run > 0) return false;
  if (run.context != what.who.context || run.tag != what.who.tag || what.bytes > run.limit) return false;
  if (run.shortens_run(what.bytes) || !run.may_use_next_tag(to.dealt_with_by_it)) return false;
  alike_messages with_it = of.alike;
  with_it.add(run.context, what.who.tag, what.bytes, to.arrived + to.arrived_in_runs);
  if (with_it.unanswered() + 1 >= most_unanswered + of.of_run.size()) return false;
  of.alike = with_it;
  return true;
}

/// A message that nobody has to hear of, and in a row.
bool gateway::is_plain(record& leaving) noexcept {
  if (leaving.kind() != record_kind::rendezvous) return leaving.kind() == record_kind::eager;
  send_op& op = *offer_in(leaving).source.here;
  return !op.is_synchronous && op.rendezvous.data().form == nullptr;
}

/// One that had to wait in its ring. False if the run ends with it, or there is no room.
bool gateway::forward_in_run(out_link& link, record& leaving) {
  peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  bare_message what{leaving.who, payload_of(leaving), bytes_of(leaving)};
  const bool is_lent = leaving.kind() == record_kind::rendezvous;
  if (!is_plain(leaving) || (!is_lent && has_to_be_lent(what.bytes)) || packets_.first() == nullptr) return false;
  if (is_lent) {
    send_op& op = *offer_in(leaving).source.here;
    what.data = op.rendezvous.data().base;
    what.is_lent_already = true;
    if (has_to_be_lent(what.bytes)) what.lender = {&op, op.is_blocking};
  }
  if (!goes_on_with_run(to, link, what)) return false;
  if (is_lent && !offer_in(leaving).claim.hold()) return true;  // it was cancelled
  const departure how = send_in_run(to, link, what);
  if (is_lent && how != departure::lent) offer_in(leaving).source.here->rendezvous.give_back();
  return true;
}

/// What has been dealt with: messages of a run do not say it, and end with a packet of their pair.
void gateway::tell(peer& to, int process) {
  std::unique_ptr<packet> alone = new_packet(to);
  if (alone == nullptr) return;
  wire_envelope what;
  what.kind = wire_kind::nothing;
  static_cast<void>(alone->entries.add(what));
  send_packet(to, process, std::move(alone));
}

/// Those of the stream with that number.
void gateway::avoid_runs(int process, std::uint32_t number) noexcept {
  const std::uint32_t tag = streams::first_tag(network_.peers().largest_tag) + (number - 1) * streams::tags_of_each;
  for (const auto& end : ends_) {
    for (const auto& link : end->out) {
      out_stream* const its = link->process == process ? link->streams.find_by_tag(tag) : nullptr;
      if (its != nullptr) its->avoid_runs();
    }
  }
}

void packet::add_end_of_run(const wire_envelope& before, out_streams& streams) noexcept {
  wire_envelope end = before;
  end.kind = wire_kind::run_ends;
  end.number = streams.messages_of_run;
  static_cast<void>(entries.add(end));
  streams.run = nullptr;
  const bool was_long = streams.messages_of_run >= many_messages * streams.of_run.size();
  streams.had_long_run = was_long && streams.of_run.size() > 1;
  for (out_stream* const each : streams.of_run) {
    each->had_long_run = was_long && streams.of_run.size() == 1;
    each->end_run(number);
  }
}

}  // namespace pure::core
