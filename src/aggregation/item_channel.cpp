#include "aggregation/item_channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "aggregation/aggregation.hpp"
#include "base/clock.hpp"

namespace pure::core {

namespace {

/// Ends the context of a channel that cannot be made.
class owned_context {
 public:
  explicit owned_context(const detail::channel_request& of) noexcept : of_(of) {}
  owned_context(const owned_context&) = delete;
  owned_context& operator=(const owned_context&) = delete;
  ~owned_context() {
    if (is_owned_ && of_.destroy != nullptr) of_.destroy(of_.context);
  }
  void release() noexcept { is_owned_ = false; }

 private:
  const detail::channel_request& of_;
  bool is_owned_ = true;
};

}  // namespace

item_channel::item_channel(aggregation& home, std::size_t number, const detail::channel_request& wanted)
    : home_(home), number_(number), item_bytes_(wanted.item_bytes), what_(wanted) {
  owned_context context(what_);
  const aggregation_options& options = home.part().options();
  adapts_ = options.buffer_bytes == 0;
  const std::size_t most = item_buffer::most_bytes / item_bytes_;
  const std::size_t wanted_items = adapts_ ? first_items : options.buffer_bytes / item_bytes_;
  const auto capacity = static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted_items, 1, most));
  scratch_ = make_aligned(item_bytes_);
  const auto ranks = static_cast<std::size_t>(home.size());
  is_guarded_ = what_.combine != nullptr || home.checks_sends() || home.groups();
  routes_.assign(ranks, closed_route());
  if (is_guarded_) guarded_.assign(ranks, closed_route());
  open_.assign(ranks, {.capacity = capacity});
  if (home.groups()) make_groups(capacity);
  context.release();
}

void item_channel::make_groups(std::size_t capacity) {
  using kind = packet_head::kind;
  const aggregation_part& part = home_.part();
  const aggregation_options& options = part.options();
  const kind what = !part.routes().are_direct()          ? kind::hop
                    : options.scheme == item_scheme::wsp ? kind::wsp
                    : options.scheme == item_scheme::pp  ? kind::pp
                                                         : kind::wps;
  // Packets of its own for all processes may take too much of its memory: those of all ranks together take less.
  const bool has_room = part.routes().next_processes() * item_buffer::most_bytes <= options.memory_cap / 2;
  chooses_ = options.scheme == item_scheme::automatic && part.shares() && has_room;
  for (int next = 0; next < part.processes(); ++next) {
    const std::size_t targets = part.ranks_of(next).size();
    const std::size_t most_items = packet_items(what, item_bytes_, targets);
    const std::size_t fit = adapts_ ? most_items : std::min(most_items, capacity);
    groups_.push_back({.items = {what, item_bytes_, fit, targets}, .fit = fit});
    share(groups_.back(), part.shares() && !chooses_);
  }
}

item_channel::~item_channel() {
  for (open_buffer& each : open_) {
    if (each.buffer != nullptr) home_.give_back(*each.buffer);
  }
  if (what_.destroy != nullptr) what_.destroy(what_.context);
}

std::size_t item_channel::count_of(int dest) const noexcept {
  const auto at = static_cast<std::size_t>(dest);
  if (open_[at].buffer == nullptr) return 0;
  const item_route& route = is_guarded_ ? guarded_[at] : routes_[at];
  return static_cast<std::size_t>(route.at - open_[at].buffer->items()) / item_bytes_;
}

// ---- sending --------------------------------------------------------------------------------------------------------

void item_channel::route_is_full(const call& by, int dest) {
  item_route& route = routes_[static_cast<std::size_t>(dest)];
  route.at -= item_bytes_;  // if this throws, the item has not been sent
  home_.require_sender(by);
  if (route.at == scratch()) return place(by, scratch(), dest);
  route.at += item_bytes_;
  push(by, dest, true);
  home_.has_pushed(by, dest);
}

/// The item is in the scratch place, which the next send uses again.
void item_channel::place(const call& by, const std::byte* item, int dest) {
  if (home_.is_elsewhere(dest) && home_.groups()) return add_to_group(by, item, dest);
  if (what_.combine != nullptr && absorbs(item, dest)) return;
  const bool opens = open_[static_cast<std::size_t>(dest)].buffer == nullptr;
  if (opens) open(by, dest);
  append(by, item, dest);
  // Not before: handlers that run in the wait may send, too, and would overtake this item.
  if (opens) home_.has_opened(by);
}

void item_channel::open(const call& by, int dest) {
  open_buffer& opened = open_[static_cast<std::size_t>(dest)];
  opened.buffer = &home_.take_buffer(by, opened.capacity * item_bytes_);
  opened.buffer->opened_ns = home_.time_of_opening();
  opened.buffer->is_urgent = false;
  std::byte* const first = opened.buffer->items();
  route_of(dest) = {first, first + opened.capacity * item_bytes_};
}

