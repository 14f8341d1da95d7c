// Modelled by tests/model/hang_coordinator.pml.
#include "hang/reporter.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "hang/report.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

using doing = rank_state::doing;

constexpr std::int64_t between_tries_ns = 500'000;
constexpr std::int64_t attentive_for_ns = 3'000'000'000;  // after a question

bool is_older(std::uint32_t number, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(number - other) < 0;
}

bool is_as_told(const rank_state& now, const rank_state& told) noexcept {
  return now.now == told.now && now.rests == told.rests && now.sleep == told.sleep && now.holders == told.holders;
}

}  // namespace

void hang_reporter::tell(std::vector<rank_state> ranks) {
  other_processes& others = *job_.others();
  const std::span<const int> here = others.placement().ranks_of(others.process());
  const std::int64_t now = now_ns();
  std::vector<rank_state> states;
  // After the look at the ranks: those that are still in the sleeps which it has seen slept when all workers did.
  bool all_sleep = job_.all_workers_sleep();
  for (const int rank : here) {
    rank_state& state = states.emplace_back(ranks[static_cast<std::size_t>(rank)]);
    if (state.now == doing::waiting && now - state.wait.since_ns < settling_ns) state = {};
    if (state.now == doing::computing) state = {};
    all_sleep = all_sleep && state.now != doing::computing && (state.sleep != 0 || job_.at(rank).has_ended());
  }
  if (told_.empty()) told_.resize(states.size());  // at first they compute
  if (std::equal(states.begin(), states.end(), told_.begin(), is_as_told) && all_sleep == has_told_all_sleep_) return;
  byte_packer message;
  message.add(hang_message::states).add(all_sleep).add(static_cast<std::uint32_t>(here.size()));
  for (std::size_t i = 0; i < here.size(); ++i) {
    message.add(here[i]);
    add(message, states[i], now);
  }
  others.send_control_message(0, message.bytes());
  told_ = std::move(states);
  has_told_all_sleep_ = all_sleep;
}

bool hang_reporter::is_wanted() const noexcept { return asked_ns_ != 0 && now_ns() - asked_ns_ < attentive_for_ns; }

void hang_reporter::hear(int from, hang_message what, byte_unpacker& said) {
  const auto number = said.number<std::uint32_t>();
  switch (what) {
    case hang_message::count:
    case hang_message::settle:
    case hang_message::again: return ask(what, number, said);
    case hang_message::held: {
      if (is_older(number, asked_.number)) return;
      turn_to(number);  // it may have come before the question
      for (std::uint32_t left = said.count(); left > 0; --left) {
        asked_.held.push_back({from, said.number<std::uint32_t>()});
      }
      return;
    }
    default: asked_ns_ = now_ns(); return tell_stacks(number);
  }
}

void hang_reporter::turn_to(std::uint32_t number) {
  if (number == asked_.number) return;
  asked_ = {};
  asked_.number = number;
}

void hang_reporter::ask(hang_message what, std::uint32_t number, byte_unpacker& said) {
  asked_ns_ = now_ns();
  next_try_ns_ = 0;
  turn_to(number);
  asked_.what = what;
  if (what == hang_message::count) {
    asked_.suspects = sleepers_in(said);
    asked_.processes.resize(said.count());
    for (int& each : asked_.processes) each = said.number<int>();
  }
  if (what == hang_message::settle) {
    asked_.awaited.resize(said.count());
    for (std::uint64_t& each : asked_.awaited) each = said.number<std::uint64_t>();
  }
}

bool hang_reporter::still_sleep() const {
  return std::all_of(asked_.suspects.begin(), asked_.suspects.end(), [this](const sleeper& each) {
    const rank_context& rank = job_.at(each.rank);
    return each.sleep == 0 ? rank.has_ended() : rank.thread().still_sleeps(each.sleep);
  });
}

void hang_reporter::answer() {
  if (asked_.what == hang_message::settled) return;
  const std::int64_t now = now_ns();
  if (now < next_try_ns_) return;
  next_try_ns_ = now + between_tries_ns;
  std::vector<int> ranks;
  for (const sleeper& each : asked_.suspects) ranks.push_back(each.rank);
  const auto seen = job_.others()->look_at_messages(ranks, asked_.held);
  if (!seen) return;
  // After the messages: whoever has got one that it waits for is awake now.
  if (!still_sleep()) return say_no_or_yes(false);
  if (!seen->is_settled && !asked_.suspects.empty()) return;
  asked_.what == hang_message::count ? answer_count(*seen) : answer_settle(*seen);
}

/// What is held goes first, and straight to where it will be asked for: behind its bytes, where the network keeps an
/// order, and among the packets that are counted afterwards.
void hang_reporter::answer_count(const messages_under_way& seen) {
  other_processes& others = *job_.others();
  if (!std::exchange(asked_.has_told_held, true)) {
    bool is_any_held = false;
    for (const int process : asked_.processes) {
      byte_packer message;
      std::uint32_t count = 0;
      for (const held_elsewhere& each : seen.held) count += each.process == process ? 1U : 0U;
      if (count == 0) continue;
      message.add(hang_message::held).add(asked_.number).add(count);
      for (const held_elsewhere& each : seen.held) {
        if (each.process == process) message.add(each.number);
      }
      others.send_control_message(process, message.bytes());
      is_any_held = true;
    }
    if (is_any_held) return;
  }
  byte_packer message;
  message.add(hang_message::counted).add(asked_.number).add(true);
  message.add(static_cast<std::int32_t>(job_.foreign_threads()));
  message.add(static_cast<std::uint32_t>(asked_.suspects.empty() ? 0 : asked_.processes.size()));
  if (!asked_.suspects.empty()) {
    for (const int process : asked_.processes) {
      message.add(process).add(seen.sent[static_cast<std::size_t>(process)]);
    }
  }
  asked_.what = hang_message::settled;
  others.send_control_message(0, message.bytes());
}

void hang_reporter::answer_settle(const messages_under_way& seen) {
  for (std::size_t process = 0; process < asked_.awaited.size(); ++process) {
    if (seen.arrived[process] < asked_.awaited[process]) return;
  }
  if (!std::exchange(asked_.have_arrived, true)) {
    next_try_ns_ = 0;
    return;  // what is held, by control messages that came with them, has not been looked at
  }
  say_no_or_yes(true);
}

void hang_reporter::say_no_or_yes(bool is_so) {
  const hang_message answer = asked_.what == hang_message::count ? hang_message::counted : hang_message::settled;
  byte_packer message;
  message.add(answer).add(asked_.number).add(is_so);
  asked_.what = hang_message::settled;
  job_.others()->send_control_message(0, message.bytes());
}

void hang_reporter::tell_stacks(std::uint32_t number) {
  other_processes& others = *job_.others();
  std::vector<int> ranks;
  for (const int rank : others.placement().ranks_of(others.process())) {
    if (!job_.at(rank).main_has_returned()) ranks.push_back(rank);
  }
  const std::vector<stack_lines> stacks = stacks_of(job_, ranks);
  byte_packer message;
  message.add(hang_message::stacks_are).add(number).add(static_cast<std::uint32_t>(stacks.size()));
  for (const stack_lines& each : stacks) message.add(each.rank).add(std::string_view(each.lines));
  others.send_control_message(0, message.bytes());
}

}  // namespace pure::core
