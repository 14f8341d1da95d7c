#include "hang/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "hang/stack_traces.hpp"
#include "hang/wait_graph.hpp"

namespace pure::core {

namespace {

using doing = rank_state::doing;

constexpr std::size_t widest_fixed_line = 80;  // of what is the same in all reports: names and places may be longer

/// "; rank 1 holds it by pure_win_lock at a.cpp:12": empty if nobody is known to.
std::string who_holds_it(const std::vector<holder>& holders) {
  std::string text;
  for (const holder& each : holders) {
    text += fmt::format("{} rank {} holds it by {}", text.empty() ? ";" : ",", each.rank, each.by);
  }
  return text;
}

/// "rank 3 waits in pure_recv_msg for a message from rank 1, tag 7, at a.cpp:12".
std::string text_of_wait(int rank, const rank_state& state) {
  return describe(rank, state.wait.reason()) + who_holds_it(state.holders);
}

std::string waits(std::span<const rank_state> ranks, std::span<const int> of) {
  std::string text;
  for (const int rank : of) text += "  " + text_of_wait(rank, ranks[static_cast<std::size_t>(rank)]) + "\n";
  return text;
}

std::string explanation(const wait_graph& graph) {
  std::string text;
  for (const std::vector<int>& cycle : graph.cycles) text += "  cycle: " + text_of(cycle) + "\n";
  for (const wait_graph::edge& each : graph.on_finished) {
    text += fmt::format("  rank {} waits for rank {}, whose main has returned{}{}\n", each.waiting, each.finished,
                        each.held_by.empty() ? "" : " with what it held by ", each.held_by);
  }
  return text;
}

/// What to look for, by the kinds of the waits: each advice once.
std::string advice(std::span<const rank_state> ranks, std::span<const int> of) {
  std::vector<std::string_view> all;
  for (const int rank : of) {
    const std::string_view its = ranks[static_cast<std::size_t>(rank)].wait.waiting_for.advice;
    if (!its.empty() && std::find(all.begin(), all.end(), its) == all.end()) all.push_back(its);
  }
  std::string text;
  for (const std::string_view each : all) text += wrapped(each, 2, widest_fixed_line);
  return text;
}

/// The stacks of these ranks, in this order.
std::string stacks_text_of(std::span<const int> of, std::span<const stack_lines> stacks) {
  std::vector<stack_lines> chosen;
  for (const int rank : of) {
    const auto found = std::find_if(stacks.begin(), stacks.end(), [rank](const auto& s) { return s.rank == rank; });
    if (found != stacks.end()) chosen.push_back(*found);
  }
  return stacks_text(chosen);
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

bool has_stack(const rank_state& state) { return state.now == doing::computing || state.now == doing::waiting; }

/// The message, whose last line has no end.
std::string as_message(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::vector<stack_lines> stacks_of(job& all, std::span<const int> ranks) {
  std::vector<stack_slot*> slots;
  slots.reserve(ranks.size());
  for (const int rank : ranks) slots.push_back(&all.at(rank).thread().stack());
  std::vector<stack_trace> traces = collect_stacks(slots);
  std::vector<stack_of> named;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool is_known = slots[i]->thread_id.load(std::memory_order_relaxed) != 0;  // not in a test without threads
    if (is_known) named.push_back({all.name_of(all.at(ranks[i])), ranks[i], std::move(traces[i])});
  }
  return lines_of(named);
}

std::vector<stack_lines> stacks_of(job& all, std::span<const rank_state> ranks) {
  return stacks_of(all, ranks_that(ranks, has_stack));
}

std::string report_of_deadlock(std::span<const rank_state> ranks, std::span<const stack_lines> stacks) {
  const std::vector<int> waiting = ranks_that(ranks, [](const rank_state& s) { return s.now == doing::waiting; });
  const std::vector<int> finished = ranks_that(ranks, [](const rank_state& s) { return s.now == doing::finished; });
  std::string text = "deadlock: every rank that still runs waits, and nothing is in flight\n" + waits(ranks, waiting);
  if (!finished.empty()) {
    text += fmt::format("  {} of {} ranks had returned from their main\n", finished.size(), ranks.size());
  }
  return as_message(text + explanation(explain(ranks)) + advice(ranks, waiting) + stacks_text_of(waiting, stacks));
}

std::string report_of_stuck_ranks(std::span<const rank_state> ranks, std::span<const int> stuck,
                                  std::span<const stack_lines> stacks) {
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
  text += explanation(explain(ranks, waiting)) + advice(ranks, waiting);
  waiting.insert(waiting.end(), others.begin(), others.end());
  return as_message(text + stacks_text_of(waiting, stacks));
}

std::string table_of_ranks(std::span<const rank_state> ranks, std::span<const stack_lines> stacks) {
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
        text += fmt::format("  {}, for {:.1f} s\n", text_of_wait(rank, state),
                            static_cast<double>(now - state.wait.since_ns) * 1e-9);
    }
  }
  text += explanation(explain(ranks));
  return text + stacks_text_of(ranks_that(ranks, has_stack), stacks);
}

std::string text_of_foreign(int threads, int ends_s) {
  const std::string end = ends_s == 0
                              ? "the job is not ended (PURE_HANG_ENDS=60 would end it after 60 s)"
                              : fmt::format("the job is ended when they have waited for {} s (PURE_HANG_ENDS)", ends_s);
  return fmt::format("ranks wait for ever, unless {} Pure has not started frees them: {}",
                     threads == 1 ? "the thread that" : fmt::format("one of the {} threads that", threads), end);
}

std::string text_of_end(int threads, int ends_s) {
  const std::string who = threads == 1 ? "the thread" : fmt::format("none of the {} threads", threads);
  const std::string text = fmt::format(
      "They have waited for {} s, which ends the job (PURE_HANG_ENDS): {} that Pure has "
      "not started has{} freed them.",
      ends_s, who, threads == 1 ? " not" : "");
  return "\n" + as_message(wrapped(text, 2, widest_fixed_line));
}

std::string text_of_warning(std::string_view why, std::int64_t next_s) {
  const std::string all = fmt::format("pure: warning: {}; the next warning comes after {} s", why, next_s);
  const std::string lines = wrapped(all, 0, widest_fixed_line);
  const std::string first = lines.substr(0, lines.find('\n'));
  return first + "\n" + wrapped(std::string_view(all).substr(first.size()), 2, widest_fixed_line);
}

}  // namespace pure::core
