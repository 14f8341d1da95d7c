#include "aggregation/item_channel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

item_channel::item_channel(const channel_home& home, std::size_t number, const detail::channel_request& wanted)
    : home_(home), number_(number), item_bytes_(wanted.item_bytes), what_(wanted) {
  const aggregation_options& options = home.layout.options();
  adapts_ = options.buffer_bytes == 0;
  const std::size_t most = item_buffer::most_bytes / item_bytes_;
  const std::size_t wanted_items = adapts_ ? first_items : options.buffer_bytes / item_bytes_;
  const auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted_items, 1, most));
  scratch_ = make_aligned(largest_alignment + item_bytes_);
  const auto ranks = static_cast<std::size_t>(home.layout.ranks());
  is_guarded_ = what_.combine != nullptr || home.checks_sends;
  routes_.assign(ranks, closed_route());
  if (is_guarded_) guarded_.assign(ranks, closed_route());
  open_.assign(ranks, {.capacity = capacity});
  if (home.layout.groups()) make_groups(capacity);
  word_ = &channel_words::all().take(static_cast<unsigned>(home.layout.ranks()), {*home.checks.name(), number});
}

void item_channel::make_groups(std::size_t capacity) {
  const aggregation_layout& part = home_.layout;
  const aggregation_options& options = part.options();
  const packet_kind what = !part.routes().are_direct()          ? packet_kind::hop
                           : options.scheme == item_scheme::wsp ? packet_kind::wsp
                                                                : packet_kind::wps;
  // Packets of its own for all processes may take too much of its memory: those of all ranks together take less.
  const bool has_room = part.routes().next_processes() * item_buffer::most_bytes <= options.memory_cap / 2;
  chooses_ = options.scheme == item_scheme::automatic && part.shares() && has_room;
  const std::size_t fit = adapts_ ? packet_items(what, item_bytes_)
                                  : std::min(packet_items(what, item_bytes_), capacity);
  for (int next = 0; next < part.processes(); ++next) {
    groups_.emplace_back(packet_writer(what, item_bytes_, fit));
    groups_.back().is_shared = part.shares() && !chooses_;
  }
  for (int dest = 0; dest < home_.layout.ranks(); ++dest) {
    const int process = part.home_of(dest).process;
    if (process != part.process()) groups_[static_cast<std::size_t>(part.routes().next(process))].dests.push_back(dest);
  }
  // All chunks together take no more than an eighth of the cap, and those for a process no more than its packet.
  const std::size_t elsewhere = static_cast<std::size_t>(home_.layout.ranks()) - part.ranks_here().size();
  const auto others = static_cast<std::size_t>(part.processes()) - 1;
  const std::size_t of_process = (elsewhere + others - 1) / others;
  const std::size_t most = std::min(fit / of_process, options.memory_cap / 8 / (elsewhere * item_bytes_));
  chunk_items_ = std::clamp<std::size_t>(most, 1, std::min(most_chunk_items, fit));
  chunks_.resize(static_cast<std::size_t>(home_.layout.ranks()));
}

item_channel::~item_channel() {
  channel_words::all().give_back(*word_);
  for (open_buffer& each : open_) {
    if (each.buffer != nullptr) home_.sender.give_back(*each.buffer);
  }
  if (what_.destroy != nullptr) what_.destroy(what_.context);
}

bool item_channel::is_in_group(int dest) const noexcept { return !groups_.empty() && !home_.layout.is_here(dest); }

/// Of those that wait for a rank, in a buffer or in a chunk; null: there are none.
std::byte* item_channel::first_of(int dest) const noexcept {
  const auto at = static_cast<std::size_t>(dest);
  const item_route& route = is_guarded_ ? guarded_[at] : routes_[at];
  if (route.at == scratch()) return nullptr;
  return is_in_group(dest) ? chunks_[at].get() : open_[at].buffer->items();
}

std::size_t item_channel::count_of(int dest) const noexcept {
  const auto at = static_cast<std::size_t>(dest);
  const std::byte* const first = first_of(dest);
  if (first == nullptr) return 0;
  const item_route& route = is_guarded_ ? guarded_[at] : routes_[at];
  return static_cast<std::size_t>(route.at - first) / item_bytes_;
}

