#include "runtime/hang_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "runtime/stack_text.hpp"
#include "runtime/wait_graph.hpp"

namespace pure::core {

namespace {

using doing = rank_state::doing;

constexpr char advice[] =
    "  Look for a receive whose message nobody sends, or sends that all wait for receives posted after them.\n";

std::string waits(std::span<const rank_state> ranks, std::span<const int> of) {
  std::string text;
  for (const int rank : of) text += "  " + describe(rank, ranks[static_cast<std::size_t>(rank)].wait.reason()) + "\n";
  return text;
}

std::string explanation(const wait_graph& graph) {
  std::string text;
  for (const std::vector<int>& cycle : graph.cycles) text += "  cycle: " + text_of(cycle) + "\n";
  for (const wait_graph::edge& each : graph.on_finished) {
    text += fmt::format("  rank {} waits for rank {}, whose main has returned\n", each.waiting, each.finished);
  }
  return text;
}

std::string stacks(job& all, const std::vector<int>& of) {
  std::vector<stack_slot*> slots;
  slots.reserve(of.size());
  for (const int rank : of) slots.push_back(&all.at(rank).stack());
  std::vector<stack_trace> traces = collect_stacks(slots);
  std::vector<stack_of> named;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const bool is_known = slots[i]->thread_id.load(std::memory_order_relaxed) != 0;  // not in a test without threads
    if (is_known) named.push_back({all.name_of(all.at(of[i])), of[i], std::move(traces[i])});
  }
  return stacks_text(named);
}

/// The ranks for which is_one(state) is true.
template <class IsOne>
std::vector<int> ranks_that(std::span<const rank_state> ranks, IsOne is_one) {
  std::vector<int> list;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (is_one(ranks[rank])) list.push_back(static_cast<int>(rank));
  }
  return list;
}

/// The message, whose last line has no end.
std::string as_message(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string report_of_deadlock(job& all, std::span<const rank_state> ranks) {
  const std::vector<int> waiting = ranks_that(ranks, [](const rank_state& s) { return s.now == doing::waiting; });
  const std::vector<int> finished = ranks_that(ranks, [](const rank_state& s) { return s.now == doing::finished; });
  std::string text = "deadlock: every rank that still runs waits, and nothing is in flight\n" + waits(ranks, waiting);
  if (!finished.empty()) {
    text += fmt::format("  {} of {} ranks had returned from their main\n", finished.size(), ranks.size());
  }
  return as_message(text + explanation(explain(ranks)) + advice + stacks(all, waiting));
}

std::string report_of_stuck_ranks(job& all, std::span<const rank_state> ranks, std::span<const int> stuck) {
  std::vector<int> waiting, finished, others;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    const bool is_finished = ranks[static_cast<std::size_t>(rank)].now == doing::finished;
    const bool is_stuck = std::find(stuck.begin(), stuck.end(), rank) != stuck.end();
    (is_finished ? finished : is_stuck ? waiting : others).push_back(rank);
  }
  std::string text = fmt::format("deadlock: {} {} {} for ever, whatever the others do\n",
                                 waiting.size() == 1 ? "rank" : "ranks", cpu_list_text(waiting),
                                 waiting.size() == 1 ? "waits" : "wait");
  text += waits(ranks, waiting);
  if (!finished.empty()) {
    text += fmt::format("  {} of {} ranks had returned from their main\n", finished.size(), ranks.size());
  }
  text += explanation(explain(ranks, waiting)) + advice;
  waiting.insert(waiting.end(), others.begin(), others.end());
  return as_message(text + stacks(all, waiting));
}

std::string table_of_ranks(job& all, std::span<const rank_state> ranks) {
  std::string text;
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int rank = static_cast<int>(i);
    const rank_state& state = ranks[i];
    switch (state.now) {
      case doing::elsewhere: break;
      case doing::computing: text += fmt::format("  rank {} computes\n", rank); break;
      case doing::finished: text += fmt::format("  rank {} has returned from its main\n", rank); break;
      case doing::waiting:
        text += fmt::format("  {}, for {:.1f} s\n", describe(rank, state.wait.reason()),
                            static_cast<double>(now - state.wait.since_ns) * 1e-9);
    }
  }
  text += explanation(explain(ranks));
  return text + stacks(all, ranks_that(ranks, [](const rank_state& s) {
                         return s.now == doing::computing || s.now == doing::waiting;
                       }));
}

}  // namespace pure::core
