// Modelled by tests/model/runs.pml.
#include "gateway/stream_sender.hpp"

namespace pure::core {

namespace {

/// So many in a row of one stream for which nothing has come: a flood.
constexpr std::uint32_t most_unanswered = 4;

}  // namespace

// ---- streams -------------------------------------------------------------------------------------------------------

out_stream* stream_sender::start_stream(out_streams& of, int process, const envelope& who,
                                        std::uint32_t& starting) noexcept {
  if (!context_.ways.foreseen || !has_room_for_streams(of, process, 1) || !of.comes_again(who)) return nullptr;
  out_stream& made = add_stream(of, process, who);
  starting = context_.number_of(made);
  return &made;
}

bool stream_sender::has_room_for_streams(const out_streams& of, int process, std::uint32_t new_ones) const noexcept {
  if (of.pair != out_streams::no_pair) return of.size() + new_ones <= streams::most_of_a_pair;
  const std::uint32_t pairs = context_.peers[static_cast<std::size_t>(process)].pairs_with_streams;
  return pairs < streams::most_pairs(context_.largest_tag());
}

out_stream& stream_sender::add_stream(out_streams& of, int process, const envelope& who) noexcept {
  if (of.pair == out_streams::no_pair) of.pair = context_.peers[static_cast<std::size_t>(process)].pairs_with_streams++;
  const std::uint32_t index = of.pair * streams::most_of_a_pair + of.size();
  return of.add(who, streams::first_tag(context_.largest_tag()) + index * streams::tags_of_each);
}

// ---- runs ----------------------------------------------------------------------------------------------------------

/// Of one that could be in a run (run_behind).
std::span<const stream_of_run> stream_sender::note_for_run(out_link& link, const envelope& who,
                                                           std::size_t bytes) noexcept {
  out_streams& of = link.streams;
  const peer& to = context_.peers[static_cast<std::size_t>(link.process)];
  of.note(who, bytes, to.arrived + to.arrived_in_runs);
  out_stream* const its = of.find(who);
  if (of.run != nullptr || (its != nullptr && its->avoids_run())) return {};
  // Shorter ones of several streams travel together, or take as long.
  const std::span<const stream_of_run> next = of.next_run(its, {who.tag, bytes}, context_.not_packed_from());
  const bool is_inside = bytes <= context_.most_inside_now();
  if (is_inside && bytes + next.size() * sizeof(wire_run_stream) > context_.most_inside_now()) return {};
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

void stream_sender::begin_run(out_link& link, const message_entry& what, packet& in,
                              std::span<const stream_of_run> its) noexcept {
  out_streams& of = link.streams;
  of.messages_of_run = 0;
  of.of_run.clear();
  of.recent.forget();
  for (const stream_of_run& each : its) {
    wire_run_stream told{.limit = each.bytes,
                         .of = {what.who, static_cast<std::uint32_t>(what.to), static_cast<std::uint32_t>(what.from)},
                         .streams = static_cast<std::uint32_t>(its.size())};
    told.of.who.tag = each.tag;
    out_stream* const known = of.find(told.of.who);
    out_stream& stream = known != nullptr ? *known : add_stream(of, link.process, told.of.who);
    stream.limit = each.bytes;
    told.stream = context_.number_of(stream);
    told.tail.kind = of.of_run.size() == 0 ? wire_kind::run_begins : wire_kind::run_stream;
    of.of_run.add(stream);
    static_cast<void>(in.entries.add(told));
  }
}

bool stream_sender::goes_on_with_run(const peer& to, out_link& link, const bare_message& what) noexcept {
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

/// No runs with the stream of that number.
void stream_sender::avoid_runs(int process, std::uint32_t number) noexcept {
  const std::uint32_t tag = context_.first_tag_of(number);
  for (const auto& end : context_.ends) {
    for (const auto& link : end->out) {
      out_stream* const its = link->process == process ? link->streams.find_by_tag(tag) : nullptr;
      if (its != nullptr) its->avoid_runs();
    }
  }
}

void stream_sender::keep_out_of_runs(local_end& end, const send_op& taken_back) noexcept {
  for (const auto& link : end.out) {
    if (link->to != taken_back.to) continue;
    link->streams.alike.interrupt();
    if (out_stream* const its = link->streams.find(taken_back.who)) its->avoid_runs();
  }
}

}  // namespace pure::core
