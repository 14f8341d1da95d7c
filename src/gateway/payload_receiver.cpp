// Modelled by tests/model/streams.pml.
#include "gateway/payload_receiver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pure::core {

namespace {

void fail_without_memory(job& of, int process, const announced_payload& payload) {
  const std::string whose = payload.receiver != nullptr ? fmt::format("rank {}", payload.receiver->number())
                                                        : fmt::format("process {}", process);
  of.fail(
      fmt::format("{}: out of memory: no {} bytes for a message from rank {}, tag {}, which cannot go straight into "
                  "the buffer of its receive ({} bytes of it are wanted); make that long enough, and in one row",
                  whose, payload.bytes, payload.from, payload.message_tag, payload.wanted),
      1);
}

}  // namespace

announced_payload& payload_receiver::make(int process, const message_entry& what, stage as) {
  announced_payload& made = pool_.get();
  made.become(as);
  made.process = process;
  made.tag = static_cast<int>(what.payload_tag);
  made.bytes = what.bytes;
  made.from = what.from;
  made.message_tag = what.who.tag;
  made.is_synchronous = what.is_synchronous;
  made.number = what.send_number;
  made.names_send = what.has_send_number();
  made.claim = made.names_send ? &context_.handed_over.get(process, what.send_number, &made)
                               : &context_.handed_over.get();
  return made;
}

announced_payload& payload_receiver::announce(int process, const message_entry& what) {
  announced_payload& made = make(process, what, stage::announced);
  context_.peer_of(process).unposted.add(made);
  return made;
}

announced_payload& payload_receiver::keep(int process, const message_entry& what, const std::byte* payload) {
  announced_payload& made = make(process, what, stage::here);
  made.kept = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
  if (what.bytes > 0) std::memcpy(made.kept.get(), payload, what.bytes);
  return made;
}

void payload_receiver::take_requests(local_end& end) {
  announced_payload* next = end.requested.take_all();
  while (next != nullptr) {
    announced_payload& payload = *std::exchange(next, next->next_requested);
    if (payload.is_synchronous) packets_.answer(payload.process, wire_kind::matched, payload.number);
    switch (payload.now()) {
      case stage::here: deliver(payload); break;
      case stage::prefetching: payload.become(stage::fetching); break;
      default: post(payload, stage::fetching);
    }
  }
}

void payload_receiver::post(announced_payload& payload, stage as) {
  unposted_payloads& unposted = context_.peer_of(payload.process).unposted;
  // Payloads of a stream come in turn, too, but there may be others between.
  const std::uint64_t tags = payload.stream == nullptr ? streams::active_tag(context_.largest_tag()) : 0;
  for (bool is_last = false; !is_last;) {
    announced_payload& oldest = unposted.oldest_with_tag_of(payload, tags);
    unposted.remove(oldest);
    if (oldest.stream != nullptr) --oldest.stream->unposted;
    is_last = &oldest == &payload;
    oldest.become(is_last ? as : stage::prefetching);
    start_receive(oldest);
  }
}

void payload_receiver::post_all_of(const in_stream& stream) {
  for (const auto& each : pool_.all()) {
    if (each->is(stage::announced) && each->stream == &stream) post(*each, stage::prefetching);
  }
}

void payload_receiver::start_receive(announced_payload& payload) {
  const bool is_asked_for = payload.is(stage::fetching);
  if (!is_asked_for) {
    payload.is_counted = true;
    unrequested_bytes_ += payload.bytes;
  }
  std::byte* into = is_asked_for ? payload.into : nullptr;
  if (into == nullptr) {
    payload.kept.reset(new (std::nothrow) std::byte[payload.bytes]);  // a peer has chosen how much
    if (payload.kept == nullptr) fail_without_memory(*context_.running, context_.process, payload);
    into = payload.kept.get();
  }
  if (context_.net.receive(payload.going, payload.process, payload.tag, into, payload.bytes)) {
    has_come(payload);
  } else {
    ++context_.payloads_on_their_way;
  }
}

void payload_receiver::has_come(announced_payload& payload) {
  switch (payload.now()) {
    case stage::prefetching: return payload.become(stage::here);
    case stage::discarding: return discard(payload);
    default: deliver(payload);
  }
}

/// The payload leaves the gateway, for its receiver.
void payload_receiver::deliver(announced_payload& payload) {
  payload.become(stage::delivered);
  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;
  context_.handed_over.give_back(*payload.claim);
  rank_context& receiver = *payload.receiver;
  // release: its bytes; pairs with the acquire in message_delivery::test_requested()
  payload.has_arrived.store(true, std::memory_order_release);
  receiver.notify();
}

void payload_receiver::discard(announced_payload& payload) {
  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;
  pool_.give_back(payload);
}

void payload_receiver::drop(announced_payload& payload) {
  switch (payload.now()) {
    case stage::here: return discard(payload);
    case stage::prefetching: return payload.become(stage::discarding);
    default: post(payload, stage::discarding);
  }
}

void payload_receiver::drop_unreceived() {
  for (const auto& each : pool_.all()) {
    if (each->is(stage::announced)) post(*each, stage::prefetching);
  }
}

void payload_receiver::receive_unrequested() {
  std::vector<announced_payload*> chosen;
  for (const auto& each : pool_.all()) {
    if (each->is(stage::announced) && std::exchange(each->was_seen, true)) chosen.push_back(each.get());
  }
  for (announced_payload* const each : chosen) {
    if (!each->is(stage::announced)) continue;  // it is received with one before it
    if (unrequested_bytes_ + each->bytes <= context_.running->values().async_progress_bytes) {
      post(*each, stage::prefetching);
    }
  }
}

bool payload_receiver::are_unwanted(std::span<const held_elsewhere> held) const {
  const auto key_of = [](int process, std::uint32_t number) {
    return static_cast<std::uint64_t>(process) << 32 | number;
  };
  std::unordered_set<std::uint64_t> unwanted;
  for (const auto& each : pool_.all()) {
    if (each->is(stage::announced)) unwanted.insert(key_of(each->process, each->number));
  }
  return std::all_of(held.begin(), held.end(),
                     [&](const held_elsewhere& each) { return unwanted.contains(key_of(each.process, each.number)); });
}

void payload_receiver::add_open_accounts(open_accounts& to) const {
  to.add("unrequested bytes", unrequested_bytes_);
  const auto is_open = [](const auto& each) { return !each->is(stage::free) && !each->is(stage::delivered); };
  to.add("large messages that nobody has got",
         static_cast<std::uint64_t>(std::count_if(pool_.all().begin(), pool_.all().end(), is_open)));
}

}  // namespace pure::core
