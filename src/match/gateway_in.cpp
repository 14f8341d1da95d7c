// The gateway, messages in: from packets of the network into the rings of the ranks.
#include <fmt/core.h>

#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include <pure/detail/archive.hpp>

#include "match/gateway.hpp"
#include "match/match_engine.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"

namespace pure::core {

// ---- what the network reports ---------------------------------------------------------------------------------------

void gateway::message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) {
  pace_.has_heard();
  if (tag != envelope_cache::none) [[likely]]
    return bare_message_arrived(from_process, tag, data, bytes);
  packet_arrived(from_process, data, bytes);
}

[[gnu::noinline]] void gateway::packet_arrived(int from_process, const std::byte* data, std::size_t bytes) {
  peer& from = peers_of_[static_cast<std::size_t>(from_process)];
  ++from.arrived;
  wire_reader entries(data, bytes);
  from.dealt_with_by_it = entries.seen_since(from.dealt_with_by_it);
  wire_envelope what;
  const std::byte* payload = nullptr;
  std::optional<wire_note> note;  // of the next message
  while (entries.next(what, payload)) {
    if (what.kind == wire_kind::eager && !note) [[likely]] {
      if (what.number != envelope_cache::none) learn_tag(from_process, what);
      hand_over(link_of(what), from_process, what, std::nullopt, payload);
      continue;
    }
    switch (what.kind) {
      case wire_kind::matched:
      case wire_kind::cancelled:
      case wire_kind::not_cancelled: hear_of(what.number, what.kind); break;
      case wire_kind::cancel: answer_asked_back(from_process, what.number); break;
      case wire_kind::control_message: control_arrived(from_process, what, payload); break;
      case wire_kind::text: hear_text(from_process, what, payload); break;
      case wire_kind::note: note = std::bit_cast<wire_note>(what); break;
      case wire_kind::run_begins:
      case wire_kind::run_stream:
      case wire_kind::run_ends: entry_of_run(link_of(what), from_process, what); break;
      case wire_kind::run_unwanted: avoid_runs(from_process, what.number); break;
      case wire_kind::nothing: break;
      default:
        if (!what.carries_payload()) from.last_large = from.arrived;
        hand_over(link_of(what), from_process, what, std::exchange(note, std::nullopt), payload);
    }
  }
  if (holds_ == 0) from.dealt_with = from.arrived;
  if (!entries.is_whole()) damaged(from_process);
}

void gateway::damaged(int from_process) {
  job_->fail(fmt::format("a message of process {} to process {} is damaged, or of another version of Pure",
                         from_process, process()),
             1);
}

/// What messages are that come under that tag.
void gateway::learn_tag(int from_process, const wire_envelope& what) {
  if (what.number > static_cast<std::uint32_t>(network_.peers().largest_tag)) return damaged(from_process);
  std::vector<known_envelope>& known = peers_of_[static_cast<std::size_t>(from_process)].known;
  const std::size_t number = envelope_cache::number_of(static_cast<int>(what.number));
  if (known.size() <= number) known.resize(number + 1);
  known[number] = {&link_of(what), what};
}

void gateway::bare_message_arrived(int from_process, int tag, const std::byte* payload, std::size_t bytes) {
  peer& from = peers_of_[static_cast<std::size_t>(from_process)];
  ++from.arrived;
  const std::size_t number = envelope_cache::number_of(tag);
  if (number >= from.known.size() || from.known[number].link == nullptr) return damaged(from_process);
  known_envelope& known = from.known[number];
  if (envelope_cache::is_of_next(tag)) known.what.who.tag += envelope_cache::stride;
  in_link& link = *known.link;
  if (!link.streams.empty()) {
    hand_over(link, from_process, known.with(bytes), std::nullopt, payload);
  } else if (!give_now(link, known.what.who, payload, bytes)) {
    leave_for_receiver(link, from_process, known.with(bytes), std::nullopt, payload);
  }
  if (holds_ == 0) from.dealt_with = from.arrived;
}