void item_channel::throw_no_destination(const call& by, const detail::item_sends& of, int dest) {
  if (of.has(0))
    of.channel->home_.checks.throw_wrong(
        by, errc::rank,
        fmt::format("there is no rank {}: they are 0 to {}", dest, of.channel->home_.layout.ranks() - 1));
  throw_wrong_call(by, errc::state,
                   fmt::format("{} is used after the end of the aggregation: an item for rank {} is not sent",
                               channel_words::all().name_of(of.word, of.tag), dest));
}

// ---- sending --------------------------------------------------------------------------------------------------------

void item_channel::route_is_full(const call& by, int dest) {
  item_route& route = routes_[static_cast<std::size_t>(dest)];
  route.at -= item_bytes_;  // if this throws, the item has not been sent
  home_.checks.require_sender(by);
  home_.sender.or_refuse(by, [&] {
    if (route.at == scratch()) return place(by, scratch(), dest);
    route.at += item_bytes_;
    push_full(by, dest);
  });
}

/// The item is in the scratch place, which the next send uses again.
void item_channel::place(const call& by, const std::byte* item, int dest) {
  if (what_.combine != nullptr && absorbs(item, dest)) return;
  if (is_in_group(dest)) return place_in_chunk(by, item, dest);
  const bool opens = open_[static_cast<std::size_t>(dest)].buffer == nullptr;
  if (opens) open(dest);
  append(by, item, dest);
  // Not before: handlers that run in the wait may send, too, and would overtake this item.
  if (opens) home_.behind.has_opened(by);
}

void item_channel::open(int dest) {
  open_buffer& opened = open_[static_cast<std::size_t>(dest)];
  opened.buffer = &home_.sender.take_buffer(opened.capacity * item_bytes_);
  opened.buffer->opened_ns = home_.sender.time_of_opening();
  opened.buffer->is_urgent = false;
  std::byte* const first = opened.buffer->items();
  route_of(dest) = {first, first + opened.capacity * item_bytes_};
}

/// To the buffer that is open, which is not full.
void item_channel::append(const call& by, const std::byte* item, int dest) {
  item_route& route = route_of(dest);
  std::memcpy(route.at, item, item_bytes_);
  route.at += item_bytes_;
  if (route.at == route.end) push_full(by, dest);
}

/// An item has got the last place that was left for its rank. Throws std::bad_alloc: then it has not been sent.
void item_channel::push_full(const call& by, int dest) {
  const bool is_chunk = is_in_group(dest);
  bool has_pushed = true;
  try {
    group* const its = is_chunk ? &groups_[static_cast<std::size_t>(home_.layout.next_to(dest))] : nullptr;
    has_pushed = is_chunk ? push_chunk(*its, dest) || its->is_shared : push(by, dest, true);
  } catch (const std::bad_alloc&) {
    take_back_last(dest);
    throw;
  }
  if (!has_pushed) return;
  home_.behind.has_pushed(by, dest);
  if (is_chunk) home_.behind.has_opened(by);
}

/// The item that was sent last to that rank, and still waits. (A route has room for another one between two sends.)
void item_channel::take_back_last(int dest) noexcept {
  route_of(dest).at -= item_bytes_;
  if (count_of(dest) > 0) return;
  if (is_in_group(dest)) return close_chunk(groups_[static_cast<std::size_t>(home_.layout.next_to(dest))], dest);
  route_of(dest) = closed_route();
  home_.sender.give_back(*std::exchange(open_[static_cast<std::size_t>(dest)].buffer, nullptr));
}

bool item_channel::absorbs(const std::byte* item, int dest) {
  const std::size_t count = count_of(dest);
  if (count == 0) return false;
  if (!what_.combine(what_.context, first_of(dest), count, item)) return false;
  home_.sender.count_combined();
  return true;
}

/// True if something was open. Throws std::bad_alloc: then it still is.
bool item_channel::push(const call& by, int dest, bool is_full) {
  open_buffer& opened = open_[static_cast<std::size_t>(dest)];
  if (opened.buffer == nullptr) return false;
  const std::size_t count = count_of(dest);
  const std::uint32_t capacity = opened.capacity;
  item_buffer& pushed = *opened.buffer;
  pushed.count = static_cast<std::uint32_t>(count);
  pushed.channel = static_cast<std::uint32_t>(number_);
  packet_node packet = home_.sender.packet_for(pushed, dest, item_bytes_);
  opened.buffer = nullptr;
  route_of(dest) = closed_route();
  if (adapts_) adapt(opened, count, is_full);
  home_.sender.push(by, pushed, dest, capacity, std::move(packet));
  return true;
}

