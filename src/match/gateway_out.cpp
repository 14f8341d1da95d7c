// The gateway, messages out: from the ranks' rings into packets of the network.
// Modelled by tests/model/network_lock.pml.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "match/gateway.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"

namespace pure::core {

gateway::outbound_ring& gateway::connect(const rank_context& from, int to) {
  local_end& end = *ends_[static_cast<std::size_t>(from.index())];
  auto* const made = new out_link(*this, end, from.number(), to, placement().process_of(to), ring_bytes_);
  end.announced.push(*made);
  return *made;
}

void gateway::adopt_announced(local_end& end) {
  for (out_link* next = end.announced.take_all(); next != nullptr; next = next->next_announced) {
    end.out.emplace_back(next);
  }
}

std::byte* packet::add(const outgoing& message) noexcept {
  if (message.streams->ends_before(message.what.who, message.what.bytes)) {
    add_end_of_run(message.what, *message.streams);
  }
  if (message.note) static_cast<void>(entries.add(std::bit_cast<wire_envelope>(*message.note)));
  return add(message.what, *message.streams);
}

// ---- packets --------------------------------------------------------------------------------------------------------

/// A packet to the process with room for an entry; null if too many are on their way.
packet* gateway::room_for(int process, std::size_t entry_bytes) {
  peer& to = peers_of_[static_cast<std::size_t>(process)];
  if (to.open != nullptr) {
    if (to.open->entries.has_room_for(entry_bytes)) return to.open.get();
    send_packet(to, process, std::move(to.open));
  }
  to.open = new_packet(to);
  if (to.open == nullptr) {
    has_unfinished_ = true;
    return nullptr;
  }
  if (std::find(being_packed_.begin(), being_packed_.end(), process) == being_packed_.end()) {
    being_packed_.push_back(process);
  }
  return to.open.get();
}

/// The next one to the process, empty; null if too many are on their way.
std::unique_ptr<packet> gateway::new_packet(const peer& to) {
  packet* const made = packets_.first();
  if (made == nullptr) return nullptr;
  made->number = to.sent + 1;
  return packets_.take();
}

void gateway::send_packet(peer& to, int process, std::unique_ptr<packet> full) {
  const std::size_t bytes = full->entries.finish(to.dealt_with);
  full->entries.clear();
  to.dealt_with_as_told = to.dealt_with;
  ++to.sent;
  const auto send = [&] {
    return network_.send_message(full->going, process, envelope_cache::none, full->buffer.get(), bytes);
  };
  if (pace_.measured(bytes, send)) {
    packets_.give_back(std::move(full));
  } else {
    packets_.leaves(std::move(full));
  }
}

void gateway::send_all_packets() {
  for (const int process : being_packed_) {
    peer& to = peers_of_[static_cast<std::size_t>(process)];
    if (to.open != nullptr) send_packet(to, process, std::move(to.open));
  }
  being_packed_.clear();
}

/// Says something of a message by its number. There may be no room for it now: then later.
void gateway::answer(int process, wire_kind kind, std::uint32_t number) {
  wire_envelope what;
  what.kind = kind;
  what.number = number;
  packet* const into = answers_.empty() ? room_for(process, sizeof what) : nullptr;
  if (into == nullptr) {
    answers_.emplace_back(process, what);
  } else {
    static_cast<void>(into->entries.add(what));
  }
}

// ---- sends ----------------------------------------------------------------------------------------------------------

/// By the rank that has written a message there.
void gateway::list(out_link& link) noexcept {
  // acq_rel: the message before, for whoever clears the flag after; pairs with the exchange in forward_listed()
  if (!link.is_listed.exchange(true, std::memory_order_acq_rel)) link.end.with_messages.push(link);
}

/// What finds no room is tried again with the end's other work.
void gateway::forward_from(out_link& link) {
  if (step_ > end_step::gathering || forward_all(link)) return;
  if (!std::exchange(link.is_unfinished, true)) link.end.unfinished.push_back(&link);
  say_unfinished(link.end);
}

/// From all links of the end that have something.
void gateway::forward_listed(local_end& end) {
  std::erase_if(end.unfinished, [this](out_link* link) {
    link->is_unfinished = !forward_all(*link);
    return !link->is_unfinished;
  });
  out_link* next = end.with_messages.take_all();
  while (next != nullptr) {
    out_link& link = *std::exchange(next, next->next_listed);
    link.is_listed.exchange(false, std::memory_order_acq_rel);  // a read and a write: see list()
    forward_from(link);
  }
}

/// False if there is no room for all now.
bool gateway::forward_all(out_link& link) {
  while (record* const leaving = link.messages.front()) {
    wire_envelope what = link.envelope_of(leaving->who);
    what.payload_tag = leaving->number;
    if (!forward(link, what, *leaving)) return false;
    if (link.messages.pop(*leaving)) link.end.rank->notify();
  }
  return true;
}

/// One record, which is popped afterwards. False if there is no room; then nothing has happened.
bool gateway::forward(out_link& link, const wire_envelope& from, record& leaving) {
  if (link.streams.run != nullptr && forward_in_run(link, leaving)) return true;
  local_end& end = link.end;
  const int process = link.process;
  outgoing message{.what = from, .note = std::nullopt, .streams = &link.streams};
  message.what.bytes = bytes_of(leaving);
  if ((is_checked_ || leaving.kind() == record_kind::moved) && !describe(end, process, leaving, message)) return false;
  const bool is_inside = may_travel_inside(message);
  const std::span<const stream_of_run> next_run = run_behind(link, leaving.who, message.what.bytes,
                                                             !message.note && is_plain(leaving));
  const bool may_be_foreseen = next_run.empty();
  packet* const into = room_for(process, next_run.size() * sizeof(wire_envelope) + message.bytes_before_payload() +
                                             (is_inside ? wire::padded(message.what.bytes) : sizeof(wire_large)));
  if (into == nullptr) return false;
  if (leaving.kind() == record_kind::rendezvous && !offer_in(leaving).claim.hold()) return true;  // it was cancelled
  if (!next_run.empty()) begin_run(link, message.what, *into, next_run);
  switch (leaving.kind()) {
    case record_kind::rendezvous:
      forward_large(end, process, message, offer_in(leaving), *into, may_be_foreseen);
      break;
    case record_kind::moved: forward_object(process, message, object_in(leaving), *into); break;
    case record_kind::synchronous: forward_synchronous(end, process, message, leaving, *into); break;
    default:
      if (is_inside) {
        copy_payload(into->add(message), payload_of(leaving), message.what.bytes);
      } else {
        send_apart(open(nullptr, process), message, {payload_of(leaving), nullptr}, *into, may_be_foreseen);
      }
  }
  if (!next_run.empty()) link.streams.run = &link.streams.of_run.current();
  return true;
}

void gateway::forward_synchronous(local_end& end, int process, outgoing message, record& leaving, packet& into) {
  const claim_reference claim = claim_in(leaving);
  if (!claim.hold()) return;  // it was cancelled
  open_send& made = open(&end, process);
  made.claim = claim;
  claim.claim().number_elsewhere = made.number;
  made.is_match_awaited = true;
  message.what.number = made.number;
  const std::byte* const payload = payload_of(leaving) + sizeof claim;
  if (!may_travel_inside(message)) return send_apart(made, message, {payload, nullptr}, into);
  message.what.kind = wire_kind::eager_synchronous;
  std::memcpy(into.add(message), payload, message.what.bytes);
}

/// Whose claim is held.
void gateway::forward_large(local_end& end, int process, outgoing message, const message_offer& offer, packet& into,
                            bool may_be_foreseen) {
  send_op& op = *offer.source.here;
  const laid_out_source data = op.rendezvous.data();
  const bool is_inside = may_travel_inside(message);
  if (is_inside && !op.is_synchronous) {
    copy_laid_out({into.add(message), nullptr}, data, 0, message.what.bytes);
    op.rendezvous.give_back();
    return;
  }
  open_send& made = open_large(end, process, offer.claim, op);
  message.what.number = made.number;
  if (!is_inside) return send_apart(made, message, data, into, may_be_foreseen);
  message.what.kind = wire_kind::eager_synchronous;
  copy_laid_out({into.add(message), nullptr}, data, 0, message.what.bytes);
}

open_send& gateway::open_large(local_end& end, int process, claim_reference claim, send_op& op) {
  open_send& made = open(&end, process);
  made.claim = claim;
  claim.claim().number_elsewhere = made.number;
  made.large = &op;
  made.is_match_awaited = op.is_synchronous;
  return made;
}

/// An object whose ownership travels inside a process: here its bytes do, and it is destroyed.
void gateway::forward_object(int process, const outgoing& message, moved_value& object, packet& into) {
  if (may_travel_inside(message)) {
    std::byte* const to = into.add(message);
    if (message.what.bytes > 0) std::memcpy(to, object.data(), message.what.bytes);
    object.reset();
    return;
  }
  open_send& made = open(nullptr, process);
  made.object = std::move(object);
  send_apart(made, message, {static_cast<const std::byte*>(made.object.data()), nullptr}, into);
}

/// The envelope in the packet, the payload under a tag of its own: straight from `data` if that stays where it is,
/// until `made` is complete, and in a row; else from a copy.
void gateway::send_apart(open_send& made, outgoing message, const laid_out_source& data, packet& into,
                         bool may_be_foreseen) {
  wire_envelope& what = message.what;
  what.kind = made.is_match_awaited ? wire_kind::large_synchronous : wire_kind::large;
  what.number = made.number;
  wire_large large{.record_number = what.payload_tag};
  out_stream* its = message.streams->find(what.who);
  const bool is_plain = !made.is_match_awaited && !message.note && message.streams->run == nullptr;
  const std::uint64_t dealt_with = peers_of_[static_cast<std::size_t>(made.process)].dealt_with_by_it;
  if (its != nullptr && is_plain && may_be_foreseen && what.bytes <= its->limit && its->may_use_next_tag(dealt_with)) {
    what.payload_tag = its->next_tag();
  } else {
    if (its == nullptr && is_plain) its = start_stream(*message.streams, made.process, what.who, large);
    what.payload_tag = next_tag(made.process);
  }
  std::memcpy(into.add(message), &large, sizeof large);
  if (its != nullptr) its->has_grown(what.bytes, network_.peers().piece_bytes);
  const std::byte* row = data.base;
  const bool stays = made.large != nullptr || made.object.has_object();
  if (!stays || data.form != nullptr) {
    made.packed = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
    copy_laid_out({made.packed.get(), nullptr}, data, 0, what.bytes);
    row = made.packed.get();
  }
  made.is_payload_on_its_way = !network_.send(made.going, made.process, static_cast<int>(what.payload_tag), row,
                                              what.bytes);
  if (made.is_payload_on_its_way) ++payloads_on_their_way_;
  end_if_complete(made);
}

/// Of a payload that nobody foresees.
std::uint32_t gateway::next_tag(int process) noexcept {
  std::uint32_t& next = peers_of_[static_cast<std::size_t>(process)].next_tag;
  const std::uint32_t tag = next;
  next = tag + 1 == streams::first_tag(network_.peers().largest_tag) ? 0 : tag + 1;
  return tag;
}

/// Numbers are not used again for a long time: the receiver may still have a message whose send is complete.
open_send& gateway::open(local_end* end, int process) {
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

void gateway::end_if_complete(open_send& which) {
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

}  // namespace pure::core