void gateway::operation_done(network_operation& done) {
  auto& ended = *static_cast<gateway_operation*>(done.owner);
  switch (ended.what) {
    case gateway_operation::kind::packet: return has_left(static_cast<packet&>(ended));
    case gateway_operation::kind::payload_out: {
      auto& sent = static_cast<open_send&>(ended);
      sent.is_payload_on_its_way = false;
      --payloads_on_their_way_;
      return end_if_complete(sent);
    }
    case gateway_operation::kind::payload_in: {
      auto& come = static_cast<remote_payload&>(ended);
      if (come.state.load(std::memory_order_relaxed) != remote_payload::expectation::none) return expected_done(come);
      --payloads_on_their_way_;
      return has_come(come);
    }
    case gateway_operation::kind::step: is_step_done_ = true; return;
  }
}

void gateway::has_left(packet& full) {
  if (full.lent_by != nullptr) std::exchange(full.lent_by, nullptr)->give_back();  // and notifies
  packets_.has_left(full);
}

// ---- messages -------------------------------------------------------------------------------------------------------

gateway::in_link& gateway::link_to(int receiver, int sender) {
  local_end& end = *ends_[static_cast<std::size_t>(placement().index_of(receiver))];
  if (in_link* const there = end.in[sender]; there != nullptr) return *there;
  auto made = std::make_unique<in_link>();
  made->to = &match_engine::of(*end.rank).mail().connect(sender);
  made->end = &end;
  end.in.add(sender, made.get());
  return *made.release();
}

void gateway::hand_over(in_link& link, int process, const wire_envelope& what, const std::optional<wire_note>& note,
                        const std::byte* payload) {
  const bool may_be_of_stream = !link.streams.empty() || !what.carries_payload();
  if (may_be_of_stream && (leave_behind_run(link, what, note, payload) || was_expected(link, what, payload))) return;
  const bool is_plain = what.kind == wire_kind::eager && !note && link.stream_to_note(what.who) == nullptr;
  if (is_plain && give_now(link, what.who, payload, what.bytes)) return;
  leave_for_receiver(link, process, what, note, payload);
}

/// To the receive that waits for it, where its receiver is the one who polls, and nothing is before it. False
/// otherwise.
bool gateway::give_now(const in_link& link, const envelope& who, const std::byte* payload, std::size_t bytes) {
  return ways_.given && polls_ == link.end->rank && link.waiting.empty() && link.holds == 0 &&
         match_engine::of(*polls_).receive_now(*link.to, who, payload, bytes);
}

/// In its ring, or where it waits for room there.
void gateway::leave_for_receiver(in_link& link, int process, const wire_envelope& what,
                                 const std::optional<wire_note>& note, const std::byte* payload) {
  waiting_entry next{.what = what, .process = process, .number = what.carries_payload() ? what.payload_tag : 0};
  if (note) {
    next.object_type = text_of(process, note->object_type);
    note_call(process, link.to->source(), *note);
  }
  const std::size_t lines = lines_for(next);
  in_stream* const to_note = link.stream_to_note(what.who);
  if (!what.carries_payload()) {
    next.large = &make_payload(process, what);
    wire_large more;
    std::memcpy(&more, payload, sizeof more);
    next.number = more.record_number;
    next.large->object_type = next.object_type;
    in_stream* const its = link.streams.find(what.who);
    next.large->is_of_stream = its != nullptr;
    if (its != nullptr) its->is_noted = true;
    if (what.payload_tag >= streams::first_tag(network_.peers().largest_tag)) {
      next.large->stream = its;
      ++its->unposted;
    }
    peers_of_[static_cast<std::size_t>(process)].unposted.add(*next.large);
  } else if (lines > link.to->largest_record_lines() || to_note != nullptr) {
    next.large = &make_payload(process, what);
    next.large->kept = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
    std::memcpy(next.large->kept.get(), payload, what.bytes);
    next.large->is_here = true;
    if (to_note != nullptr) next.large->is_of_stream = to_note->is_noted = true;  // its receiver hears of the stream
  }
  if (!link.waiting.empty() || link.holds > 0 || !put(link, next, payload)) {
    if (next.large == nullptr && what.bytes > 0) {
      next.payload = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
      std::memcpy(next.payload.get(), payload, what.bytes);
    }
    if (link.waiting.empty()) link.end->full.push_back(&link);
    link.waiting.push_back(std::move(next));
    link.to->ask_for_room();
  }
  link.end->rank->notify();
}

