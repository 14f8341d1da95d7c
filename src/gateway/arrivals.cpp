#include "gateway/arrivals.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <pure/detail/archive.hpp>

#include "base/content_hash.hpp"
#include "gateway/foreseen_receives.hpp"
#include "gateway/run_receiver.hpp"
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/short_path.hpp"

namespace pure::core {

in_link& arrivals::link_to(int receiver, int sender) {
  local_end& end = *context_.ends[static_cast<std::size_t>(context_.placement.index_of(receiver))];
  if (in_link* const there = end.in[sender]; there != nullptr) return *there;
  auto made = std::make_unique<in_link>();
  made->to = &match_engine::of(*end.rank).receiver().mail().connect(sender);
  made->end = &end;
  end.in.add(sender, made.get());
  return *made.release();
}

void arrivals::hand_over(in_link& link, int process, const message_entry& what, const std::optional<wire_note>& note,
                         const std::byte* payload) {
  const bool may_be_of_stream = !link.streams.empty() || what.is_large;
  if (may_be_of_stream && (runs_.leave_behind_run(link, what, note, payload) || foreseen_.count_in_stream(link, what)))
    return;
  if (note && !what.is_large && note->sum != 0 && note->sum != sum_of(payload, what.bytes))
    return context_.damaged(what.from, what.to, what.who.tag, what.bytes);
  const bool is_plain = what.is_eager() && !note && link.stream_to_note(what.who) == nullptr;
  if (is_plain && give_now(link, what.who, payload, what.bytes)) return;
  leave_for_receiver(link, process, what, note, payload);
}

bool arrivals::give_now(const in_link& link, const envelope& who, const std::byte* payload, std::size_t bytes) {
  return context_.ways.given && context_.polls == link.end->rank && link.waiting.empty() && link.holds == 0 &&
         match_engine::of(*context_.polls).receiver().receive_now(*link.to, who, payload, bytes);
}

void arrivals::leave_for_receiver(in_link& link, int process, const message_entry& what,
                                  const std::optional<wire_note>& note, const std::byte* payload) {
  waiting_entry next{.what = what, .process = process};
  if (note) {
    next.object_type = texts_.text_of(process, note->object_type);
    texts_.note_call(process, link.to->source(), *note);
  }
  const std::size_t lines = lines_for(next);
  in_stream* const to_note = link.stream_to_note(what.who);
  if (what.is_large) {
    next.large = &payloads_.announce(process, what);
    next.large->object_type = next.object_type;
    in_stream* const its = link.streams.find(what.who);
    next.large->is_of_stream = its != nullptr;
    if (its != nullptr) its->is_noted = true;
    if (what.payload_tag >= streams::first_tag(context_.largest_tag())) {
      next.large->stream = its;
      ++its->unposted;
    }
  } else if (lines > link.to->largest_record_lines() || to_note != nullptr) {
    next.large = &payloads_.keep(process, what, payload);
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
std::size_t arrivals::lines_for(const waiting_entry& entry) noexcept {
  if (entry.large != nullptr || entry.object_type != nullptr) return 1;
  const bool is_synchronous = entry.what.is_synchronous;
  return record::lines_for_payload(entry.what.bytes + (is_synchronous ? sizeof(claim_reference) : 0));
}

/// Writes the message into its ring, if there is room.
bool arrivals::put(in_link& link, waiting_entry& next, const std::byte* payload) {
  const message_entry& what = next.what;
  const bool is_synchronous = what.is_synchronous && next.large == nullptr;
  const std::size_t payload_at = is_synchronous ? sizeof(claim_reference) : 0;
  const std::size_t lines = lines_for(next);
  record* const place = link.to->try_reserve(lines);
  if (place == nullptr) return false;
  place->who = what.who;
  place->number = what.record_number;
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
    ::new (static_cast<void*>(object)) detail::archive{detail::archive_bytes({payload, what.bytes}), next.object_type};
    ::new (static_cast<void*>(place->payload)) moved_value(detail::operations_of_archive, object);
    link.to->publish(*place, 1, record_kind::moved);
    return true;
  }
  place->bytes = static_cast<std::uint32_t>(what.bytes);
  if (is_synchronous) {
    const claim_reference named(context_.handed_over.get(next.process, what.send_number, nullptr), false);
    std::memcpy(payload_of(*place), &named, sizeof named);
  }
  copy_payload(payload_of(*place) + payload_at, payload, what.bytes);
  link.to->publish(*place, lines, is_synchronous ? record_kind::synchronous : record_kind::eager);
  return true;
}

/// False if some still find no room.
bool arrivals::put_waiting(local_end& end) {
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

void arrivals::tell_matches(local_end& end) {
  handed_over* next = end.matched.take_all();
  while (next != nullptr) {
    handed_over& each = *std::exchange(next, next->next_matched);
    packets_.answer(each.process, wire_kind::matched, each.number);
    context_.handed_over.give_back(each);
  }
}

// ---- sends that are asked back -------------------------------------------------------------------------------------

void arrivals::answer_asked_back(int process, std::uint32_t number) {
  if (runs_.leave_asked_back(process, number)) return;
  packets_.answer(process, take_back(process, number) ? wire_kind::cancelled : wire_kind::not_cancelled, number);
}

/// True if no receive has matched it; then none will.
bool arrivals::take_back(int process, std::uint32_t number) {
  for (const auto& end : context_.ends) {
    if (take_back_waiting(*end, process, number)) return true;
  }
  // One that was expected has no claim: it has matched.
  handed_over* const handed = context_.handed_over.find(process, number);
  if (handed == nullptr || !handed->withdraw()) return false;
  announced_payload* const large = handed->large;
  context_.handed_over.leave(*handed);
  if (large != nullptr) payloads_.drop(*large);
  return true;
}

/// The same for one that has found no room in its ring.
bool arrivals::take_back_waiting(local_end& end, int process, std::uint32_t number) {
  for (auto link = end.full.begin(); link != end.full.end(); ++link) {
    auto& waiting = (*link)->waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const waiting_entry& each) {
      return each.what.has_send_number() && each.process == process && each.what.send_number == number;
    });
    if (found == waiting.end()) continue;
    if (found->large != nullptr) {
      context_.handed_over.give_back(*found->large->claim);
      payloads_.drop(*found->large);
    }
    waiting.erase(found);
    if (waiting.empty()) end.full.erase(link);
    return true;
  }
  return false;
}

}  // namespace pure::core