/// Buffers that fill get twice as large; those that do not, twice in a row, half as large.
void item_channel::adapt(open_buffer& closed, std::size_t count, bool is_full) const noexcept {
  const std::size_t most = std::min(most_items, item_buffer::most_bytes / item_bytes_);
  const std::size_t least = std::min(first_items, most);
  if (is_full) {
    closed.short_ones = 0;
    closed.capacity = static_cast<std::uint32_t>(std::min<std::size_t>(most, std::size_t{closed.capacity} * 2));
  } else if (count * 2 < closed.capacity) {
    if (++closed.short_ones < 2) return;
    closed.short_ones = 0;
    closed.capacity = static_cast<std::uint32_t>(std::max<std::size_t>(least, closed.capacity / 2));
  }
}

void item_channel::send_urgent(const call& by, const std::byte* item, int dest) {
  home_.checks.require_sender(by);
  item_buffer& alone = home_.sender.or_refuse(by,
                                              [&]() -> item_buffer& { return home_.sender.take_buffer(item_bytes_); });
  std::memcpy(alone.items(), item, item_bytes_);
  alone.opened_ns = home_.sender.time_of_opening();
  alone.is_urgent = true;
  alone.count = 1;
  alone.channel = static_cast<std::uint32_t>(number_);
  packet_node packet = home_.sender.or_refuse(by, [&] {
    try {
      return home_.sender.packet_for(alone, dest, item_bytes_);
    } catch (...) {
      home_.sender.give_back(alone);
      throw;
    }
  });
  home_.sender.push(by, alone, dest, 1, std::move(packet));
  home_.behind.has_pushed(by, dest);
  home_.behind.has_opened(by);
}

bool item_channel::flush(const call& by, int dest) { return push(by, dest, false); }

std::int64_t item_channel::oldest_ns() const noexcept {
  std::int64_t oldest = group_opened_ns_;
  for (const open_buffer& each : open_) {
    if (each.buffer == nullptr || each.buffer->opened_ns == 0) continue;
    if (oldest == 0 || each.buffer->opened_ns < oldest) oldest = each.buffer->opened_ns;
  }
  return oldest;
}

bool item_channel::flush_older(const call& by, std::int64_t limit_ns) {
  bool has_pushed = false;
  for (int dest = 0; dest < home_.layout.ranks(); ++dest) {
    const item_buffer* const waiting = open_[static_cast<std::size_t>(dest)].buffer;
    if (waiting != nullptr && waiting->opened_ns <= limit_ns) has_pushed |= push(by, dest, false);
  }
  if (group_opened_ns_ != 0 && group_opened_ns_ <= limit_ns) {
    for (int next = 0; next < home_.layout.processes(); ++next) has_pushed |= flush_process(next);
    group_opened_ns_ = 0;
  }
  return has_pushed;
}

std::uint64_t item_channel::waiting() const noexcept {
  std::uint64_t items = 0;
  for (int dest = 0; dest < static_cast<int>(open_.size()); ++dest) items += count_of(dest);
  for (const group& each : groups_) items += each.packet.size();
  return items;
}

// ---- to other processes ---------------------------------------------------------------------------------------------

// An item waits in the chunk of its destination, to which a send writes without a call. Full chunks become runs of a
// packet: of this rank's own, or of the one that the ranks of this process fill together.

void item_channel::place_in_chunk(const call& by, const std::byte* item, int dest) {
  const auto at = static_cast<std::size_t>(dest);
  const int next = home_.layout.next_to(dest);
  item_route& route = route_of(dest);
  if (route.at == scratch()) {
    if (chunks_[at] == nullptr) chunks_[at] = make_aligned(chunk_items_ * item_bytes_);
    route = {chunks_[at].get(), chunks_[at].get() + chunk_items_ * item_bytes_};
    ++groups_[static_cast<std::size_t>(next)].open_chunks;
    if (group_opened_ns_ == 0) group_opened_ns_ = home_.sender.time_of_opening();
  }
  std::memcpy(route.at, item, item_bytes_);
  route.at += item_bytes_;
  if (route.at == route.end) push_full(by, dest);
}