/// To the buffer that is open, which is not full.
void item_channel::append(const call& by, const std::byte* item, int dest) {
  item_route& route = route_of(dest);
  std::memcpy(route.at, item, item_bytes_);
  route.at += item_bytes_;
  if (route.at != route.end) return;
  push(by, dest, true);
  home_.has_pushed(by, dest);
}

bool item_channel::absorbs(const std::byte* item, int dest) {
  const std::size_t count = count_of(dest);
  if (count == 0) return false;
  if (!what_.combine(what_.context, open_[static_cast<std::size_t>(dest)].buffer->items(), count, item)) return false;
  home_.count_combined();
  return true;
}

/// True if something was open.
bool item_channel::push(const call& by, int dest, bool is_full) {
  open_buffer& opened = open_[static_cast<std::size_t>(dest)];
  if (opened.buffer == nullptr) return false;
  const std::size_t count = count_of(dest);
  const std::uint32_t capacity = opened.capacity;
  item_buffer& pushed = *std::exchange(opened.buffer, nullptr);
  route_of(dest) = closed_route();
  pushed.count = static_cast<std::uint32_t>(count);
  pushed.channel = static_cast<std::uint32_t>(number_);
  if (adapts_) adapt(opened, count, is_full);
  home_.push(by, pushed, dest, capacity, item_bytes_);
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
  home_.require_sender(by);
  item_buffer& alone = home_.take_buffer(by, item_bytes_);
  std::memcpy(alone.items(), item, item_bytes_);
  alone.opened_ns = home_.time_of_opening();
  alone.is_urgent = true;
  alone.count = 1;
  alone.channel = static_cast<std::uint32_t>(number_);
  home_.push(by, alone, dest, 1, item_bytes_);
  home_.has_pushed(by, dest);
  home_.has_opened(by);
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
  for (int dest = 0; dest < home_.size(); ++dest) {
    const item_buffer* const waiting = open_[static_cast<std::size_t>(dest)].buffer;
    if (waiting != nullptr && waiting->opened_ns <= limit_ns) has_pushed |= push(by, dest, false);
  }
  if (group_opened_ns_ != 0 && group_opened_ns_ <= limit_ns) {
    group_opened_ns_ = 0;
    for (int next = 0; next < home_.part().processes(); ++next) has_pushed |= flush_process(next);
  }
  return has_pushed;
}

std::uint64_t item_channel::waiting() const noexcept {
  std::uint64_t items = 0;
  for (int dest = 0; dest < static_cast<int>(open_.size()); ++dest) items += count_of(dest);
  for (const group& each : groups_) items += each.items.size();
  return items;
}

// ---- to other processes ---------------------------------------------------------------------------------------------

void item_channel::add_to_group(const call& by, const std::byte* item, int dest) {
  const item_home& there = home_.part().home_of(dest);
  const int next = home_.part().routes().next(there.process);
  group& waiting = groups_[static_cast<std::size_t>(next)];
  const bool opens = waiting.items.size() == 0;
  if (group_opened_ns_ == 0) group_opened_ns_ = home_.time_of_opening();
  waiting.items.add(item, {.target = static_cast<std::uint16_t>(there.index),
                           .source = static_cast<std::uint16_t>(home_.rank()),
                           .process = static_cast<std::uint16_t>(there.process)});
  if (opens) home_.has_opened_group(by, waiting.items.whole_bytes());
  if (!waiting.items.is_full()) return;
  push_group(waiting, next);
  home_.has_pushed(by, dest);
}

bool item_channel::flush_process(int next) {
  if (groups_.empty()) return false;
  group& its = groups_[static_cast<std::size_t>(next)];
  its.shared_ones = 0;
  if (its.items.size() == 0) return false;
  push_group(its, next);
  return true;
}

void item_channel::push_group(group& pushed, int next) {
  const std::size_t count = pushed.items.size();
  const bool is_full = pushed.items.is_full();
  home_.push_group(pushed.items, *this, next, pushed.is_shared);
  if (chooses_) choose_scheme(pushed, next, count, is_full);
}

/// Scheme automatic. A rank whose packets leave less than half full, twice in a row, goes on as in pp; one that then
/// sends two packets' worth between two flushes fills them alone again, which costs nobody a lock.
void item_channel::choose_scheme(group& pushed, int next, std::size_t count, bool is_full) {
  if (!pushed.is_shared) {
    pushed.short_ones = is_full || 2 * count >= pushed.fit ? 0 : static_cast<std::uint8_t>(pushed.short_ones + 1);
    if (pushed.short_ones == 2) share(pushed, true);
    return;
  }
  pushed.shared_ones += count;
  if (pushed.shared_ones < 2 * pushed.fit) return;
  home_.part().push_shared(home_.part().shared_of(number_, item_bytes_, next),
                           next);  // what comes next must not overtake it
  share(pushed, false);
}

void item_channel::share(group& its, bool is_shared) const noexcept {
  its.is_shared = is_shared;
  its.short_ones = 0;
  its.shared_ones = 0;
  its.items.set_capacity(is_shared ? std::min(chunk_items, its.fit) : its.fit);
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
