// What comes to a rank of an aggregation: which buffer is handled when, and its handler.
// Modelled by tests/model/aggregation_inbox.pml.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "aggregation/aggregation.hpp"
#include "aggregation/aggregation_table.hpp"
#include "base/clock.hpp"
#include "runtime/activity.hpp"
#include "runtime/job.hpp"
#include "runtime/thrown.hpp"

namespace pure::core {

namespace {

constexpr call in_wait{"a wait", {}};

}  // namespace

void aggregation::accept(item_buffer& arrived) noexcept {
  if (arrived.channel >= channels_.size()) [[unlikely]]
    return early_.push(arrived);
  (arrived.is_urgent ? urgent_ : arrived_).push(arrived);
  ++arrived_count_;
}

void aggregation::accept_arrivals() noexcept {
  if (!own().inbox.has_some()) return;
  for (item_buffer* each = own().inbox.take(); each != nullptr;) accept(*std::exchange(each, each->next));
}

/// Null if there is none of this phase. (Ranks that have left finish send items of the next one to those who are still
/// in it: tests/model/termination.pml, MUTATE_NO_HOLD.)
item_buffer* aggregation::next_to_handle() noexcept {
  for (buffer_queue* const each : {&urgent_, &arrived_}) {
    if (each->empty() || each->front()->phase > phase_) continue;
    --arrived_count_;
    return &each->pop();
  }
  return nullptr;
}

/// As many buffers as had come at its begin, and no more than a batch: what handlers send meanwhile, and others, is for
/// the next call. (Urgent ones that come meanwhile take the place of others.) True if there was anything.
bool aggregation::handle_arrivals() {
  if (is_in_handler()) return false;
  accept_arrivals();
  bool has_handled = false;
  for (std::size_t left = std::min(arrived_count_, most_at_once); left > 0; --left) {
    item_buffer* const next = next_to_handle();
    if (next == nullptr) break;
    has_handled = true;
    handle(*next);
    accept_arrivals();
  }
  return has_handled;
}

bool aggregation::advance() {
  return or_end_job(in_wait, [&] { return move_on(in_wait); });
}

bool aggregation::move_on(const call& by) {
  if (stage_ != stage::open && stage_ != stage::finishing) return false;  // quiet: finish itself looks
  bool has_moved = part_.poll_transport();
  static constexpr int patience = 8;
  if (in_use() >= part_.layout().options().memory_cap && skipped_at_cap_ < patience) [[unlikely]] {
    // Handlers may send more: first let others handle what they have. But they may wait for the same.
    look_at_all_credit();
    if (in_use() >= part_.layout().options().memory_cap) {
      ++skipped_at_cap_;
      return push_all(by) || has_moved;
    }
  }
  skipped_at_cap_ = 0;
  has_moved |= handle_arrivals();
  if (!has_moved && !part_.layout().routes().are_direct())
    has_moved = part_.shared().push(true) > 0;  // others wait for that
  return push_due(by) || has_moved;
}

bool aggregation::before_sleep() {
  if (stage_ != stage::open && stage_ != stage::finishing) return false;
  return or_end_job(in_wait, [&] {
    const bool has_handled = handle_arrivals();
    const bool has_pushed = push_all(in_wait);
    return part_.shared().push() > 0 || has_pushed || has_handled;
  });
}

// ---- handling -------------------------------------------------------------------------------------------------------

void aggregation::note_latency(const item_buffer& arrived) noexcept {
  const std::int64_t waited_ns = now_ns() - arrived.opened_ns;
  const auto step = static_cast<std::size_t>(
                        std::bit_width(static_cast<std::uint64_t>(waited_ns < 1 ? 1 : waited_ns))) -
                    1;
  ++stats_.latency[std::min(step, aggregation_stats::latency_steps - 1)];
}

void aggregation::run_handler(item_buffer& arrived) {
  item_channel& channel = *channels_[arrived.channel];
  activity* const log = owner_.log();
  const std::int64_t start_ns = log != nullptr ? now_ns() : 0;
  {
    const aggregation_table::handler_scope here(table_);
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
           name_);
}

void aggregation::handle(item_buffer& arrived) {
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
    stats_.handled += arrived.count;
    ++stats_.received;
    counts().note_handled(handled_);
    if (credit != nullptr) credit->give_back(arrived.whole_bytes());
  }
  if (from_process != item_buffer::here) return part_.transport()->has_handled(from_process);
  if (credit != nullptr && source != rank_) part_.at(part_.layout().home_of(source).index).owner->notify();
}

/// The job ends with the first cause. Called in a catch clause.
void aggregation::fail_in_handler(const item_buffer& arrived) {
  stage_ = stage::failed;
  const std::exception_ptr thrown = std::current_exception();
  const thrown_text what = text_of(thrown);
  const std::string cause = what.kind == thrown_kind::no_memory ? "out of memory (std::bad_alloc)" : what.text;
  owner_.owner().fail(
      fmt::format("rank {}: a handler of channel {} of aggregation \"{}\" has thrown, for an item of its rank {}: {}",
                  owner_.number(), arrived.channel, name(), arrived.source, cause),
      1, thrown);
  owner_.owner().leave(owner_);
}

}  // namespace pure::core
