// The gateway, sends that are cancelled after they have left (MPI 4.1, 3.8.4): the sender's process asks the
// receiver's, which answers whether a receive has matched. Either way the send completes.
#include <algorithm>

#include "match/gateway.hpp"

namespace pure::core {

// ---- the sender's process -------------------------------------------------------------------------------------------

void gateway::ask_back(const rank_context& by, send_claim& its) {
  local_end& end = *ends_[static_cast<std::size_t>(by.index())];
  {
    const std::lock_guard lock(end.asking);
    end.asked_back.push_back(&its);
  }
  end.has_asked_back.store(true, std::memory_order_relaxed);  // say_work() publishes it
  say_work(end);
  leave_work();
}

void gateway::take_asked_back(local_end& end) {
  if (!end.has_asked_back.load(std::memory_order_relaxed)) return;
  end.has_asked_back.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(end.asking);
  for (const send_claim* const its : end.asked_back) {
    // One that is not there any more has just completed.
    const auto sent = open_sends_.find(its->number_elsewhere);
    const bool is_there = sent != open_sends_.end() && sent->second.claim && sent->second.claim.is_of(*its);
    if (!is_there || sent->second.is_asked_back) continue;
    sent->second.is_asked_back = true;
    if (sent->second.large != nullptr) keep_out_of_runs(end, *sent->second.large);
    answer(sent->second.process, wire_kind::cancel, sent->first);
  }
  end.asked_back.clear();
}

/// A message of a run cannot be asked back, and its sender wants that.
void gateway::keep_out_of_runs(local_end& end, const send_op& taken_back) noexcept {
  for (const auto& link : end.out) {
    if (link->to != taken_back.to) continue;
    link->streams.alike.interrupt();
    if (out_stream* const its = link->streams.find(taken_back.who)) its->avoid_runs();
  }
}

void gateway::hear_of(std::uint32_t number, wire_kind what) {
  open_send& sent = open_sends_.at(number);
  if (what != wire_kind::matched) sent.is_asked_back = false;
  if (what == wire_kind::cancelled) sent.is_taken_back = true;
  if (what != wire_kind::not_cancelled) sent.is_match_awaited = false;
  end_if_complete(sent);
}

// ---- the receiver's process -----------------------------------------------------------------------------------------

/// A message may wait behind a run: then it is looked for when that has come.
void gateway::answer_asked_back(int process, std::uint32_t number) {
  if (incomplete_runs_ > 0) {
    asked_behind_.emplace_back(process, number);
    return;
  }
  answer(process, take_back(process, number) ? wire_kind::cancelled : wire_kind::not_cancelled, number);
}

/// True if no receive has matched it; then none will.
bool gateway::take_back(int process, std::uint32_t number) {
  for (const auto& end : ends_) {
    if (take_back_waiting(*end, process, number)) return true;
  }
  // One that was expected has no claim: it has matched.
  handed_over* const handed = handed_over_.find(process, number);
  if (handed == nullptr || !handed->withdraw()) return false;
  remote_payload* const large = handed->large;
  handed_over_.leave(*handed);
  if (large != nullptr) drop(*large);
  return true;
}

/// The same for one that has found no room in its ring.
bool gateway::take_back_waiting(local_end& end, int process, std::uint32_t number) {
  for (auto link = end.full.begin(); link != end.full.end(); ++link) {
    auto& waiting = (*link)->waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const waiting_entry& each) {
      return each.what.names_send() && each.process == process && each.what.number == number;
    });
    if (found == waiting.end()) continue;
    if (found->large != nullptr) {
      handed_over_.give_back(*found->large->claim);
      drop(*found->large);
    }
    waiting.erase(found);
    if (waiting.empty()) end.full.erase(link);
    return true;
  }
  return false;
}

/// Of a large message that its sender has back: its bytes still come, and are thrown away.
void gateway::drop(remote_payload& payload) {
  payload.is_dropped = true;
  if (payload.is_here) {
    forget(payload);
    payloads_.give_back(payload);
  } else if (!payload.is_posted) {
    post(payload);
  }
}

}  // namespace pure::core
