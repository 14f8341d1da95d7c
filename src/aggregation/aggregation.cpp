// Modelled by tests/model/termination.pml, aggregation_inbox.pml.
#include "aggregation/aggregation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "aggregation/aggregation_table.hpp"
#include "aggregation/wait_kinds.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

aggregation::aggregation(rank_context& owner, aggregation_part& part, int index, std::uint64_t handle)
    : owner_(owner),
      part_(part),
      table_(aggregation_table::of(owner)),
      index_(index),
      rank_(part.at(index).rank),
      handle_(handle),
      checks_sends_(owner.owner().values().check),
      keeps_time_(part.layout().options().latency_ns > 0 || part.layout().options().measures_latency ||
                  owner.log() != nullptr),
      name_(std::make_shared<const std::string>(part.layout().options().name)),
      spare_(part.spare()),
      pairs_(part.members().size()) {
  part_member& mine = own();
  mine.credit = std::make_unique<pair_credit[]>(pairs_.size());
  mine.number = owner.number();
  mine.owner = &owner;
}

aggregation::~aggregation() {
  channels_.clear();
  for (buffer_queue* const each : {&arrived_, &urgent_, &early_}) delete_buffers(each->release());
  part_.leave(index_);
}

// ---- who may call what ----------------------------------------------------------------------------------------------

bool aggregation::is_in_handler() const noexcept { return table_.is_in_handler(); }

void aggregation::throw_wrong(const call& by, errc code, const std::string& text) const {
  throw call_error(by, code, fmt::format("rank {} of aggregation \"{}\": {}", rank_, name(), text));
}

void aggregation::require_owner(const call& by) const {
  if (self() == &owner_ || (is_in_handler() && rank_in_chunk() == &owner_)) [[likely]]
    return;
  if (rank_in_chunk() != nullptr) {
    throw_wrong(by, errc::state,
                "called inside a chunk of a task: items are sent and handled by the rank itself, before or after it");
  }
  const std::string who = self() == nullptr ? "a thread that is no rank" : fmt::format("rank {}", self()->number());
  throw_wrong(by, errc::state, fmt::format("used by {}: an aggregation belongs to its rank's own thread", who));
}

void aggregation::require_sender(const call& by) const {
  require_owner(by);
  switch (stage_) {
    case stage::open:
    case stage::finishing: return;
    case stage::quiet:
      throw_wrong(by, errc::state,
                  "an item is sent while the rank waits in finish with nothing left to do: only this aggregation's own "
                  "handlers and work may send then");
    case stage::failed: throw_wrong(by, errc::state, "it has failed: an exception has ended its finish or a handler");
    case stage::closed: throw_wrong(by, errc::state, "the rank's main has ended");
  }
}

void aggregation::require_open(const call& by, const char* what) const {
  require_owner(by);
  if (is_in_handler()) throw_wrong(by, errc::state, fmt::format("{} in a handler: handlers may send and flush", what));
  if (stage_ == stage::open) return;
  require_sender(by);
  throw_wrong(by, errc::state, fmt::format("{} inside finish, by its work: that is under way already", what));
}

void aggregation::require_rank(const call& by, int dest) const {
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(size()))
    throw_wrong(by, errc::rank, fmt::format("there is no rank {}: they are 0 to {}", dest, size() - 1));
}

// ---- channels -------------------------------------------------------------------------------------------------------

item_channel& aggregation::make_channel(const call& by, const detail::channel_request& wanted) {
  owned_context context(wanted);
  require_open(by, "a channel is made");
  return or_refuse(by, [&]() -> item_channel& { return add_channel(by, wanted, context); });
}

/// Throws std::bad_alloc, too: then no other rank knows of the channel.
item_channel& aggregation::add_channel(const call& by, const detail::channel_request& wanted, owned_context& context) {
  if (wanted.item_bytes == 0 || wanted.item_bytes > most_item_bytes) {
    throw_wrong(by, errc::argument,
                fmt::format("items of {} bytes: they have 1 to {} bytes, what a packet holds; send larger things as "
                            "messages",
                            wanted.item_bytes, most_item_bytes));
  }
  if (wanted.alignment > item_channel::largest_alignment)
    throw_wrong(
        by, errc::argument,
        fmt::format("items are aligned to {} bytes: at most to {}", wanted.alignment, item_channel::largest_alignment));
  const std::size_t number = channels_.size();
  if (number >= most_channels)
    throw_wrong(by, errc::argument, fmt::format("it has {} channels, and can have no more", most_channels));
  const channel_record mine{
      .type = wanted.type == nullptr ? "items" : type_name(wanted.type).substr(0, channel_record::most_text),
      .item_bytes = wanted.item_bytes,
      .is_combining = wanted.combine != nullptr,
      .by = rank_,
      .site = to_text(by.site).substr(0, channel_record::most_text)};
  if (channels_.capacity() == number) channels_.reserve(2 * number + 1);
  auto made = std::make_unique<item_channel>(*this, number, wanted);
  context.release();
  const std::string problem = difference(number, mine, part_.channels().agree(number, mine));
  if (!problem.empty()) throw_wrong(by, errc::mismatch, problem);
  channels_.push_back(std::move(made));
  buffer_queue early = std::exchange(early_, {});
  while (!early.empty()) accept(early.pop());
  return *channels_.back();
}