/// True if a packet has left, or may have. Throws std::bad_alloc: then those items wait that have no place in a packet.
bool item_channel::push_chunk(group& to, int dest) {
  const std::size_t count = count_of(dest);
  if (count == 0) return false;
  const item_home& there = home_.layout.home_of(dest);
  const int next = home_.layout.next_to(dest);
  const item_tag tag{.target = static_cast<std::uint16_t>(there.index),
                     .source = static_cast<std::uint16_t>(home_.checks.rank()),
                     .process = static_cast<std::uint16_t>(there.process)};
  std::byte* const items = first_of(dest);
  std::size_t taken = 0;
  try {
    if (!to.is_shared) {
      const bool has_sent = add_to_packet(to, items, count, tag, next, taken);
      close_chunk(to, dest);
      return has_sent;
    }
    home_.sender.push_shared(
        {.first = items, .count = count, .tag = tag, .channel = number_, .item_bytes = item_bytes_, .phase = 0}, next,
        taken);
  } catch (const std::bad_alloc&) {
    std::memmove(items, items + taken * item_bytes_, (count - taken) * item_bytes_);
    route_of(dest).at -= taken * item_bytes_;
    throw;
  }
  close_chunk(to, dest);
  if (chooses_) choose_scheme(to, count, false);
  return true;
}

/// Throws std::bad_alloc: then so many of them are `taken`, but not all.
bool item_channel::add_to_packet(group& to, const std::byte* items, std::size_t count, const item_tag& tag, int next,
                                 std::size_t& taken) {
  bool has_sent = false;
  while (taken < count) {
    if (to.packet.is_full()) {
      push_packet(to, next);
      has_sent = true;
    }
    const bool opens = to.packet.size() == 0;
    taken += to.packet.add(items + taken * item_bytes_, count - taken, tag);
    if (opens) home_.sender.open_packet(to.packet);
  }
  if (!to.packet.is_full()) return has_sent;
  try {
    push_packet(to, next);
  } catch (const std::bad_alloc&) {  // the packet stays as it is: the next item, or flush, tries again
    return has_sent;
  }
  return true;
}

void item_channel::close_chunk(group& of, int dest) noexcept {
  route_of(dest) = closed_route();
  --of.open_chunks;
}

bool item_channel::flush_process(int next) {
  if (groups_.empty()) return false;
  group& its = groups_[static_cast<std::size_t>(next)];
  bool has_pushed = false;
  for (std::size_t i = 0; i < its.dests.size() && its.open_chunks > 0; ++i) has_pushed |= push_chunk(its, its.dests[i]);
  its.shared_ones = 0;
  if (its.packet.size() == 0) return has_pushed;
  push_packet(its, next);
  return true;
}

void item_channel::push_packet(group& pushed, int next) {
  const std::size_t count = pushed.packet.size();
  const bool is_full = pushed.packet.is_full();
  home_.sender.push_packet(pushed.packet, number_, next);
  if (chooses_) choose_scheme(pushed, count, is_full);
}

/// Scheme automatic. A rank whose packets leave less than half full, twice in a row, goes on as in pp; one that then
/// sends two packets' worth between two flushes fills them alone again, which costs nobody a lock.
void item_channel::choose_scheme(group& pushed, std::size_t count, bool is_full) {
  const std::size_t fit = pushed.packet.capacity();
  if (!pushed.is_shared) {
    pushed.short_ones = is_full || 2 * count >= fit ? 0 : static_cast<std::uint8_t>(pushed.short_ones + 1);
    if (pushed.short_ones < 2) return;
    pushed.is_shared = true;
  } else {
    pushed.shared_ones += count;
    if (pushed.shared_ones < 2 * fit) return;
    const int next = static_cast<int>(&pushed - groups_.data());
    try {
      home_.shared.push(number_, next);  // what comes next must not overtake it
    } catch (const std::bad_alloc&) {
      return;  // it goes on as before
    }
    pushed.is_shared = false;
  }
  pushed.short_ones = 0;
  pushed.shared_ones = 0;
}

// ---- handling -------------------------------------------------------------------------------------------------------

void item_channel::handle(item_buffer& arrived) {
  if (arrived.source != item_buffer::several_sources)
    return what_.handle(what_.context, arrived.items(), arrived.count, arrived.source);
  for (std::size_t first = 0; first < arrived.count;) {  // runs of items from one source
    const int source = arrived.source_of(first, item_bytes_);
    std::size_t behind = first + 1;
    while (behind < arrived.count && arrived.source_of(behind, item_bytes_) == source) ++behind;
    what_.handle(what_.context, arrived.items() + first * item_bytes_, behind - first, source);
    first = behind;
  }
}

}  // namespace pure::core
