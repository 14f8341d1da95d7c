// What the ranks of a process send to other ones, and what comes from there: packets.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "aggregation/aggregation_part.hpp"

namespace pure::core {

namespace {

constexpr auto senseless = "they make no sense: are both of the same version of Pure?";

std::vector<std::byte> packet_of(const packet_head& head, std::span<const std::byte> body) {
  std::vector<std::byte> packet(sizeof head + body.size());
  std::memcpy(packet.data(), &head, sizeof head);
  std::memcpy(packet.data() + sizeof head, body.data(), body.size());
  return packet;
}

}  // namespace

void aggregation_part::send_control(int process, packet_head::kind what, std::uint64_t phase, const wave_token& token) {
  const packet_head head{.what = what, .phase = static_cast<std::uint32_t>(phase)};
  const std::lock_guard lock(sending_);
  send_packet(ways_[static_cast<std::size_t>(process)], process, packet_of(head, std::as_bytes(std::span(&token, 1))));
}

void aggregation_part::send_items(int process, std::size_t channel, std::vector<std::byte> packet, int by) {
  packets_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(sending_);
  way& there = ways_[static_cast<std::size_t>(process)];
  for (; there.told_channels <= channel; ++there.told_channels) {
    const packet_head head{.what = packet_head::kind::channel,
                           .channel = static_cast<std::uint16_t>(there.told_channels)};
    send_packet(there, process, packet_of(head, to_bytes(channels_.at(there.told_channels))));
  }
  send_packet(there, process, std::move(packet), by);
}

/// Under the lock.
void aggregation_part::send_packet(way& there, int process, std::vector<std::byte> packet, int by) {
  if (there.waiting.empty() && transport_->try_send(process, packet)) return;
  const std::size_t bytes = packet.size();
  there.waiting.push_back({std::move(packet), by});
  if (by != nobody) at(by).waiting_bytes.fetch_add(bytes, std::memory_order_relaxed);
  there.count.fetch_add(1, std::memory_order_relaxed);
  waiting_count_.fetch_add(1, std::memory_order_relaxed);
}

bool aggregation_part::poll_transport() {
  if (transport_ == nullptr) return false;
  bool has_moved = transport_->poll();
  if (has_sent_all()) [[likely]]
    return has_moved;
  const std::lock_guard lock(sending_);
  for (int process = 0; process < processes_; ++process) {
    way& there = ways_[static_cast<std::size_t>(process)];
    while (!there.waiting.empty() && transport_->try_send(process, there.waiting.front().bytes)) {
      const waiting_packet sent = std::move(there.waiting.front());
      there.waiting.pop_front();
      there.count.fetch_sub(1, std::memory_order_relaxed);
      waiting_count_.fetch_sub(1, std::memory_order_relaxed);
      has_moved = true;
      if (sent.by == nobody) continue;
      member& sender = at(sent.by);
      sender.waiting_bytes.fetch_sub(sent.bytes.size(), std::memory_order_relaxed);
      if (sender.owner != nullptr) sender.owner->notify();  // it may wait for room
    }
  }
  if (has_moved && !routes_.are_direct()) {  // who waits for what was passed on
    for (int process = 0; process < processes_; ++process) transport_->has_handled(process);
  }
  return has_moved;
}

bool aggregation_part::push_shared(shared_items& of, int next, bool only_passed_on) {
  return of.push_rest(only_passed_on,
                      [&](std::vector<std::byte> packet) { send_items(next, of.channel(), std::move(packet)); });
}

std::uint64_t aggregation_part::push_shared(bool only_passed_on) {
  if (filled_shares_.load(std::memory_order_relaxed) == 0) [[likely]]
    return 0;
  std::uint64_t packets = 0;
  for (std::size_t channel = 0;; ++channel) {
    for (int next = 0; next < processes_; ++next) {
      shared_items* found = nullptr;
      {
        const std::lock_guard lock(registering_);
        if (channel >= shared_.size()) return packets;
        found = shared_[channel][static_cast<std::size_t>(next)].get();
      }
      if (found != nullptr) packets += push_shared(*found, next, only_passed_on) ? 1 : 0;
    }
  }
}

bool aggregation_part::has_passed_on(int from) const noexcept {
  constexpr std::size_t most_waiting = 64;
  if (has_sent_all() || routes_.are_direct()) [[likely]]
    return true;
  for (int next = 0; next < processes_; ++next) {
    if (waiting_packets(next) > most_waiting && routes_.may_pass_on(from, next)) return false;
  }
  return true;
}

std::uint64_t aggregation_part::unhandled_of(int process) noexcept {
  const auto index = static_cast<std::size_t>(process);
  std::uint64_t handled = 0;
  for (const member& each : members_) handled += each.of_processes[index].given_back().buffers;
  const std::uint64_t delivered = delivered_[index].load(std::memory_order_relaxed);
  return delivered > handled ? delivered - handled : 0;
}

std::string aggregation_part::deliver(int from, std::span<const std::byte> packet) {
  packet_head head;
  if (packet.size() < sizeof head) return senseless;
  std::memcpy(&head, packet.data(), sizeof head);
  const std::span<const std::byte> body = packet.subspan(sizeof head);
  switch (head.what) {
    case packet_head::kind::phase_end: end_phase(head.phase); return {};
    case packet_head::kind::channel: return deliver_channel(head, body);
    case packet_head::kind::token: break;
    default: return deliver_items(from, head, body) ? std::string() : senseless;
  }
  wave_token token;
  if (body.size() != sizeof token) return senseless;
  std::memcpy(&token, body.data(), sizeof token);
  {
    const std::lock_guard lock(waving_);
    waves_.receive(token);
  }
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();  // any of them passes it on
  }
  return {};
}

