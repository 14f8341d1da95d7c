// What a rank of an aggregation sends to other processes.
#include <fmt/core.h>

#include <span>
#include <utility>

#include "aggregation/aggregation.hpp"
#include "aggregation/wait_kinds.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

// A packet is made ready before its items are counted as sent, and they are counted before it is handed over: where
// there is no memory for it, nothing has happened.

void aggregation::note_opened(const packet_writer& packet) noexcept {
  ++open_groups_;
  in_use_bytes_ += packet.whole_bytes();
  note_peak();
}

packet_node aggregation::packet_for(item_buffer& full, int dest, std::size_t item_bytes) {
  const item_home& there = part_.home_of(dest);
  if (there.process == part_.process()) return {};
  const items_for_rank head{.is_urgent = full.is_urgent,
                            .channel = static_cast<std::uint16_t>(full.channel),
                            .phase = static_cast<std::uint32_t>(phase_),
                            .count = static_cast<std::uint16_t>(full.count),
                            .target = static_cast<std::uint16_t>(there.index),
                            .source = static_cast<std::uint32_t>(rank_)};
  packet_node packet = part_.prepare(there.process, full.channel, index_);
  packet.front().bytes = packet_bytes(head, std::span(full.items(), full.count * item_bytes));
  return packet;
}

void aggregation::push_packet(packet_writer& packet, const item_channel& of, int next) {
  const std::size_t count = packet.size(), room = packet.is_full() ? count : packet.capacity();
  part_.send_from(packet,
                  {.channel = static_cast<std::uint16_t>(of.number()), .phase = static_cast<std::uint32_t>(phase_)},
                  next, index_, [&] {
                    --open_groups_;
                    in_use_bytes_ -= packet.whole_bytes();
                    count_sent(count, room);
                  });
  note_peak();
}

void aggregation::push_shared(const std::byte* items, std::size_t count, const item_tag& tag, const item_channel& of,
                              int next, std::size_t& taken) {
  const auto counted = [&](std::size_t now) {
    sent_ += now;
    stats_.sent += now;
    counts().publish_sent(sent_);
    taken += now;
  };
  part_.shared_of(of.number(), of.item_bytes(), next)
      .add(items, count, tag, static_cast<std::uint32_t>(phase_), false, counted,
           [&](packet_writer& full, const items_in_runs& head) {
             part_.send_from(full, head, next, index_, [&] { ++stats_.buffers; });
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
