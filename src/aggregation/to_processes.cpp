// What a rank of an aggregation sends to other processes.
#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "aggregation/aggregation.hpp"
#include "aggregation/wait_kinds.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

void aggregation::note_opened(const packet_writer& packet) noexcept {
  ++open_groups_;
  in_use_bytes_ += packet.whole_bytes();
  note_peak();
}

/// Scheme ww: the buffer is the packet.
void aggregation::push_to_process(item_buffer& pushed, int dest, std::size_t item_bytes) {
  const item_home& there = part_.home_of(dest);
  packet_head head;
  head.is_urgent = pushed.is_urgent ? 1 : 0;
  head.channel = static_cast<std::uint16_t>(pushed.channel);
  head.phase = static_cast<std::uint32_t>(phase_);
  head.count = static_cast<std::uint16_t>(pushed.count);
  head.target = static_cast<std::uint16_t>(there.index);
  head.source = rank_;
  std::vector<std::byte> packet(sizeof head + pushed.count * item_bytes);
  std::memcpy(packet.data(), &head, sizeof head);
  std::memcpy(packet.data() + sizeof head, pushed.items(), packet.size() - sizeof head);
  part_.send_items(there.process, pushed.channel, std::move(packet), index_);
  give_back(pushed);
  note_peak();
}

void aggregation::push_packet(packet_writer& packet, const item_channel& of, int next) {
  --open_groups_;
  in_use_bytes_ -= packet.whole_bytes();
  count_sent(packet.size(), packet.is_full() ? packet.size() : packet.capacity());
  part_.send_items(next, of.number(),
                   packet.take_packet({.channel = static_cast<std::uint16_t>(of.number()),
                                       .phase = static_cast<std::uint32_t>(phase_),
                                       .source = rank_}),
                   index_);
  note_peak();
}

void aggregation::push_shared(const std::byte* items, std::size_t count, const item_tag& tag, const item_channel& of,
                              int next) {
  sent_ += count;
  stats_.sent += count;
  counts().publish_sent(sent_);
  part_.shared_of(of.number(), of.item_bytes(), next)
      .add(items, count, tag, static_cast<std::uint32_t>(phase_), false, [&](std::vector<std::byte> packet) {
        ++stats_.buffers;
        part_.send_items(next, of.number(), std::move(packet), index_);
        note_peak();
      });
}

void aggregation::wait_for_network(const call& by, int next) {
  constexpr std::size_t most_waiting = 8;
  const auto has_room = [&] {
    if (part_.waiting_packets(next) <= most_waiting) return true;
    part_.poll_transport();
    return part_.waiting_packets(next) <= most_waiting;
  };
  if (has_room()) return;
  const wait_subject about{.name = name_};
  const wait_reason why{
      .what = by, .waiting_for = items_handled_elsewhere, .tag = wait_reason::no_tag, .subject = &about};
  wait_until(owner_, why, has_room);
}

}  // namespace pure::core
