#include "start/rank_job.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <pure/error.hpp>

#include "base/say.hpp"
#include "hang/watch.hpp"
#include "machine/bindings_picture.hpp"
#include "machine/helper_places.hpp"
#include "machine/room_for_ranks.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/leftovers.hpp"
#include "runtime/wait.hpp"
#include "trace/stats_report.hpp"

namespace pure::core {

namespace {

std::vector<wait_policy> how_to_wait(const launch_plan& plan, const places_of_job& places) {
  const settings& values = plan.values;
  wait_policy usual;
  usual.pauses_per_poll = values.poll_pauses != 0 ? values.poll_pauses : measured_pauses_per_poll();
  usual.spin_ns = std::int64_t{values.spin_us} * 1000;
  usual.spin_elsewhere_ns = usual.spin_ns;
  usual.spin_for_payloads_ns = usual.spin_ns;
  std::vector<wait_policy> all(places.all.size(), usual);
  const bool too_many = places.all.size() > places.machine.allowed_cpus().size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const rank_place& place = places.all[i];
    const bool shares = plan.shares_cores || (place.cpus.empty() ? too_many : place.ranks_on_core > 1);
    if (!shares) continue;
    all[i].yields = true;
    all[i].pauses_per_poll = 0;
    if (plan.has_own_cores && !place.is_beside) all[i].stays_ns = wait_policy::turn_ns * place.ranks_on_core;
    all[i].spin_for_payloads_ns = std::min(all[i].spin_ns, wait_policy::spin_for_payloads_on_shared_core_ns);
    all[i].spin_elsewhere_ns = std::min(all[i].spin_ns, wait_policy::spin_elsewhere_on_shared_core_ns);
    all[i].spin_ns = std::min(all[i].spin_ns, wait_policy::spin_on_shared_core_ns);
  }
  return all;
}

ranks_to_map ranks_to_start(const launch_plan& plan, const topology& machine) {
  if (plan.others != nullptr) {
    const rank_placement& placement = plan.others->placement();
    const auto own = placement.ranks_of(plan.others->process());
    return {.of_job = placement.ranks(), .own = {own.begin(), own.end()}, .beside = plan.ranks_beside};
  }
  const int asked = plan.ranks != 0 ? plan.ranks : plan.values.ranks;
  return ranks_to_map::all(asked != 0 ? asked : machine.default_ranks());
}

/// Where the ranks of a job may be that is in one process: beside those of other jobs. Whose processes are several has
/// its cpus from who has started them.
struct place_beside_others {
  std::unique_ptr<cpu_claims> claims;
  std::unique_ptr<const topology> rest;  // null: the machine
  std::string map_by;

  place_beside_others(const launch_plan& plan, const topology& machine, int ranks) : map_by(plan.values.map_by) {
    if (plan.others != nullptr || plan.values.other_jobs == "ignore") return;
    claims = std::make_unique<cpu_claims>();
    free_part found = claim_free_cpus(*claims, machine, ranks, {map_by, plan.values.cpus_per_rank});
    if (found.rest) rest = std::make_unique<topology>(*std::move(found.rest));
    if (found.is_enough) return;
    map_by = "none";
    if (plan.values.report_bindings) say("pure: note: {}\n", text_of_no_free_cpus(*claims, machine));
  }
};

}  // namespace

places_of_job places_of_job::of(const launch_plan& plan) {
  const topology& whole = plan.machine != nullptr ? *plan.machine : topology::of_this_machine();
  const ranks_to_map ranks = ranks_to_start(plan, whole);
  place_beside_others beside(plan, whole, static_cast<int>(ranks.own.size()));
  const topology& machine = beside.rest != nullptr ? *beside.rest : whole;
  // A file says which cpus are whose, whatever the shares of the processes are.
  const bool is_file = !map_by_path(plan.values.map_by).empty();
  const topology& to_map = is_file ? topology::of_this_machine() : machine;
  mapped_ranks mapped = map_ranks(to_map, ranks, {beside.map_by, plan.values.cpus_per_rank});
  places_of_job made{.claims = std::move(beside.claims),
                     .rest = std::move(beside.rest),
                     .machine = machine,
                     .all = std::move(mapped.own)};
  std::vector<rank_place> with_ranks = made.all;
  with_ranks.insert(with_ranks.end(), mapped.beside.begin(), mapped.beside.end());
  const std::vector<rank_place> helpers = places_for_helpers(machine, with_ranks, plan.values.helpers);
  if (plan.values.report_bindings) {
    say([&] { return bindings_picture(to_map, made.all, beside.map_by, helpers, ranks.own); });
  }
  made.all.insert(made.all.end(), helpers.begin(), helpers.end());
  made.helpers = static_cast<int>(helpers.size());
  made.stack_bytes = stack_bytes_of(plan.values);
  const bool usual_pages = page_kind_of(plan.values.huge_pages) == page_kind::normal;
  const auto taken = what_ranks_take(made.stack_bytes, usual_pages ? 0 : huge_page_bytes());
  if (const std::string why = why_too_many(made.all.size(), taken); !why.empty()) throw Error(errc::argument, why);
  return made;
}