/// Comes before the first items of that channel.
std::string aggregation_part::deliver_channel(const packet_head& head, std::span<const std::byte> body) {
  const std::optional<channel_record> told = channel_record_from(body);
  if (!told || head.channel > channels_.size()) return senseless;
  const std::string problem = difference(head.channel, *told, channels_.agree(head.channel, *told));
  if (problem.empty()) return {};
  return fmt::format("rank {} of aggregation \"{}\": {}", told->by, options_.name, problem);
}

/// Copies the items for each rank here together, and pushes them to it.
bool aggregation_part::deliver_items(int from, const packet_head& head, std::span<const std::byte> body) {
  const packet_reader packet(head, body, process_, members_.size(), static_cast<std::size_t>(processes_));
  if (head.what > packet_head::kind::hop || !packet.is_sound()) return false;
  if (head.channel >= channels_.size() || channels_.at(head.channel).item_bytes != packet.item_bytes()) return false;
  struct slice {
    item_buffer* buffer = nullptr;
    std::size_t count = 0, filled = 0;
  };
  std::vector<slice> slices(members_.size());
  for (const item_run& each : packet.runs()) {
    if (each.tag.process == process_) slices[each.tag.target].count += each.count;
  }
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (slices[index].count > 0) slices[index].buffer = &new_slice(from, head, index, slices[index].count, packet);
  }
  const std::size_t item_bytes = packet.item_bytes();
  const std::byte* items = packet.items().data();
  for (const item_run& each : packet.runs()) {
    if (each.tag.process == process_) {
      slice& to = slices[each.tag.target];
      std::memcpy(to.buffer->items() + to.filled * item_bytes, items, each.count * item_bytes);
      if (packet.has_several_sources()) {
        std::byte* const sources = to.buffer->sources(item_bytes) + 2 * to.filled;
        for (std::size_t i = 0; i < each.count; ++i) std::memcpy(sources + 2 * i, &each.tag.source, 2);
      }
      to.filled += each.count;
    } else {
      pass_on(head, packet, each, items);
    }
    items += each.count * item_bytes;
  }
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (slices[index].buffer == nullptr) continue;
    member& target = at(static_cast<int>(index));
    target.inbox.push(*slices[index].buffer);
    if (target.owner != nullptr) target.owner->notify();
  }
  return true;
}

item_buffer& aggregation_part::new_slice(int from, const packet_head& head, std::size_t index, std::size_t count,
                                         const packet_reader& packet) {
  const std::size_t bytes = count * packet.item_bytes() + (packet.has_several_sources() ? 1 + 2 * count : 0);
  item_buffer& slice = arriving_.take(item_buffer::class_for(std::min(bytes, item_buffer::most_bytes)));
  slice.credit = &at(static_cast<int>(index)).of_processes[static_cast<std::size_t>(from)];
  slice.from_process = from;
  delivered_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_relaxed);
  slice.opened_ns = 0;
  slice.phase = head.phase;
  slice.count = static_cast<std::uint32_t>(count);
  slice.source = packet.has_several_sources() ? item_buffer::several_sources : head.source;
  slice.channel = head.channel;
  slice.is_urgent = head.is_urgent != 0;
  return slice;
}

void aggregation_part::pass_on(const packet_head& head, const packet_reader& packet, const item_run& run,
                               const std::byte* items) {
  const int next = routes_.next(run.tag.process);
  shared_of(head.channel, packet.item_bytes(), next)
      .add(items, run.count, run.tag, head.phase, true,
           [&](std::vector<std::byte> full) { send_items(next, head.channel, std::move(full)); });
}

}  // namespace pure::core