/// What its record takes.
std::size_t gateway::lines_for(const waiting_entry& entry) noexcept {
  if (entry.large != nullptr || entry.object_type != nullptr) return 1;
  const bool is_synchronous = entry.what.kind == wire_kind::eager_synchronous;
  return record::lines_for_payload(entry.what.bytes + (is_synchronous ? sizeof(claim_reference) : 0));
}

/// Writes the message into its ring, if there is room.
bool gateway::put(in_link& link, waiting_entry& next, const std::byte* payload) {
  const wire_envelope& what = next.what;
  const bool is_synchronous = what.kind == wire_kind::eager_synchronous && next.large == nullptr;
  const std::size_t payload_at = is_synchronous ? sizeof(claim_reference) : 0;
  const std::size_t lines = lines_for(next);
  record* const place = link.to->try_reserve(lines);
  if (place == nullptr) return false;
  place->who = what.who;
  place->number = next.number;
  if (next.large != nullptr) {
    place->bytes = 0;
    const message_offer offer{claim_reference(*next.large->claim, false), {.elsewhere = next.large}, what.bytes};
    std::memcpy(payload_of(*place), &offer, sizeof offer);
    link.to->publish(*place, 1, record_kind::rendezvous);
    return true;
  }
  if (next.object_type != nullptr) {
    place->bytes = 0;
    alignas(detail::archive) std::byte object[sizeof(detail::archive)];  // the record's value destroys what is in it
    ::new (static_cast<void*>(object)) detail::archive{{payload, payload + what.bytes}, next.object_type};
    ::new (static_cast<void*>(place->payload)) moved_value(detail::operations_of_archive, object);
    link.to->publish(*place, 1, record_kind::moved);
    return true;
  }
  place->bytes = static_cast<std::uint32_t>(what.bytes);
  if (is_synchronous) {
    const claim_reference named(handed_over_.get(next.process, what.number, nullptr), false);
    std::memcpy(payload_of(*place), &named, sizeof named);
  }
  copy_payload(payload_of(*place) + payload_at, payload, what.bytes);
  link.to->publish(*place, lines, is_synchronous ? record_kind::synchronous : record_kind::eager);
  return true;
}

/// False if some still find no room.
bool gateway::put_waiting(local_end& end) {
  bool has_put = false;
  std::erase_if(end.full, [&](in_link* link) {
    if (link->holds > 0) return false;
    while (!link->waiting.empty() && put(*link, link->waiting.front(), link->waiting.front().payload.get())) {
      link->waiting.pop_front();
      has_put = true;
    }
    if (!link->waiting.empty()) link->to->ask_for_room();
    return link->waiting.empty();
  });
  if (has_put) end.rank->notify();
  return end.full.empty();
}

/// Tells the senders of synchronous messages which have matched.
void gateway::tell_matches(local_end& end) {
  handed_over* next = end.matched.take_all();
  while (next != nullptr) {
    handed_over& each = *std::exchange(next, next->next_matched);
    answer(each.process, wire_kind::matched, each.number);
    handed_over_.give_back(each);
  }
}

/// Each is told by itself: a look at all that have not matched would take as long for each of thousands.
void gateway::has_matched(const rank_context& by, const claim_reference& its) noexcept {
  local_end& end = *ends_[static_cast<std::size_t>(by.index())];
  end.matched.push(static_cast<handed_over&>(its.claim()));
  left_by_rank(end, nullptr);
}

// ---- large messages -------------------------------------------------------------------------------------------------

