#include "aggregation/aggregation.hpp"

#include <fmt/core.h>

#include <memory>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "runtime/activity.hpp"
#include "runtime/job.hpp"

namespace pure::core {

aggregation::aggregation(rank_context& owner, aggregation_part& part, int index, handler_state& handlers,
                         open_accounts& left_open, std::uint64_t handle)
    : part_(part),
      index_(index),
      handle_(handle),
      left_open_(left_open),
      checks_sends_(owner.owner().values().check),
      checks_(owner, handlers, stage_, part.at(index).rank, part.layout().ranks(),
              std::make_shared<const std::string>(part.layout().options().name)),
      spare_(part.spare()),
      sender_(
          part, index, stage_, checks_, spare_, arrivals_,
          part.layout().options().latency_ns > 0 || part.layout().options().measures_latency || owner.log() != nullptr),
      receiver_(part, index, stage_, checks_, handlers, spare_, arrivals_, channels_),
      progress_(part, stage_, checks_, sender_, receiver_, channels_),
      finish_(part, index, stage_, checks_, sender_, receiver_, arrivals_, progress_, channels_) {
  part_member& mine = part.at(index);
  mine.number = owner.number();
  mine.owner = &owner;
}

aggregation::~aggregation() {
  channels_.clear();
  part_.leave(index_);
}

// ---- channels -------------------------------------------------------------------------------------------------------

item_channel& aggregation::make_channel(const call& by, const detail::channel_request& wanted) {
  owned_context context(wanted);
  checks_.require_open(by, "a channel is made");
  return sender_.or_refuse(by, [&]() -> item_channel& { return add_channel(by, wanted, context); });
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
      .by = rank(),
      .site = to_text(by.site).substr(0, channel_record::most_text)};
  if (channels_.capacity() == number) channels_.reserve(2 * number + 1);
  const channel_home home{part_.layout(), checks_, sender_, part_.shared(), progress_, checks_sends_};
  auto made = std::make_unique<item_channel>(home, number, wanted);
  context.release();
  const std::string problem = difference(number, mine, part_.channels().agree(number, mine));
  if (!problem.empty()) throw_wrong(by, errc::mismatch, problem);
  channels_.push_back(std::move(made));
  arrivals_.note_channel();
  return *channels_.back();
}

// ---- items ----------------------------------------------------------------------------------------------------------

void aggregation::flush(const call& by) {
  checks_.require_sender(by);
  sender_.or_refuse(by, [&] {
    progress_.push_all(by);
    part_.shared().push();
  });
  if (!checks_.is_in_handler()) progress_.or_end_job(by, [&] { progress_.move_on(by); });
}

void aggregation::flush(const call& by, int dest) {
  checks_.require_sender(by);
  checks_.require_rank(by, dest);
  sender_.or_refuse(by, [&] {
    progress_.push_all(by, dest);
    part_.shared().push();
  });
  progress_.has_pushed(by, dest);
}

bool aggregation::progress(const call& by) {
  checks_.require_sender(by);
  return !checks_.is_in_handler() && progress_.or_end_job(by, [&] { return progress_.move_on(by); });
}

aggregation_stats aggregation::all_stats() const noexcept {
  aggregation_stats all;
  sender_.add_to(all);
  receiver_.add_to(all);
  all.phases = stage_.phase() - 1;
  return all;
}

aggregation_stats aggregation::stats(const call& by) const {
  checks_.require_owner(by);
  return all_stats();
}

// ---- the end --------------------------------------------------------------------------------------------------------

std::string aggregation::close() noexcept {
  if (stage_.is(stage::closed) || stage_.is(stage::failed)) return {};
  std::uint64_t unsent = 0;
  for (const auto& channel : channels_) unsent += channel->waiting();
  receiver_.accept_arrivals();
  const std::uint64_t unsure = finish_.unsure();
  const bool has_arrivals = !arrivals_.empty();
  end_main();
  if (unsent + unsure == 0 && !has_arrivals) {
    try {
      add_open_accounts(left_open_);
    } catch (const std::bad_alloc&) {  // nobody can be told
    }
    return {};
  }
  std::string text = fmt::format(
      "rank {} of aggregation \"{}\": it ends without finish behind the last items: ", rank(), name());
  if (unsent + unsure > 0) text += fmt::format("{} of this rank may not be handled", counted(unsent + unsure, "item"));
  if (has_arrivals) text += unsent + unsure > 0 ? ", and some for it are not" : "items for this rank are not handled";
  return text + ". Every rank calls finish before the aggregation ends";
}

void aggregation::add_open_accounts(open_accounts& to) {
  for (const auto& each : channels_) to.add("items that have not left", each->waiting());
  sender_.add_open_accounts(to);
  to.add("buffers that have come and are not handled", arrivals_.count());
  part_.add_open_accounts(to);
}

void aggregation::end_main() noexcept {
  stage_.close();
  activity* const log = owner().log();
  if (log == nullptr || std::exchange(is_reported_, true)) return;
  const aggregation_stats stats = all_stats();
  item_totals totals;
  totals.sent = stats.sent;
  totals.handled = stats.handled;
  totals.buffers = stats.buffers;
  totals.room = stats.room;
  totals.urgent = stats.urgent;
  totals.over_credit = stats.over_credit;
  totals.peak_bytes = stats.peak_bytes;
  for (std::size_t i = 0; i < stats.latency.size(); ++i) totals.latency[i] = stats.latency[i];
  log->add_items(totals);
}

}  // namespace pure::core
