#include "start/launch.hpp"

#include <fmt/core.h>

#include <optional>

#include <pure/error.hpp>

#include "gateway/special_ways.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/heavy_fence.hpp"
#include "runtime/launcher_link.hpp"
#include "start/rank_job.hpp"
#include "trace/trace_file.hpp"

namespace pure::core {

namespace {

void refuse_ranks_here(const char* caller) {
  if (is_forked_from_worker()) throw Error(errc::state, fmt::format("{}: {}", caller, forked_child_text()));
  if (self() == nullptr) return;
  throw Error(errc::state,
              fmt::format("{}: called by rank {} of a running job; a rank cannot start ranks. If main is run by "
                          "every rank because the program includes pure.h, define PURE_MAIN_RUNS_ONCE before it",
                          caller, self()->number()));
}

}  // namespace

void prepare_to_run(const launch_plan& plan, const char* caller) {
  refuse_ranks_here(caller);
  static_cast<void>(special_ways::without(plan.values.net_without));  // a wrong word is refused with one process, too
}

void ranks_start_now(const launch_plan& plan) {
  prepare_heavy_fence();
  ranks_run_in_this_process();
  tell_launcher_started(plan.values);
}

outcome run_ranks(const launch_plan& plan, const std::function<void(rank_context&)>& attach_services,
                  const std::function<int(rank_context&)>& body) {
  prepare_to_run(plan, "pure::run");
  const places_of_job places = places_of_job::of(plan);
  std::optional<trace_file> own_timeline;
  trace_file* timeline = plan.timeline;
  if (timeline == nullptr && !plan.values.trace.empty()) timeline = &own_timeline.emplace(plan.values.trace);
  const known_thread waits_for_ranks;
  ranks_start_now(plan);
  rank_job running(plan, places, timeline, attach_services);
  running.start(body);
  running.wait();
  return running.finish();
}

}  // namespace pure::core
