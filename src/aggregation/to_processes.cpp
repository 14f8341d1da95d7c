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
  const item_home& there = part_.layout().home_of(dest);
  if (there.process == part_.layout().process()) return {};
  const items_for_rank head{.is_urgent = full.is_urgent,
                            .channel = static_cast<std::uint16_t>(full.channel),
                            .phase = static_cast<std::uint32_t>(phase_),
                            .count = static_cast<std::uint16_t>(full.count),
                            .target = static_cast<std::uint16_t>(there.index),
                            .source = static_cast<std::uint32_t>(rank_)};
  packet_node packet = part_.outgoing().prepare(there.process, full.channel, index_);
  packet.front().bytes = packet_bytes(head, std::span(full.items(), full.count * item_bytes));
  return packet;
}

void aggregation::push_packet(packet_writer& packet, const item_channel& of, int next) {
  const std::size_t count = packet.size(), room = packet.is_full() ? count : packet.capacity();
  outgoing_packets& outgoing = part_.outgoing();
  outgoing.queue_from(packet,
                      {.channel = static_cast<std::uint16_t>(of.number()), .phase = static_cast<std::uint32_t>(phase_)},
                      next, index_, [&] {
                        --open_groups_;
                        in_use_bytes_ -= packet.whole_bytes();
                        count_sent(count, room);
                      });
  outgoing.serve(next);
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
  part_.shared().add({.first = items,
                      .count = count,
                      .tag = tag,
                      .channel = of.number(),
                      .item_bytes = of.item_bytes(),
                      .phase = static_cast<std::uint32_t>(phase_)},
                     next, index_, counted, [&] { ++stats_.buffers; });
  note_peak();
}

void aggregation::wait_for_network(const call& by, int next) {
  const wait_subject about{.name = name_};
  const wait_reason why{
      .what = by, .waiting_for = items_handled_elsewhere, .tag = wait_reason::no_tag, .subject = &about};
  constexpr std::size_t most_waiting = 8;
  using queue = outgoing_packets::queue;
  queue its = queue::is_short;
  const auto has_had_its_turn = [&] {
    its = part_.outgoing().queue_for(next, most_waiting);
    if (its == queue::is_short) return true;
    part_.poll_transport();
    its = part_.outgoing().queue_for(next, most_waiting);
    return its != queue::is_served;
  };
  // While another rank sends them: soon over, and no reason to send off what is not full.
  wait_until(owner_, why, has_had_its_turn, while_waiting::nothing);
  const auto has_room = [&] {
    part_.poll_transport();
    return part_.outgoing().waiting(next) <= most_waiting;
  };
  if (its == queue::is_long) wait_until(owner_, why, has_room);
}

}  // namespace pure::core
