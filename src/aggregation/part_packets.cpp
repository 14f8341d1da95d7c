// What the ranks of a process send to other ones, and what comes from there: packets.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "aggregation/aggregation_part.hpp"

namespace pure::core {

namespace {

packet_node packet_of(std::vector<std::byte> bytes) {
  packet_node packet;
  packet.push_back({std::move(bytes), aggregation_part::nobody});
  return packet;
}

std::string senseless(std::string_view what) { return fmt::format("{}: are both of the same version of Pure?", what); }

}  // namespace

void aggregation_part::send_control(int process, std::vector<std::byte> bytes) {
  const std::lock_guard lock(sending_);
  send_packet(ways_[static_cast<std::size_t>(process)], process, packet_of(std::move(bytes)));
}

packet_node aggregation_part::prepare(int process, std::size_t channel, int by) {
  packet_node packet;
  packet.push_back({{}, by});
  const std::lock_guard lock(sending_);
  way& there = ways_[static_cast<std::size_t>(process)];
  for (; there.told_channels <= channel; ++there.told_channels) {
    send_packet(there, process, packet_of(packet_of_channel(there.told_channels, channels_.at(there.told_channels))));
  }
  return packet;
}

void aggregation_part::send_items(int process, packet_node packet) noexcept {
  packets_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(sending_);
  send_packet(ways_[static_cast<std::size_t>(process)], process, std::move(packet));
}

/// Under the lock.
void aggregation_part::send_packet(way& there, int process, packet_node packet) noexcept {
  const outgoing_packet& last = packet.front();
  bool lacks_memory = false;
  try {
    if (there.waiting.empty() && transport_->try_send(process, last.bytes)) return;
  } catch (const std::bad_alloc&) {
    lacks_memory = true;
  }
  if (last.by != nobody) at(last.by).waiting_bytes.fetch_add(last.bytes.size(), std::memory_order_relaxed);
  there.count.fetch_add(1, std::memory_order_relaxed);
  waiting_count_.fetch_add(1, std::memory_order_relaxed);
  there.waiting.splice(there.waiting.end(), packet);
  if (!lacks_memory) return;  // the transport says when there is room
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();  // it tries again: poll_transport()
  }
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
      packet_node sent;
      sent.splice(sent.end(), there.waiting, there.waiting.begin());
      there.count.fetch_sub(1, std::memory_order_relaxed);
      waiting_count_.fetch_sub(1, std::memory_order_relaxed);
      has_moved = true;
      const auto& [bytes, by] = sent.front();
      if (by == nobody) continue;
      member& sender = at(by);
      sender.waiting_bytes.fetch_sub(bytes.size(), std::memory_order_relaxed);
      if (sender.owner != nullptr) sender.owner->notify();  // it may wait for room
    }
  }
  if (has_moved && !routes_.are_direct()) {  // who waits for what was passed on
    for (int process = 0; process < processes_; ++process) transport_->has_handled(process);
  }
  return has_moved;
}

bool aggregation_part::push_shared(shared_items& of, int next, bool only_passed_on) {
  return of.push_rest(only_passed_on, [&](packet_writer& writer, const items_in_runs& head) {
    send_from(writer, head, next, nobody, [] {});
  });
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
  struct visitor {
    std::string operator()(no_packet) const { return senseless("a packet is of no kind, or has not its length"); }
    std::string operator()(const items_for_rank& what, std::span<const std::byte> rest) const {
      return part.deliver_items(from, {what, rest, part.bounds()});
    }
    std::string operator()(const items_in_runs& what, std::span<const std::byte> rest) const {
      return part.deliver_items(from, {what, rest, part.bounds()});
    }
    std::string operator()(const token_packet& what, std::span<const std::byte> rest) const {
      return part.deliver_token(from, what.token, rest.empty());
    }
    std::string operator()(const phase_end_packet& what, std::span<const std::byte> rest) const {
      return part.deliver_phase_end(from, what.phase, rest.empty());
    }
    std::string operator()(const channel_packet& what, std::span<const std::byte> rest) const {
      return part.deliver_channel(what, rest);
    }
    aggregation_part& part;
    const int from;
  };
  return read_packet(packet, visitor{*this, from});
}

/// Of this process, or of one that is a phase ahead: it has learned of an end that is on its way here.
bool aggregation_part::may_be_at_work(std::uint64_t phase) const noexcept {
  const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
  return phase - ended - 1 <= 1;
}