remote_payload& gateway::make_payload(int process, const wire_envelope& what) {
  remote_payload& made = payloads_.get();
  made.process = process;
  made.tag = static_cast<int>(what.payload_tag);
  made.bytes = what.bytes;
  made.from = static_cast<int>(what.from);
  made.message_tag = what.who.tag;
  made.is_synchronous = what.kind == wire_kind::large_synchronous || what.kind == wire_kind::eager_synchronous;
  made.number = what.number;
  made.names_send = what.names_send();
  made.claim = made.names_send ? &handed_over_.get(process, what.number, &made) : &handed_over_.get();
  return made;
}

void gateway::request(remote_payload& wanted) noexcept {
  local_end& end = *ends_[static_cast<std::size_t>(wanted.receiver->index())];
  end.requested.push(wanted);
  serve_own(end);
}

void gateway::take_requests(local_end& end) {
  remote_payload* next = end.requested.take_all();
  while (next != nullptr) {
    remote_payload& payload = *std::exchange(next, next->next_requested);
    payload.is_requested = true;
    if (payload.is_synchronous) answer(payload.process, wire_kind::matched, payload.number);
    if (payload.is_here) {
      has_come(payload);
    } else if (!payload.is_posted) {
      post(payload);
    }
  }
}

/// Posts the receive of its bytes, after those of all that were sent before it under the same tag: whoever is not
/// wanted yet comes to memory of its own.
void gateway::post(remote_payload& payload) {
  unposted_payloads& unposted = peers_of_[static_cast<std::size_t>(payload.process)].unposted;
  // Those of a stream come in turn, too, but there may be others between.
  const std::uint64_t tags = payload.stream == nullptr ? streams::first_tag(network_.peers().largest_tag) : 0;
  for (bool is_last = false; !is_last;) {
    remote_payload& oldest = unposted.oldest_with_tag_of(payload, tags);
    unposted.remove(oldest);
    if (oldest.stream != nullptr) --oldest.stream->unposted;
    is_last = &oldest == &payload;
    start_receive(oldest);
  }
}

namespace {

void fail_without_memory(job& of, int process, const remote_payload& payload) {
  const std::string whose = payload.receiver != nullptr ? fmt::format("rank {}", payload.receiver->number())
                                                        : fmt::format("process {}", process);
  of.fail(
      fmt::format("{}: out of memory: no {} bytes for a message from rank {}, tag {}, which cannot go straight into "
                  "the buffer of its receive ({} bytes of it are wanted); make that long enough, and in one row",
                  whose, payload.bytes, payload.from, payload.message_tag, payload.wanted),
      1);
}

}  // namespace

void gateway::start_receive(remote_payload& payload) {
  payload.is_posted = true;
  if (!payload.is_requested) {
    payload.is_counted = true;
    unrequested_bytes_ += payload.bytes;
  }
  std::byte* into = payload.is_requested ? payload.into : nullptr;
  if (into == nullptr) {
    payload.kept.reset(new (std::nothrow) std::byte[payload.bytes]);  // a peer has chosen how much
    if (payload.kept == nullptr) fail_without_memory(*job_, process(), payload);
    into = payload.kept.get();
  }
  if (network_.receive(payload.going, payload.process, payload.tag, into, payload.bytes)) {
    has_come(payload);
  } else {
    ++payloads_on_their_way_;
  }
}

/// It leaves the gateway.
void gateway::forget(remote_payload& payload) {
  payload.is_unreceived = false;
  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;
}

/// Its bytes are there: it is the receiver's, if that has asked for it.
void gateway::has_come(remote_payload& payload) {
  payload.is_here = true;
  if (payload.is_dropped) return drop(payload);
  if (!payload.is_requested) return;
  forget(payload);
  handed_over_.give_back(*payload.claim);
  rank_context& receiver = *payload.receiver;
  payload.has_arrived.store(true, std::memory_order_release);  // release: its bytes; pairs with test_arriving()
  receiver.notify();
}

}  // namespace pure::core
