#include "hang/watch.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "hang/crash.hpp"
#include "hang/report.hpp"
#include "hang/wait_graph.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

}  // namespace

hang_watch::hang_watch(job& watched) noexcept : job_(watched), started_ns_(now_ns()) {}

// ---- pure attach ----------------------------------------------------------------------------------------------------

int hang_watch::descriptor() {
  if (!attached_) attached_.emplace();
  return attached_->descriptor();
}

void hang_watch::answer() {
  attached_->answer([this] {
    const std::vector<rank_state> ranks = look_at_ranks(job_);
    return fmt::format(
        "{} of process {}{}, started {:.1f} s ago\n{}", counted(static_cast<unsigned>(job_.ranks_here()), "rank"),
        getpid(), job_.others() == nullptr ? "" : ", " + place_in_job(),
        static_cast<double>(now_ns() - started_ns_) * 1e-9, table_of_ranks(ranks, stacks_of(job_, ranks)));
  });
}

// ---- looking --------------------------------------------------------------------------------------------------------

void hang_watch::look() {
  const std::vector<rank_state> ranks = look_at_ranks(job_);
  if (job_.others() != nullptr) {
    reporter_->tell(ranks);
    if (coordinator_) coordinator_->look();
    return warn_of_long_waits(ranks, 0);
  }
  const std::vector<int> stuck = certainly_stuck(ranks);
  const bool is_hang = job_.look_for_deadlock() || !stuck.empty();
  if (job_.ending()) return;
  const int foreign = is_hang ? job_.foreign_threads() : 0;
  if (!stuck.empty() && foreign == 0) {
    job_.fail_by_deadlock(report_of_stuck_ranks(ranks, stuck, stacks_of(job_, ranks)));
  } else if (foreign > 0 && is_time_to_end(ranks, stuck)) {
    const std::vector<stack_lines> stacks = stacks_of(job_, ranks);
    job_.fail_by_deadlock(
        (stuck.empty() ? report_of_deadlock(ranks, stacks) : report_of_stuck_ranks(ranks, stuck, stacks)) +
        text_of_end(foreign, job_.values().hang_ends_s));
  } else {
    warn_of_long_waits(ranks, foreign);
  }
}

void hang_watch::look_at_crash() { explain_crash(); }

std::string hang_watch::deadlock_report() {
  const std::vector<rank_state> ranks = look_at_ranks(job_);
  return report_of_deadlock(ranks, stacks_of(job_, ranks));
}

/// The ranks that are stuck for ever, if some were at the look before, in the same sleeps.
std::vector<int> hang_watch::certainly_stuck(std::vector<rank_state> ranks) {
  std::vector<int> stuck = stuck_for_ever(ranks);
  std::vector<std::pair<int, std::uint32_t>> before;
  before.swap(suspects_);
  for (const int rank : stuck) suspects_.emplace_back(rank, ranks[static_cast<std::size_t>(rank)].sleep);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::pair same(static_cast<int>(i), ranks[i].sleep);
    if (!std::binary_search(before.begin(), before.end(), same)) ranks[i].rests = false;
  }
  if (stuck_for_ever(ranks).empty()) stuck.clear();
  return stuck;
}

/// Whether PURE_HANG_ENDS ends a hang of these ranks; `stuck`: none means all.
bool hang_watch::is_time_to_end(const std::vector<rank_state>& ranks, std::vector<int> stuck) const {
  const int ends_s = job_.values().hang_ends_s;
  if (stuck.empty()) {
    stuck.resize(ranks.size());
    std::iota(stuck.begin(), stuck.end(), 0);
  }
  return ends_s > 0 && common_wait_ns(ranks, stuck) >= ends_s * second_ns;
}

/// Of ranks of this process.
void hang_watch::warn_of_long_waits(const std::vector<rank_state>& ranks, int foreign) {
  const int asked_s = job_.values().hang_timeout_s;
  if (asked_s == 0 && foreign == 0) return;
  const std::int64_t now = now_ns();
  std::int64_t longest_ns = 0;
  for (const rank_state& each : ranks) {
    if (each.now == rank_state::doing::waiting) longest_ns = std::max(longest_ns, now - each.wait.since_ns);
  }
  if (!warnings_.is_time(longest_ns, asked_s)) return;
  const std::string why = foreign > 0 ? text_of_foreign(foreign, job_.values().hang_ends_s)
                                      : fmt::format("a rank{} has waited for {} s (PURE_HANG_TIMEOUT={})",
                                                    job_.others() != nullptr ? " of " + place_in_job() : "",
                                                    longest_ns / second_ns, asked_s);
  say([&] { return text_of_warning(why, warnings_.next_s()) + table_of_ranks(ranks, stacks_of(job_, ranks)); });
}

// ---- several processes ----------------------------------------------------------------------------------------------

/// "process 1 of 3 of a job of 6 ranks": the others have the other ranks.
std::string hang_watch::place_in_job() const {
  const other_processes* const others = job_.others();
  return fmt::format("process {} of {} of a job of {}", others->process(), others->placement().processes(),
                     counted(static_cast<unsigned>(job_.size()), "rank"));
}

bool hang_watch::is_asked() const noexcept {
  return (reporter_ && reporter_->is_wanted()) || (coordinator_ && coordinator_->is_busy());
}

void hang_watch::read_control_messages() {
  if (!reporter_) {
    reporter_.emplace(job_);
    if (job_.others()->process() == 0) coordinator_.emplace(job_);
  }
  for (const control_message& each : job_.others()->take_control_messages()) {
    byte_unpacker said(each.text);
    switch (const auto what = said.number<hang_message>()) {
      case hang_message::states:
      case hang_message::counted:
      case hang_message::settled:
      case hang_message::stacks_are: coordinator_->hear(each.from, what, said); break;
      default: reporter_->hear(each.from, what, said);
    }
  }
  reporter_->answer();
  if (coordinator_) coordinator_->move_on();
}

}  // namespace pure::core