// ---- memory ---------------------------------------------------------------------------------------------------------

bool aggregation::groups() const noexcept { return part_.layout().groups(); }

void aggregation::look_at_credit(int index) noexcept {
  pair_state& pair = pairs_[static_cast<std::size_t>(index)];
  const pair_credit::amount back = own().credit[static_cast<std::size_t>(index)].given_back();
  in_use_bytes_ -= back.bytes - pair.handled_bytes;
  pair.handled_buffers = back.buffers;
  pair.handled_bytes = back.bytes;
}

void aggregation::look_at_all_credit() noexcept {
  for (int i = 0; i < static_cast<int>(pairs_.size()); ++i) {
    if (pairs_[static_cast<std::size_t>(i)].under_way() > 0) look_at_credit(i);
  }
}

bool aggregation::has_room_for_another() {
  constexpr std::size_t largest = item_buffer::bytes_with_head(item_buffer::classes - 1);
  const std::size_t most = part_.layout().options().memory_cap - largest;
  if (in_use() <= most) [[likely]]
    return true;
  look_at_all_credit();
  if (part_.transport() != nullptr) part_.poll_transport();
  return in_use() <= most;
}

void aggregation::has_opened(const call& by) {
  or_end_job(by, [&] { make_room_for_another(by); });  // the item is in
}

void aggregation::make_room_for_another(const call& by) {
  if (is_in_handler() || has_room_for_another()) [[likely]]
    return;
  const wait_subject about{.name = name_};
  const wait_reason why{
      .what = by, .waiting_for = room_under_memory_cap, .tag = wait_reason::no_tag, .subject = &about};
  wait_until(owner_, why, [&] {
    if (open_buffers_ + open_groups_ > 0) push_all(by);
    part_.shared().push();
    return has_room_for_another();
  });
}

void aggregation::note_peak() noexcept {
  if (in_use() <= stats_.peak_bytes) return;
  look_at_all_credit();
  const std::size_t now = in_use(), cap = part_.layout().options().memory_cap;
  stats_.peak_bytes = std::max<std::uint64_t>(stats_.peak_bytes, now);
  if (now > cap) stats_.over_cap_bytes = std::max<std::uint64_t>(stats_.over_cap_bytes, now - cap);
}

item_buffer& aggregation::take_buffer(std::size_t item_bytes) {
  item_buffer& taken = spare_.take(item_buffer::class_for(item_bytes));
  ++open_buffers_;
  in_use_bytes_ += taken.whole_bytes();
  note_peak();
  return taken;
}

void aggregation::throw_no_memory(const call& by) const {
  throw_wrong(
      by, errc::no_memory,
      fmt::format("there is no memory for another buffer or packet; {} of them are in use", rounded_bytes(in_use())));
}

void aggregation::end_without_memory(const call& by) {
  stage_ = stage::failed;
  owner_.owner().fail_without_memory([&] {
    return fmt::format(
        "rank {}: out of memory in {}, where aggregation \"{}\" moves items that it has accepted; {} of "
        "its buffers and packets are in use",
        owner_.number(), by.operation, name(), rounded_bytes(in_use()));
  });
  owner_.owner().leave(owner_);
}

void aggregation::give_back(item_buffer& unused) noexcept {
  --open_buffers_;
  in_use_bytes_ -= unused.whole_bytes();
  spare_.give(unused);
}

std::int64_t aggregation::time_of_opening() noexcept {
  if (!keeps_time_) return 0;
  const std::int64_t now = now_ns();
  if (oldest_open_ns_ == 0) oldest_open_ns_ = now;
  return now;
}

// ---- sending --------------------------------------------------------------------------------------------------------

void aggregation::count_sent(std::size_t items, std::size_t capacity) {
  ++stats_.buffers;
  stats_.sent += items;
  stats_.room += capacity;
  if (items < capacity) ++stats_.partial;
  sent_ += items;
  counts().publish_sent(sent_);  // before the push: see phase_counts.hpp
}

/// A rank that has left handles nothing any more.
void aggregation::require_present(const call& by, item_buffer& pushed, int dest) {
  if (!part_.at(part_.layout().home_of(dest).index).has_left.load(std::memory_order_relaxed)) return;
  give_back(pushed);
  throw_wrong(by, errc::state,
              fmt::format("{} for rank {}, which has ended its part of the aggregation: all ranks call finish behind "
                          "the last item",
                          counted(pushed.count, "item"), dest));
}

