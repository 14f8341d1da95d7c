#include "aggregation/item_progress.hpp"

#include <fmt/core.h>

#include <cstdint>

#include "aggregation/wait_kinds.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

constexpr call in_a_wait{"a wait", {}};

}  // namespace

item_progress::item_progress(aggregation_part& part, rank_stage& stage, const call_checks& checks, item_sender& sender,
                             item_receiver& receiver, const channel_list& channels) noexcept
    : part_(part), stage_(stage), checks_(checks), sender_(sender), receiver_(receiver), channels_(channels) {}

void item_progress::end_without_memory(const call& by) {
  stage_.fail();
  rank_context& owner = checks_.owner();
  owner.owner().fail_without_memory([&] {
    return fmt::format(
        "rank {}: out of memory in {}, where aggregation \"{}\" moves items that it has accepted; {} of "
        "its buffers and packets are in use",
        owner.number(), by.operation, *checks_.name(), rounded_bytes(sender_.memory().in_use()));
  });
  owner.owner().leave(owner);
}

// ---- what moves by itself -------------------------------------------------------------------------------------------

bool item_progress::advance() {
  return or_end_job(in_a_wait, [&] { return move_on(in_a_wait); });
}

bool item_progress::move_on(const call& by) {
  if (!stage_.moves_items()) return false;  // quiet: finish itself looks
  bool has_moved = part_.poll_transport();
  static constexpr int patience = 8;
  if (sender_.memory().is_at_cap() && skipped_at_cap_ < patience) [[unlikely]] {
    // Handlers may send more: first let others handle what they have. But they may wait for the same.
    sender_.credits().look_at_all();
    if (sender_.memory().is_at_cap()) {
      ++skipped_at_cap_;
      return push_all(by) || has_moved;
    }
  }
  skipped_at_cap_ = 0;
  has_moved |= receiver_.handle_arrivals();
  if (!has_moved && !part_.layout().routes().are_direct())
    has_moved = part_.shared().push(true) > 0;  // others wait for that
  return push_due(by) || has_moved;
}

bool item_progress::before_sleep() {
  if (!stage_.moves_items()) return false;
  return or_end_job(in_a_wait, [&] {
    const bool has_handled = receiver_.handle_arrivals();
    const bool has_pushed = push_all(in_a_wait);
    return part_.shared().push() > 0 || has_pushed || has_handled;
  });
}

bool item_progress::push_all(const call& by) {
  const aggregation_layout& layout = part_.layout();
  const int ranks = layout.ranks();
  bool has_pushed = false;
  for (const auto& channel : channels_) {
    for (int i = 1; i <= ranks && sender_.memory().open_buffers() > 0; ++i)
      has_pushed |= channel->flush(by, (checks_.rank() + i) % ranks);
    for (int i = 0; i < layout.processes() && layout.groups(); ++i) has_pushed |= channel->flush_process(i);
  }
  sender_.set_oldest_open(0);
  return has_pushed;
}

void item_progress::push_all(const call& by, int dest) {
  for (const auto& channel : channels_) {
    channel->flush(by, dest);
    if (part_.layout().groups()) channel->flush_process(part_.layout().next_to(dest));
  }
}

/// What has waited for as long as options allow.
bool item_progress::push_due(const call& by) {
  const std::int64_t bound_ns = part_.layout().options().latency_ns;
  if (bound_ns == 0 || sender_.oldest_open_ns() == 0) [[likely]]
    return false;
  const std::int64_t limit_ns = now_ns() - bound_ns;
  if (sender_.oldest_open_ns() > limit_ns) return false;
  bool has_pushed = false;
  std::int64_t oldest_ns = 0;
  for (const auto& channel : channels_) {
    has_pushed |= channel->flush_older(by, limit_ns);
    const std::int64_t its_ns = channel->oldest_ns();
    if (its_ns != 0 && (oldest_ns == 0 || its_ns < oldest_ns)) oldest_ns = its_ns;
  }
  sender_.set_oldest_open(oldest_ns);
  return part_.shared().push() > 0 || has_pushed;
}

// ---- waits ----------------------------------------------------------------------------------------------------------

template <class Condition>
void item_progress::wait(const call& by, const wait_kind& what, int peer, Condition condition,
                         while_waiting meanwhile) {
  const wait_subject about{.name = checks_.name()};
  const wait_reason why{.what = by, .waiting_for = what, .peer = peer, .tag = wait_reason::no_tag, .subject = &about};
  wait_until(checks_.owner(), why, condition, meanwhile);
}

void item_progress::has_opened(const call& by) {
  or_end_job(by, [&] { make_room_for_another(by); });  // the item is in
}

bool item_progress::has_room_for_another() {
  if (sender_.memory().has_room_for_another()) [[likely]]
    return true;
  sender_.credits().look_at_all();
  if (part_.transport() != nullptr) part_.poll_transport();
  return sender_.memory().has_room_for_another();
}

void item_progress::make_room_for_another(const call& by) {
  if (checks_.is_in_handler() || has_room_for_another()) [[likely]]
    return;
  wait(by, room_under_memory_cap, wait_reason::nobody, [&] {
    if (sender_.memory().has_open()) push_all(by);
    part_.shared().push();
    return has_room_for_another();
  });
}

void item_progress::has_pushed(const call& by, int dest) {
  if (checks_.is_in_handler()) return;
  or_end_job(by, [&] { make_room(by, dest); });
}

void item_progress::make_room(const call& by, int dest) {
  move_on(by);
  if (!part_.layout().is_here(dest)) return wait_for_network(by, part_.layout().next_to(dest));
  const int index = part_.layout().home_of(dest).index;
  const auto has_credit = [&] { return !sender_.credits().are_overdrawn(static_cast<std::size_t>(index)); };
  if (!has_credit()) wait(by, items_handled_by, part_.at(index).number, has_credit);
}

void item_progress::wait_for_network(const call& by, int next) {
  constexpr std::size_t most_waiting = 8;
  outgoing_packets& outgoing = part_.outgoing();
  if (outgoing.waiting(next) <= most_waiting) [[likely]]
    return;
  using queue = outgoing_packets::queue;
  queue its = queue::is_long;
  const auto has_had_its_turn = [&] {
    part_.poll_transport();
    its = outgoing.queue_for(next, most_waiting);
    return its != queue::is_served;
  };
  // While another rank sends them: soon over, and no reason to send off what is not full.
  wait(by, items_handled_elsewhere, wait_reason::nobody, has_had_its_turn, while_waiting::nothing);
  const auto has_room = [&] {
    part_.poll_transport();
    return outgoing.waiting(next) <= most_waiting;
  };
  if (its == queue::is_long) wait(by, items_handled_elsewhere, wait_reason::nobody, has_room);
}

}  // namespace pure::core
