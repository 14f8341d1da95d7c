// Modelled by tests/model/network_lock.pml.
#include "gateway/outbox.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/content_hash.hpp"
#include "match/short_path.hpp"

namespace pure::core {

void outbox::adopt_announced(local_end& end) {
  for (out_link* next = end.announced.take_all(); next != nullptr; next = next->next_announced) {
    end.out.emplace_back(next);
  }
}

void outbox::list(out_link& link) noexcept {
  // acq_rel: the message before, for whoever clears the flag after; pairs with the exchange in forward_listed()
  if (!link.is_listed.exchange(true, std::memory_order_acq_rel)) link.end.with_messages.push(link);
}

void outbox::forward_from(out_link& link) {
  if (context_.step > end_step::gathering || forward_all(link)) return;
  if (!std::exchange(link.is_unfinished, true)) link.end.unfinished.push_back(&link);
  context_.say_unfinished(link.end);
}

void outbox::forward_listed(local_end& end) {
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
bool outbox::forward_all(out_link& link) {
  while (record* const leaving = link.messages.front()) {
    if (!forward(link, *leaving)) return false;
    if (link.messages.pop(*leaving)) link.end.rank->notify();
  }
  return true;
}

namespace {

/// PURE_CHECK: of what a record holds itself. A large message's buffer is the program's, who may have changed it until
/// its payload leaves, which its rank reports; the network sums what it moves (net_shm/outgoing.hpp).
std::uint32_t sum_inside(record& leaving) noexcept {
  switch (leaving.kind()) {
    case record_kind::eager: return sum_of(payload_of(leaving), leaving.bytes);
    case record_kind::synchronous: return sum_of(payload_of(leaving) + sizeof(claim_reference), leaving.bytes);
    case record_kind::moved: return sum_of(object_in(leaving).data(), object_in(leaving).bytes());
    default: return 0;
  }
}

}  // namespace

/// One record, which is popped afterwards. False if there is no room; then nothing has happened.
bool outbox::forward(out_link& link, record& leaving) {
  if (link.streams.run != nullptr && forward_in_run(link, leaving)) return true;
  local_end& end = link.end;
  const int process = link.process;
  outgoing message{
      .what = link.entry_of(leaving.who, bytes_of(leaving)), .note = std::nullopt, .streams = &link.streams};
  message.what.record_number = leaving.number;
  if ((context_.is_checked || leaving.kind() == record_kind::moved) && !texts_.describe(end, process, leaving, message))
    return false;
  const bool is_inside = may_travel_inside(message);
  const std::span<const stream_of_run> next_run = streams_.run_behind(link, leaving.who, message.what.bytes,
                                                                      !message.note && is_plain(leaving));
  const bool may_be_foreseen = next_run.empty();
  const std::size_t beginning = next_run.size() * sizeof(wire_run_stream);
  packet* const into = packets_.room_for(process, beginning + message.packet_bytes(is_inside));
  if (into == nullptr) return false;
  if (leaving.kind() == record_kind::rendezvous && !offer_in(leaving).claim.hold()) return true;  // it was cancelled
  if (context_.is_checked && message.note) message.note->sum = sum_inside(leaving);
  if (!next_run.empty()) streams_.begin_run(link, message.what, *into, next_run);
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

/// A message that nobody has to hear of, and in a row.
bool outbox::is_plain(record& leaving) noexcept {
  if (leaving.kind() != record_kind::rendezvous) return leaving.kind() == record_kind::eager;
  send_op& op = *offer_in(leaving).source.here;
  return !op.is_synchronous && op.rendezvous.data().form == nullptr;
}

/// One that had to wait in its ring. False if the run ends with it, or there is no room.
bool outbox::forward_in_run(out_link& link, record& leaving) {
  peer& to = context_.peers[static_cast<std::size_t>(link.process)];
  bare_message what{leaving.who, payload_of(leaving), bytes_of(leaving)};
  const bool is_lent = leaving.kind() == record_kind::rendezvous;
  if (!is_plain(leaving) || (!is_lent && context_.has_to_be_lent(what.bytes)) || packets_.pool().first() == nullptr)
    return false;
  if (is_lent) {
    send_op& op = *offer_in(leaving).source.here;
    what.data = op.rendezvous.data().base;
    what.is_lent_already = true;
    if (context_.has_to_be_lent(what.bytes)) what.lender = {&op, op.is_blocking};
  }
  if (!streams_.goes_on_with_run(to, link, what)) return false;
  if (is_lent && !offer_in(leaving).claim.hold()) return true;  // it was cancelled
  const departure how = send_in_run(to, link, what);
  if (is_lent && how != departure::lent) offer_in(leaving).source.here->rendezvous.give_back();
  return true;
}

void outbox::forward_synchronous(local_end& end, int process, outgoing message, record& leaving, packet& into) {
  const claim_reference claim = claim_in(leaving);
  if (!claim.hold()) return;  // it was cancelled
  open_send& made = open(&end, process);
  made.keep(claim);
  made.is_match_awaited = true;
  message.what.send_number = made.number;
  const std::byte* const payload = payload_of(leaving) + sizeof claim;
  if (!may_travel_inside(message)) return send_apart(made, message, {payload, nullptr}, into);
  message.what.is_synchronous = true;
  std::memcpy(into.add(message), payload, message.what.bytes);
}

/// Whose claim is held.
void outbox::forward_large(local_end& end, int process, outgoing message, const message_offer& offer, packet& into,
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
  message.what.send_number = made.number;
  if (!is_inside) return send_apart(made, message, data, into, may_be_foreseen);
  message.what.is_synchronous = true;
  copy_laid_out({into.add(message), nullptr}, data, 0, message.what.bytes);
}

/// An object whose ownership travels inside a process: here its bytes do, and it is destroyed.
void outbox::forward_object(int process, const outgoing& message, moved_value& object, packet& into) {
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

}  // namespace pure::core