void aggregation::push(const call& by, item_buffer& pushed, int dest, std::size_t capacity, packet_node packet) {
  const item_home& there = part_.layout().home_of(dest);
  const bool is_here = there.process == part_.layout().process();
  if (is_here && part_.members().somebody_has_left()) [[unlikely]]
    require_present(by, pushed, dest);
  if (pushed.is_urgent) stats_.urgent += pushed.count;
  count_sent(pushed.count, pushed.is_urgent ? 0 : capacity);
  pushed.phase = phase_;
  pushed.source = rank_;
  if (!is_here) {  // scheme ww: the buffer is the packet
    part_.outgoing().send_items(there.process, std::move(packet));
    give_back(pushed);
    return note_peak();
  }

  --open_buffers_;
  pair_state& pair = pairs_[static_cast<std::size_t>(there.index)];
  if (is_in_handler() && pair.under_way() >= most_under_way) {
    look_at_credit(there.index);
    if (pair.under_way() >= most_under_way) ++stats_.over_credit;
  }
  ++pair.pushed_buffers;
  pair.pushed_bytes += pushed.whole_bytes();
  pushed.credit = &own().credit[static_cast<std::size_t>(there.index)];
  if (there.index == index_) return accept(pushed);
  part_member& receiver = part_.at(there.index);
  receiver.inbox.push(pushed);
  receiver.owner->notify();
}

void aggregation::has_pushed(const call& by, int dest) {
  if (is_in_handler()) return;
  or_end_job(by, [&] { make_room(by, dest); });
}

void aggregation::make_room(const call& by, int dest) {
  move_on(by);
  if (is_elsewhere(dest)) return wait_for_network(by, part_.layout().next_to(dest));
  const int index = part_.layout().home_of(dest).index;
  pair_state& pair = pairs_[static_cast<std::size_t>(index)];
  if (pair.under_way() <= most_under_way) return;
  const auto has_credit = [&] {
    look_at_credit(index);
    return pair.under_way() <= most_under_way;
  };
  if (has_credit()) return;
  const wait_subject about{.name = name_};
  const wait_reason why{.what = by,
                        .waiting_for = items_handled_by,
                        .peer = part_.at(index).number,
                        .tag = wait_reason::no_tag,
                        .subject = &about};
  wait_until(owner_, why, has_credit);
}

bool aggregation::push_all(const call& by) {
  bool has_pushed = false;
  for (const auto& channel : channels_) {
    for (int i = 1; i <= size() && open_buffers_ > 0; ++i) has_pushed |= channel->flush(by, (rank_ + i) % size());
    for (int i = 0; i < part_.layout().processes() && groups(); ++i) has_pushed |= channel->flush_process(i);
  }
  oldest_open_ns_ = 0;
  return has_pushed;
}

/// What has waited for as long as options allow.
bool aggregation::push_due(const call& by) {
  const std::int64_t bound_ns = part_.layout().options().latency_ns;
  if (bound_ns == 0 || oldest_open_ns_ == 0) [[likely]]
    return false;
  const std::int64_t limit_ns = now_ns() - bound_ns;
  if (oldest_open_ns_ > limit_ns) return false;
  bool has_pushed = false;
  std::int64_t oldest_ns = 0;
  for (const auto& channel : channels_) {
    has_pushed |= channel->flush_older(by, limit_ns);
    const std::int64_t its_ns = channel->oldest_ns();
    if (its_ns != 0 && (oldest_ns == 0 || its_ns < oldest_ns)) oldest_ns = its_ns;
  }
  oldest_open_ns_ = oldest_ns;
  return part_.shared().push() > 0 || has_pushed;
}

void aggregation::flush(const call& by) {
  require_sender(by);
  or_refuse(by, [&] {
    push_all(by);
    part_.shared().push();
  });
  if (!is_in_handler()) or_end_job(by, [&] { move_on(by); });
}

void aggregation::flush(const call& by, int dest) {
  require_sender(by);
  require_rank(by, dest);
  or_refuse(by, [&] {
    for (const auto& channel : channels_) {
      channel->flush(by, dest);
      if (groups()) channel->flush_process(part_.layout().next_to(dest));
    }
    part_.shared().push();
  });
  has_pushed(by, dest);
}

aggregation_stats aggregation::stats(const call& by) const {
  require_owner(by);
  return stats_;
}

void aggregation::add_open_accounts(open_accounts& to) {
  look_at_all_credit();
  for (const auto& each : channels_) to.add("items that have not left", each->waiting());
  to.add("bytes of buffers and packets in use", in_use());
  to.add("open buffers", open_buffers_);
  to.add("open packets", open_groups_);
  to.add("buffers that have come and are not handled", arrived_count_);
  for (const pair_state& each : pairs_) to.add("buffers of a pair under way", each.under_way());
  part_.add_open_accounts(to);
}

}  // namespace pure::core