std::string aggregation_part::deliver_token(int from, const wave_token& token, bool is_whole) {
  if (!is_whole || (from + 1) % processes_ != process_ || !may_be_at_work(token.phase) || token.wave == 0)
    return senseless("a token is not of the phase, or not of the process before this one");
  {
    const std::lock_guard lock(waving_);
    waves_.receive(token);
  }
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();  // any of them passes it on
  }
  return {};
}

std::string aggregation_part::deliver_phase_end(int from, std::uint64_t phase, bool is_whole) {
  if (!is_whole || from != 0 || phase != ended_.load(std::memory_order_relaxed) + 1)
    return senseless("a phase ends that is not the present one, or not by process 0");
  end_phase(phase);
  return {};
}

/// Comes before the first items of that channel.
std::string aggregation_part::deliver_channel(const channel_packet& what, std::span<const std::byte> rest) {
  const std::optional<channel_record> told = channel_told_by(what, rest, homes_.size());
  if (!told || what.channel > channels_.size()) return senseless("a channel is none, or none of the next");
  const std::string problem = difference(what.channel, *told, channels_.agree(what.channel, *told));
  if (problem.empty()) return {};
  return fmt::format("rank {} of aggregation \"{}\": {}", told->by, options_.name, problem);
}

/// Copies the items for each rank here together, and pushes them to it.
std::string aggregation_part::deliver_items(int from, const packet_reader& packet) {
  if (!packet.is_sound()) return senseless(packet.problem());
  if (packet.channel() >= channels_.size()) return senseless("they are of a channel of which nothing is known");
  if (channels_.at(packet.channel()).item_bytes != packet.item_bytes())
    return senseless("they have not the size of their channel's items");
  const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
  const std::uint64_t phase = ended + static_cast<std::uint32_t>(packet.phase() - static_cast<std::uint32_t>(ended));
  if (!may_be_at_work(phase)) return senseless("they are not of the phase");
  for (const item_run& each : packet.runs()) {
    if (each.tag.process != process_ && !routes_.may_pass_on(from, routes_.next(each.tag.process)))
      return senseless("some have to be passed on to where their way does not lead");
  }
  struct slice {
    item_buffer* buffer = nullptr;
    std::size_t count = 0, filled = 0;
  };
  std::vector<slice> slices(members_.size());
  struct keeper {  // without memory for all slices, none is pushed
    ~keeper() {
      for (const slice& each : all) {
        if (each.buffer == nullptr) continue;
        each.buffer->credit = nullptr;
        each.buffer->from_process = item_buffer::here;
        to.give(*each.buffer);
      }
    }
    std::vector<slice>& all;
    spare_buffers& to;
  } keeps{slices, arriving_};
  for (const item_run& each : packet.runs()) {
    if (each.tag.process == process_) slices[each.tag.target].count += each.count;
  }
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (slices[index].count > 0) slices[index].buffer = &new_slice(from, phase, index, slices[index].count, packet);
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
      pass_on(phase, packet, each, items);
    }
    items += each.count * item_bytes;
  }
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (slices[index].buffer == nullptr) continue;
    member& target = at(static_cast<int>(index));
    delivered_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_relaxed);
    target.inbox.push(*std::exchange(slices[index].buffer, nullptr));
    if (target.owner != nullptr) target.owner->notify();
  }
  return {};
}

item_buffer& aggregation_part::new_slice(int from, std::uint64_t phase, std::size_t index, std::size_t count,
                                         const packet_reader& packet) {
  const std::size_t bytes = count * packet.item_bytes() + (packet.has_several_sources() ? 1 + 2 * count : 0);
  item_buffer& slice = arriving_.take(item_buffer::class_for(std::min(bytes, item_buffer::most_bytes)));
  slice.credit = &at(static_cast<int>(index)).of_processes[static_cast<std::size_t>(from)];
  slice.from_process = from;
  slice.opened_ns = 0;
  slice.phase = phase;
  slice.count = static_cast<std::uint32_t>(count);
  slice.source = packet.has_several_sources() ? item_buffer::several_sources : packet.source();
  slice.channel = static_cast<std::uint32_t>(packet.channel());
  slice.is_urgent = packet.is_urgent();
  return slice;
}

void aggregation_part::pass_on(std::uint64_t phase, const packet_reader& packet, const item_run& run,
                               const std::byte* items) {
  const int next = routes_.next(run.tag.process);
  shared_of(packet.channel(), packet.item_bytes(), next)
      .add(
          items, run.count, run.tag, static_cast<std::uint32_t>(phase), true, [](std::size_t) {},
          [&](packet_writer& full, const items_in_runs& its) { send_from(full, its, next, nobody, [] {}); });
}

}  // namespace pure::core