places_of_job places_of_job::of_adopted_rank(const launch_plan& plan) {
  if (plan.binds_adopted) return of(plan);
  const topology& machine = plan.machine != nullptr ? *plan.machine : topology::of_this_machine();
  places_of_job made{.claims = nullptr, .rest = nullptr, .machine = machine, .all = {rank_place()}};
  const std::vector<rank_place> helpers = places_for_helpers(machine, made.all, plan.values.helpers);
  if (plan.values.report_bindings)
    say([&] { return bindings_picture(machine, made.all, "none", helpers, ranks_to_start(plan, machine).own); });
  made.all.insert(made.all.end(), helpers.begin(), helpers.end());
  made.helpers = static_cast<int>(helpers.size());
  made.stack_bytes = stack_bytes_of(plan.values);
  return made;
}

rank_job::rank_job(const launch_plan& plan, const places_of_job& places, trace_file* timeline,
                   const std::function<void(rank_context&)>& attach_services)
    : plan_(plan),
      places_(places),
      timeline_(timeline),
      running_(plan.values, how_to_wait(plan, places), plan.action, attach_services, places.helpers, places.all,
               plan.others),
      threads_(places.all.size()),
      starter_(running_, places.stack_bytes, places.machine) {
  running_.observe_by(std::make_unique<hang_watch>(running_));
  running_.before_process_ends([this] {
    if (timeline_ != nullptr) timeline_->write_own(running_);
    if (plan_.values.stats) report_stats_of_failed(running_);
  });
  running_.count_foreign_threads(foreign_threads);
  cuttable_.emplace(running_);
}

void rank_job::start(const std::function<int(rank_context&)>& body) { start_from(0, body); }

void rank_job::start_helpers() {
  static const std::function<int(rank_context&)> no_main;
  threads_.front().self = &first_worker();
  start_from(1, no_main);
}

void rank_job::start_from(std::size_t first, const std::function<int(rank_context&)>& body) {
  std::size_t started = first;
  try {
    if (plan_.others != nullptr) {
      running_.make_progress_by([this] { progress_.emplace(*plan_.others); });
      if (plan_.values.async_progress == "on" || plan_.values.async_progress == "1") running_.make_progress();
    }
    for (; started < threads_.size(); ++started)
      starter_.start(threads_[started], running_.worker(static_cast<int>(started)), body, places_.all[started]);
  } catch (const std::exception& error) {  // some may run already
    running_.fail(error.what(), 1);
    for (std::size_t i = started; i < threads_.size(); ++i)
      running_.rank_returned(running_.worker(static_cast<int>(i)));
    threads_.resize(started);
  }
}

outcome rank_job::finish() {
  for (rank_thread& each : threads_) {
    if (each.is_started) pthread_join(each.handle, nullptr);
  }
  cuttable_.reset();
  progress_.reset();  // from here on this thread has the network for itself
  if (timeline_ != nullptr) timeline_->write(running_);
  if (plan_.values.stats) report_stats(running_, plan_.meeting);

  if (running_.ending()) return {running_.failure_status(), running_.failure_text(), running_.failure()};
  const outcome of_mains = outcome_of_mains();
  if (of_mains.status != 0) return of_mains;
  if (plan_.values.check && report_leftovers(running_)) return {.status = 1, .failure_text = {}, .failure = nullptr};
  return {};
}

/// The first status that is not 0, by rank.
outcome rank_job::outcome_of_mains() const {
  for (const rank_thread& each : threads_) {
    if (each.status == 0) continue;
    const int status = nonzero_status(each.status);
    if (status != each.status) {
      say("pure: rank {} returned {}, which as an exit status would be 0: the status is {}\n", each.self->number(),
          each.status, status);
    }
    return {.status = status, .failure_text = {}, .failure = nullptr};
  }
  return {};
}

}  // namespace pure::core
