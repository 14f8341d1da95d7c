// Messages out: sends of which somebody has to hear, until they are complete.
// Modelled by tests/model/streams.pml.
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "gateway/outbox.hpp"

namespace pure::core {

open_send& outbox::open_large(local_end& end, int process, claim_reference claim, send_op& op) {
  open_send& made = open(&end, process);
  made.keep(claim);
  made.large = &op;
  made.is_match_awaited = op.is_synchronous;
  return made;
}

/// The envelope in the packet, the payload under a tag of its own: straight from `data` if that stays where it is,
/// until `made` is complete, and in a row; else from a copy.
void outbox::send_apart(open_send& made, outgoing message, const laid_out_source& data, packet& into,
                        bool may_be_foreseen) {
  message_entry& what = message.what;
  what.is_large = true;
  what.is_synchronous = made.is_match_awaited;
  what.send_number = made.number;
  out_stream* its = message.streams->find(what.who);
  const bool is_plain = !made.is_match_awaited && !message.note && message.streams->run == nullptr;
  const std::uint64_t dealt_with = context_.peers[static_cast<std::size_t>(made.process)].dealt_with_by_it;
  if (its != nullptr && is_plain && may_be_foreseen && what.bytes <= its->limit && its->may_use_next_tag(dealt_with)) {
    what.payload_tag = its->next_tag();
  } else {
    if (its == nullptr && is_plain) its = streams_.start_stream(*message.streams, made.process, what.who, what.stream);
    what.payload_tag = next_tag(made.process);
  }
  static_cast<void>(into.add(message));
  if (its != nullptr) its->has_grown(what.bytes, context_.net.peers().piece_bytes);
  const std::byte* row = data.base;
  const bool stays = made.large != nullptr || made.object.has_object();
  if (!stays || data.form != nullptr) {
    made.packed = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
    copy_laid_out({made.packed.get(), nullptr}, data, 0, what.bytes);
    row = made.packed.get();
  }
  made.is_payload_on_its_way = !context_.net.send(made.going, made.process, static_cast<int>(what.payload_tag), row,
                                                  what.bytes);
  if (made.is_payload_on_its_way) ++context_.payloads_on_their_way;
  end_if_complete(made);
}

/// Of a payload that nobody foresees.
std::uint32_t outbox::next_tag(int process) noexcept {
  std::uint32_t& next = context_.peers[static_cast<std::size_t>(process)].next_tag;
  const std::uint32_t tag = next;
  next = tag + 1 == streams::active_tag(context_.largest_tag()) ? 0 : tag + 1;
  return tag;
}

/// Numbers are not used again for a long time: the receiver may still have a message whose send is complete.
open_send& outbox::open(local_end* end, int process) {
  const std::uint32_t number = next_number_++;
  if (!free_sends_.empty()) {
    free_sends_.back().key() = number;
    open_sends_.insert(std::move(free_sends_.back()));
    free_sends_.pop_back();
  }
  open_send& made = open_sends_[number];
  made.number = number;
  made.process = process;
  made.sender = end == nullptr ? nullptr : end->rank;
  return made;
}

void outbox::payload_has_left(open_send& sent) {
  sent.is_payload_on_its_way = false;
  end_if_complete(sent);
}

void outbox::end_if_complete(open_send& which) {
  if (which.is_payload_on_its_way || which.is_match_awaited || which.is_asked_back) return;
  if (which.is_taken_back) which.claim.take_back();
  if (which.large != nullptr) {
    which.large->rendezvous.give_back();  // and notifies
  } else if (which.claim) {
    if (!which.is_taken_back) which.claim.take_held();
    which.sender->notify();
  }
  auto ended = open_sends_.extract(which.number);
  std::destroy_at(&which);
  std::construct_at(&which);
  free_sends_.push_back(std::move(ended));
}

void outbox::take_asked_back(local_end& end) {
  if (!end.has_asked_back.load(std::memory_order_relaxed)) return;
  end.has_asked_back.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(end.asking);
  for (const claimed_send& its : end.asked_back) {
    // One that is not there any more has just completed.
    const auto sent = open_sends_.find(its.claim->number_elsewhere);
    const bool is_there = sent != open_sends_.end() && sent->second.claimed == its;
    if (!is_there || sent->second.is_asked_back) continue;
    sent->second.is_asked_back = true;
    if (sent->second.large != nullptr) streams_.keep_out_of_runs(end, *sent->second.large);
    packets_.answer(sent->second.process, wire_kind::cancel, sent->first);
  }
  end.asked_back.clear();
}

void outbox::hear_of(std::uint32_t number, wire_kind what) {
  open_send& sent = open_sends_.at(number);
  if (what != wire_kind::matched) sent.is_asked_back = false;
  if (what == wire_kind::cancelled) sent.is_taken_back = true;
  if (what != wire_kind::not_cancelled) sent.is_match_awaited = false;
  end_if_complete(sent);
}

}  // namespace pure::core
