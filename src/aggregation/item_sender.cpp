// Modelled by tests/model/termination.pml, aggregation_inbox.pml.
#include "aggregation/item_sender.hpp"

#include <fmt/core.h>

#include <memory>
#include <span>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace pure::core {

pair_credit* item_sender::new_credit(part_member& mine, std::size_t receivers) {
  mine.credit = std::make_unique<pair_credit[]>(receivers);
  return mine.credit.get();
}

item_sender::item_sender(aggregation_part& part, int index, const rank_stage& stage, const call_checks& checks,
                         spare_buffers& spare, arrival_queues& own, bool keeps_time)
    : part_(part),
      index_(index),
      stage_(stage),
      checks_(checks),
      spare_(spare),
      own_(own),
      keeps_time_(keeps_time),
      published_(part.counts().of(static_cast<std::size_t>(index))),
      memory_(part.layout().options().memory_cap, part.outgoing().waiting_bytes_of(index)),
      credits_(part.members().size(), new_credit(part.at(index), part.members().size()), memory_) {}

void item_sender::throw_no_memory(const call& by) const {
  checks_.throw_wrong(by, errc::no_memory,
                      fmt::format("there is no memory for another buffer or packet; {} of them are in use",
                                  rounded_bytes(memory_.in_use())));
}

// ---- buffers --------------------------------------------------------------------------------------------------------

item_buffer& item_sender::take_buffer(std::size_t item_bytes) {
  item_buffer& taken = spare_.take(item_buffer::class_for(item_bytes));
  memory_.open_buffer(taken.whole_bytes());
  note_peak();
  return taken;
}

void item_sender::give_back(item_buffer& unused) noexcept {
  memory_.drop_buffer(unused.whole_bytes());
  spare_.give(unused);
}

std::int64_t item_sender::time_of_opening() noexcept {
  if (!keeps_time_) return 0;
  const std::int64_t now = now_ns();
  if (oldest_open_ns_ == 0) oldest_open_ns_ = now;
  return now;
}

void item_sender::count_sent(std::size_t items, std::size_t capacity) {
  ++counts_.buffers;
  counts_.sent += items;
  counts_.room += capacity;
  if (items < capacity) ++counts_.partial;
  published_.publish_sent(counts_.sent);  // before the push: see phase_counts.hpp
}

/// A rank that has left handles nothing any more.
void item_sender::require_present(const call& by, item_buffer& pushed, int dest) {
  if (!part_.at(part_.layout().home_of(dest).index).has_left.load(std::memory_order_relaxed)) return;
  const std::uint32_t count = pushed.count;
  give_back(pushed);
  checks_.throw_wrong(by, errc::state,
                      fmt::format("{} for rank {}, which has ended its part of the aggregation: all ranks call finish "
                                  "behind the last item",
                                  counted(count, "item"), dest));
}

packet_node item_sender::packet_for(item_buffer& full, int dest, std::size_t item_bytes) {
  const item_home& there = part_.layout().home_of(dest);
  if (there.process == part_.layout().process()) return {};
  const items_for_rank head{.is_urgent = full.is_urgent,
                            .channel = static_cast<std::uint16_t>(full.channel),
                            .phase = static_cast<std::uint32_t>(stage_.phase()),
                            .count = static_cast<std::uint16_t>(full.count),
                            .target = static_cast<std::uint16_t>(there.index),
                            .source = static_cast<std::uint32_t>(checks_.rank())};
  packet_node packet = part_.outgoing().prepare(there.process, full.channel, index_);
  packet.front().bytes = packet_bytes(head, std::span(full.items(), full.count * item_bytes));
  return packet;
}

void item_sender::push(const call& by, item_buffer& pushed, int dest, std::size_t capacity, packet_node packet) {
  const item_home& there = part_.layout().home_of(dest);
  const bool is_here = there.process == part_.layout().process();
  if (is_here && part_.members().somebody_has_left()) [[unlikely]]
    require_present(by, pushed, dest);
  if (pushed.is_urgent) counts_.urgent += pushed.count;
  count_sent(pushed.count, pushed.is_urgent ? 0 : capacity);
  pushed.phase = stage_.phase();
  pushed.source = checks_.rank();
  if (!is_here) {  // scheme ww: the buffer is the packet
    part_.outgoing().send_items(there.process, std::move(packet));
    give_back(pushed);
    return note_peak();
  }

  memory_.push_buffer();
  const auto index = static_cast<std::size_t>(there.index);
  if (checks_.is_in_handler() && credits_.are_all_used(index)) ++counts_.over_credit;
  credits_.push(index, pushed);
  if (there.index == index_) return own_.accept(pushed);
  part_member& receiver = part_.at(there.index);
  receiver.inbox.push(pushed);
  receiver.owner->notify();
}

// ---- packets to other processes -------------------------------------------------------------------------------------

void item_sender::open_packet(const packet_writer& packet) noexcept {
  memory_.open_packet(packet.whole_bytes());
  note_peak();
}

void item_sender::push_packet(packet_writer& packet, std::size_t channel, int next) {
  const std::size_t count = packet.size(), room = packet.is_full() ? count : packet.capacity();
  const items_in_runs head{.channel = static_cast<std::uint16_t>(channel),
                           .phase = static_cast<std::uint32_t>(stage_.phase())};
  part_.outgoing().queue_from(packet, head, next, index_, [&] {
    memory_.push_packet(packet.whole_bytes());
    count_sent(count, room);
  });
  part_.outgoing().serve(next);
  note_peak();
}

void item_sender::push_shared(tagged_items items, int next, std::size_t& taken) {
  items.phase = static_cast<std::uint32_t>(stage_.phase());
  const auto counted = [&](std::size_t now) {
    counts_.sent += now;
    published_.publish_sent(counts_.sent);
    taken += now;
  };
  part_.shared().add(items, next, index_, counted, [&] { ++counts_.buffers; });
  note_peak();
}

// ---- what others ask ------------------------------------------------------------------------------------------------

void item_sender::add_to(aggregation_stats& stats) const noexcept {
  stats.sent = counts_.sent;
  stats.combined = counts_.combined;
  stats.urgent = counts_.urgent;
  stats.buffers = counts_.buffers;
  stats.partial = counts_.partial;
  stats.room = counts_.room;
  stats.over_credit = counts_.over_credit;
  stats.over_cap_bytes = memory_.over_cap_bytes();
  stats.peak_bytes = memory_.peak_bytes();
}

void item_sender::add_open_accounts(open_accounts& to) {
  credits_.look_at_all();
  memory_.add_open_accounts(to);
  credits_.add_open_accounts(to);
}

}  // namespace pure::core
