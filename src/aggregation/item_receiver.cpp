// Modelled by tests/model/aggregation_inbox.pml.
#include "aggregation/item_receiver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <string>

#include "base/clock.hpp"
#include "runtime/activity.hpp"
#include "runtime/job.hpp"
#include "runtime/thrown.hpp"

namespace pure::core {

item_receiver::item_receiver(aggregation_part& part, int index, rank_stage& stage, const call_checks& checks,
                             handler_state& handlers, spare_buffers& spare, arrival_queues& queues,
                             const channel_list& channels)
    : part_(part),
      inbox_(part.at(index).inbox),
      published_(part.counts().of(static_cast<std::size_t>(index))),
      stage_(stage),
      checks_(checks),
      handlers_(handlers),
      spare_(spare),
      queues_(queues),
      channels_(channels) {}

void item_receiver::accept_arrivals() noexcept {
  if (!inbox_.has_some()) return;
  for (item_buffer* each = inbox_.take(); each != nullptr;) queues_.accept(*std::exchange(each, each->next));
}

bool item_receiver::handle_arrivals() {
  if (handlers_.is_in_handler()) return false;
  accept_arrivals();
  bool has_handled = false;
  for (std::size_t left = std::min(queues_.count(), most_at_once); left > 0; --left) {
    item_buffer* const next = queues_.next_to_handle(stage_.phase());
    if (next == nullptr) break;
    has_handled = true;
    handle(*next);
    accept_arrivals();
  }
  return has_handled;
}

void item_receiver::note_latency(const item_buffer& arrived) noexcept {
  const std::int64_t waited_ns = now_ns() - arrived.opened_ns;
  const auto step = static_cast<std::size_t>(
                        std::bit_width(static_cast<std::uint64_t>(waited_ns < 1 ? 1 : waited_ns))) -
                    1;
  ++latency_[std::min(step, latency_.size() - 1)];
}

void item_receiver::run_handler(item_buffer& arrived) {
  item_channel& channel = *channels_[arrived.channel];
  activity* const log = checks_.owner().log();
  const std::int64_t start_ns = log != nullptr ? now_ns() : 0;
  {
    const handler_scope here(handlers_);
    channel.handle(arrived);
  }
  if (log == nullptr) [[likely]]
    return;
  log->add({.start_ns = start_ns,
            .end_ns = now_ns(),
            .kind = trace_event::type::items,
            .peer = arrived.source,
            .tag = static_cast<std::int32_t>(arrived.channel),
            .amount = arrived.count},
           checks_.name());
}

void item_receiver::handle(item_buffer& arrived) {
  if (arrived.opened_ns != 0) note_latency(arrived);
  struct keeper {  // also if the handler throws: nobody else has the buffer
    ~keeper() { to.give(buffer); }
    spare_buffers& to;
    item_buffer& buffer;
  };
  pair_credit* const credit = std::exchange(arrived.credit, nullptr);
  const int source = arrived.source, from_process = std::exchange(arrived.from_process, item_buffer::here);
  {
    const keeper keeps{spare_, arrived};
    call_program([&] { run_handler(arrived); }, [&] { fail_in_handler(arrived); });
    has_handled_ = true;
    handled_ += arrived.count;
    ++received_;
    published_.note_handled(handled_);
    if (credit != nullptr) credit->give_back(arrived.whole_bytes());
  }
  if (from_process != item_buffer::here) return part_.transport()->has_handled(from_process);
  if (credit != nullptr && source != checks_.rank()) part_.at(part_.layout().home_of(source).index).owner->notify();
}

/// The job ends with the first cause. Called in a catch clause.
void item_receiver::fail_in_handler(const item_buffer& arrived) {
  stage_.fail();
  const std::exception_ptr thrown = std::current_exception();
  const thrown_text what = text_of(thrown);
  const std::string cause = what.kind == thrown_kind::no_memory ? "out of memory (std::bad_alloc)" : what.text;
  rank_context& owner = checks_.owner();
  owner.owner().fail(
      fmt::format("rank {}: a handler of channel {} of aggregation \"{}\" has thrown, for an item of its rank {}: {}",
                  owner.number(), arrived.channel, *checks_.name(), arrived.source, cause),
      1, thrown);
  owner.owner().leave(owner);
}

void item_receiver::add_to(aggregation_stats& stats) const noexcept {
  stats.handled = handled_;
  stats.received = received_;
  stats.latency = latency_;
}

}  // namespace pure::core
