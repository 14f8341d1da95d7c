#include "aggregation/outgoing_packets.hpp"

#include <new>
#include <utility>

namespace pure::core {

namespace {

/// Under a lock: nobody else writes it.
void add(std::atomic<std::size_t>& to, std::size_t amount) noexcept {
  to.store(to.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}
void take(std::atomic<std::size_t>& from, std::size_t amount) noexcept {
  from.store(from.load(std::memory_order_relaxed) - amount, std::memory_order_relaxed);
}

packet_node node_of(std::vector<std::byte> bytes, int by) {
  packet_node packet;
  packet.push_back({std::move(bytes), by});
  return packet;
}

}  // namespace

outgoing_packets::outgoing_packets(const aggregation_layout& layout, const part_members& members,
                                   const channel_records& channels, item_transport* transport)
    : layout_(layout),
      members_(members),
      channels_(channels),
      transport_(transport),
      ways_(static_cast<std::size_t>(layout.processes())),
      waiting_bytes_(members.size()) {}

packet_node outgoing_packets::prepare(int process, std::size_t channel, int by) {
  packet_node packet = node_of({}, by);
  way& there = to(process);
  const std::lock_guard lock(queueing_);
  for (; there.told_channels <= channel; ++there.told_channels)
    append(there, node_of(packet_of_channel(there.told_channels, channels_.at(there.told_channels)), nobody));
  return packet;
}

void outgoing_packets::queue_items(int process, packet_node packet) noexcept {
  packets_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(queueing_);
  append(to(process), std::move(packet));
}

void outgoing_packets::send_control(int process, std::vector<std::byte> bytes) {
  packet_node packet = node_of(std::move(bytes), nobody);
  {
    const std::lock_guard lock(queueing_);
    append(to(process), std::move(packet));
  }
  serve(process);
}

/// Under the lock.
void outgoing_packets::append(way& there, packet_node packet) noexcept {
  const outgoing_packet& last = packet.front();
  if (last.by != nobody) add(waiting_bytes_[static_cast<std::size_t>(last.by)], last.bytes.size());
  add(there.count, 1);
  add(waiting_count_, 1);
  there.waiting.splice(there.waiting.end(), packet);
}

outgoing_packets::outcome outgoing_packets::offer(int process, const outgoing_packet& packet) noexcept {
  try {
    return transport_->try_send(process, packet.bytes) ? outcome::left : outcome::no_room;
  } catch (const std::bad_alloc&) {
    return outcome::no_memory;
  }
}

/// Under the lock.
void outgoing_packets::note_left(way& there, const outgoing_packet& packet) noexcept {
  take(there.count, 1);
  take(waiting_count_, 1);
  if (packet.by == nobody) return;
  take(waiting_bytes_[static_cast<std::size_t>(packet.by)], packet.bytes.size());
  members_.at(packet.by).notify();  // it may wait for room
}

/// True if a packet has left.
bool outgoing_packets::serve(int process, bool& lacks_memory) noexcept {
  way& there = to(process);
  std::unique_lock lock(queueing_);
  if (there.is_served) {
    there.is_asked = true;
    return false;
  }
  there.is_served = true;
  int sent = 0;
  bool has_passed_on = false;
  for (packet_node offered; !there.waiting.empty() && sent < most_at_once; ++sent) {
    offered.splice(offered.end(), there.waiting, there.waiting.begin());
    lock.unlock();
    const outcome its = offer(process, offered.front());
    lock.lock();
    if (its != outcome::left) {
      there.waiting.splice(there.waiting.begin(), offered);
      lacks_memory = its == outcome::no_memory;
      break;
    }
    note_left(there, offered.front());
    has_passed_on |= waiting(process) == most_passed_on;
    offered.clear();
  }
  there.is_served = false;
  const bool has_to_tell = std::exchange(there.is_asked, false) || sent == most_at_once;
  lock.unlock();
  if (has_to_tell) members_.notify_all();  // they try again in their waits
  if (has_passed_on) tell_whose_items_are_passed_on();
  return sent > 0;
}

void outgoing_packets::tell_whose_items_are_passed_on() noexcept {
  if (layout_.routes().are_direct()) return;
  for (int process = 0; process < layout_.processes(); ++process) transport_->has_handled(process);
}

bool outgoing_packets::ask_whether_all_is_sent() noexcept {
  if (has_sent_all()) [[likely]]
    return true;
  const std::lock_guard lock(queueing_);
  for (way& each : ways_) each.is_asked |= each.count.load(std::memory_order_relaxed) > 0;
  return has_sent_all();
}

void outgoing_packets::serve(int process) noexcept {
  bool lacks_memory = false;
  serve(process, lacks_memory);
  if (lacks_memory) members_.notify_all();  // they try again in their waits; of room the transport tells
}

bool outgoing_packets::try_again() {
  if (has_sent_all()) [[likely]]
    return false;
  bool has_moved = false;
  for (int process = 0; process < layout_.processes(); ++process) {
    if (waiting(process) == 0) continue;
    bool lacks_memory = false;
    has_moved |= serve(process, lacks_memory);
    if (lacks_memory) throw std::bad_alloc();
  }
  return has_moved;
}

outgoing_packets::queue outgoing_packets::queue_for(int process, std::size_t most) noexcept {
  if (waiting(process) <= most) [[likely]]
    return queue::is_short;
  way& there = to(process);
  const std::lock_guard lock(queueing_);
  if (waiting(process) <= most) return queue::is_short;
  there.is_asked |= there.is_served;
  return there.is_served ? queue::is_served : queue::is_long;
}

bool outgoing_packets::has_passed_on(int from) const noexcept {
  if (has_sent_all() || layout_.routes().are_direct()) [[likely]]
    return true;
  for (int next = 0; next < layout_.processes(); ++next) {
    if (waiting(next) > most_passed_on && layout_.routes().may_pass_on(from, next)) return false;
  }
  return true;
}

void outgoing_packets::add_open_accounts(open_accounts& to) const {
  to.add("packets that wait for the network", waiting_count_.load(std::memory_order_relaxed));
  for (const way& each : ways_) to.add("packets that wait for one process", each.count.load(std::memory_order_relaxed));
  for (const std::atomic<std::size_t>& each : waiting_bytes_)
    to.add("bytes of packets that wait for the network", each.load(std::memory_order_relaxed));
}

}  // namespace pure::core
