// Modelled by tests/model/streams.pml.
#include "gateway/payload_receiver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pure::core {

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

remote_payload& payload_receiver::make(int process, const wire_envelope& what) {
  remote_payload& made = pool_.get();
  made.process = process;
  made.tag = static_cast<int>(what.payload_tag);
  made.bytes = what.bytes;
  made.from = static_cast<int>(what.from);
  made.message_tag = what.who.tag;
  made.is_synchronous = what.kind == wire_kind::large_synchronous || what.kind == wire_kind::eager_synchronous;
  made.number = what.number;
  made.names_send = what.names_send();
  made.claim = made.names_send ? &context_.handed_over.get(process, what.number, &made) : &context_.handed_over.get();
  return made;
}

void payload_receiver::take_requests(local_end& end) {
  remote_payload* next = end.requested.take_all();
  while (next != nullptr) {
    remote_payload& payload = *std::exchange(next, next->next_requested);
    payload.is_requested = true;
    if (payload.is_synchronous) packets_.answer(payload.process, wire_kind::matched, payload.number);
    if (payload.is_here) {
      has_come(payload);
    } else if (!payload.is_posted) {
      post(payload);
    }
  }
}

void payload_receiver::post(remote_payload& payload) {
  unposted_payloads& unposted = context_.peers[static_cast<std::size_t>(payload.process)].unposted;
  // Those of a stream come in turn, too, but there may be others between.
  const std::uint64_t tags = payload.stream == nullptr ? streams::first_tag(context_.largest_tag()) : 0;
  for (bool is_last = false; !is_last;) {
    remote_payload& oldest = unposted.oldest_with_tag_of(payload, tags);
    unposted.remove(oldest);
    if (oldest.stream != nullptr) --oldest.stream->unposted;
    is_last = &oldest == &payload;
    start_receive(oldest);
  }
}

void payload_receiver::post_all_of(const in_stream& stream) {
  for (const auto& each : pool_.all()) {
    if (each->is_unreceived && each->stream == &stream && !each->is_posted && !each->is_here) post(*each);
  }
}

void payload_receiver::start_receive(remote_payload& payload) {
  payload.is_posted = true;
  if (!payload.is_requested) {
    payload.is_counted = true;
    unrequested_bytes_ += payload.bytes;
  }
  std::byte* into = payload.is_requested ? payload.into : nullptr;
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

/// It leaves the gateway.
void payload_receiver::forget(remote_payload& payload) {
  payload.is_unreceived = false;
  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;
}

void payload_receiver::has_come(remote_payload& payload) {
  payload.is_here = true;
  if (payload.is_dropped) return drop(payload);
  if (!payload.is_requested) return;
  forget(payload);
  context_.handed_over.give_back(*payload.claim);
  rank_context& receiver = *payload.receiver;
  payload.has_arrived.store(true, std::memory_order_release);  // release: its bytes; pairs with test_arriving()
  receiver.notify();
}

void payload_receiver::drop(remote_payload& payload) {
  payload.is_dropped = true;
  if (payload.is_here) {
    forget(payload);
    pool_.give_back(payload);
  } else if (!payload.is_posted) {
    post(payload);
  }
}

void payload_receiver::drop_unreceived() {
  for (const auto& each : pool_.all()) {
    if (each->is_unreceived && !each->is_posted && !each->is_here) post(*each);
  }
}

/// Starts to receive those that were there at the look before, as far as there is memory for them.
void payload_receiver::receive_unrequested() {
  std::vector<remote_payload*> chosen;
  for (const auto& each : pool_.all()) {
    if (!each->is_unreceived || each->is_posted || each->is_here || each->is_requested) continue;
    if (std::exchange(each->was_seen, true)) chosen.push_back(each.get());
  }
  for (remote_payload* const each : chosen) {
    if (each->is_posted) continue;  // with one before it
    if (unrequested_bytes_ + each->bytes <= context_.running->values().async_progress_bytes) post(*each);
  }
}

bool payload_receiver::are_unwanted(std::span<const held_elsewhere> held) const {
  const auto key_of = [](int process, std::uint32_t number) {
    return static_cast<std::uint64_t>(process) << 32 | number;
  };
  std::unordered_set<std::uint64_t> unwanted;
  for (const auto& each : pool_.all()) {
    if (each->is_unreceived && !each->is_posted && !each->is_here) unwanted.insert(key_of(each->process, each->number));
  }
  return std::all_of(held.begin(), held.end(),
                     [&](const held_elsewhere& each) { return unwanted.contains(key_of(each.process, each.number)); });
}

}  // namespace pure::core
