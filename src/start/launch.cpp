#include "start/launch.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <pure/error.hpp>

#include "base/say.hpp"
#include "base/text.hpp"
#include "gateway/special_ways.hpp"
#include "hang/crash.hpp"
#include "hang/watch.hpp"
#include "machine/bindings_picture.hpp"
#include "machine/helper_places.hpp"
#include "machine/mapping.hpp"
#include "machine/room_for_ranks.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/heavy_fence.hpp"
#include "runtime/launcher_link.hpp"
#include "runtime/leftovers.hpp"
#include "runtime/wait.hpp"
#include "start/progress_thread.hpp"
#include "start/rank_thread.hpp"
#include "trace/stats_report.hpp"
#include "trace/trace_file.hpp"

namespace pure::core {

namespace {

std::size_t stack_bytes(const settings& values) {
  if (values.stack_bytes != 0) return values.stack_bytes;
  constexpr std::size_t unlimited = 256U << 20;  // what "unlimited" gets: threads must reserve something
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return std::max<std::size_t>(limit.rlim_cur, 256 * 1024);
}

class thread_attributes {
 public:
  explicit thread_attributes(std::size_t stack) {
    pthread_attr_init(&attributes_);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (pthread_attr_setstacksize(&attributes_, (stack + page - 1) / page * page) != 0) {
      pthread_attr_destroy(&attributes_);
      throw Error(errc::argument, fmt::format("a rank's stack cannot have {} bytes (PURE_STACK_BYTES)", stack));
    }
  }
  thread_attributes(const thread_attributes&) = delete;
  thread_attributes& operator=(const thread_attributes&) = delete;
  ~thread_attributes() { pthread_attr_destroy(&attributes_); }

  /// For the thread made next.
  void put_stack_on(const mapped_block& memory) { pthread_attr_setstack(&attributes_, memory.data(), memory.bytes()); }

  /// For the threads made next: no cpus means wherever the process may run.
  void bind_to(const std::vector<int>& cpus, const topology& machine) {
    const std::span<const int> chosen = cpus.empty() ? machine.allowed_cpus() : std::span<const int>(cpus);
    const auto highest = static_cast<std::size_t>(*std::max_element(chosen.begin(), chosen.end()));
    const std::size_t bytes = CPU_ALLOC_SIZE(highest + 1);
    std::vector<unsigned long> mask(bytes / sizeof(unsigned long));
    for (const int cpu : chosen) {
      const auto bit = static_cast<std::size_t>(cpu);
      mask[bit / (8 * sizeof(unsigned long))] |= 1UL << (bit % (8 * sizeof(unsigned long)));
    }
    pthread_attr_setaffinity_np(&attributes_, bytes, reinterpret_cast<const cpu_set_t*>(mask.data()));
  }

  [[nodiscard]] const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  pthread_attr_t attributes_{};
};

/// Starts the threads of a job, and has their stacks.
class thread_starter {
 public:
  thread_starter(job& running, std::size_t stack, const topology& machine)
      : running_(running), machine_(machine), stack_(stack), attributes_(stack) {}

  /// By index. Throws pure::Error, std::bad_alloc.
  void start(rank_thread& thread, const std::function<int(rank_context&)>& body, const rank_place& place) {
    thread.self = &running_.worker(static_cast<int>(started_));
    thread.body = &body;
    attributes_.bind_to(place.cpus, machine_);
    if (running_.pages() != nullptr)
      attributes_.put_stack_on(stacks_.emplace_back(running_.pages()->map(stack_, "a stack")));
    const auto main = running_.is_helper(*thread.self) ? helper_main : rank_main;
    const int error = pthread_create(&thread.handle, attributes_.get(), main, &thread);
    if (error != 0) {
      throw Error(
          errc::other,
          fmt::format("{}, one of {}, could not be started: {}; lower the number of ranks, or PURE_STACK_BYTES",
                      running_.name_of(*thread.self), counted(static_cast<std::uint64_t>(running_.workers()), "thread"),
                      std::generic_category().message(error)));
    }
    ++started_;
  }

 private:
  job& running_;
  const topology& machine_;
  const std::size_t stack_;
  std::size_t started_ = 0;
  thread_attributes attributes_;
  std::vector<mapped_block> stacks_;
};

std::vector<wait_policy> how_to_wait(const launch_plan& plan, const std::vector<rank_place>& places,
                                     const topology& machine) {
  const settings& values = plan.values;
  wait_policy usual;
  usual.pauses_per_poll = values.poll_pauses != 0 ? values.poll_pauses : measured_pauses_per_poll();
  usual.spin_ns = std::int64_t{values.spin_us} * 1000;
  usual.spin_elsewhere_ns = usual.spin_ns;
  usual.spin_for_payloads_ns = usual.spin_ns;
  std::vector<wait_policy> all(places.size(), usual);
  const bool too_many = static_cast<int>(places.size()) > static_cast<int>(machine.allowed_cpus().size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool shares = plan.shares_cores || (places[i].cpus.empty() ? too_many : places[i].ranks_on_core > 1);
    if (!shares) continue;
    all[i].yields = true;
    all[i].pauses_per_poll = 0;
    if (plan.has_own_cores && !places[i].is_beside) all[i].stays_ns = wait_policy::turn_ns * places[i].ranks_on_core;
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

}  // namespace

outcome run_ranks(const launch_plan& plan, const std::function<void(rank_context&)>& attach_services,
                  const std::function<int(rank_context&)>& body) {
  if (is_forked_from_worker()) throw Error(errc::state, fmt::format("pure::run: {}", forked_child_text()));
  if (self() != nullptr) {
    throw Error(
        errc::state,
        fmt::format("pure::run: called by rank {} of a running job; a rank cannot start ranks. If main is run by "
                    "every rank because the program includes pure.h, define PURE_MAIN_RUNS_ONCE before it",
                    self()->number()));
  }
  static_cast<void>(special_ways::without(plan.values.net_without));  // a wrong word is refused with one process, too
  const topology& machine = plan.machine != nullptr ? *plan.machine : topology::of_this_machine();
  // A file says which cpus are whose, whatever the shares of the processes are.
  const bool is_file = !map_by_path(plan.values.map_by).empty();
  const topology& to_map = is_file ? topology::of_this_machine() : machine;
  const ranks_to_map ranks = ranks_to_start(plan, machine);
  mapped_ranks mapped = map_ranks(to_map, ranks, plan.values.map_by);
  std::vector<rank_place> places = std::move(mapped.own);
  std::vector<rank_place> with_ranks = places;
  with_ranks.insert(with_ranks.end(), mapped.beside.begin(), mapped.beside.end());
  const std::vector<rank_place> helpers = places_for_helpers(machine, with_ranks, plan.values.helpers);
  if (plan.values.report_bindings) {
    say([&] { return bindings_picture(to_map, places, plan.values.map_by, helpers, ranks.own); });
  }
  places.insert(places.end(), helpers.begin(), helpers.end());
  const std::size_t stack = stack_bytes(plan.values);
  const bool usual_pages = page_kind_of(plan.values.huge_pages) == page_kind::normal;
  const auto taken = what_ranks_take(stack, usual_pages ? 0 : huge_page_bytes());
  if (const std::string why = why_too_many(places.size(), taken); !why.empty()) throw Error(errc::argument, why);
  std::optional<trace_file> own_timeline;
  trace_file* timeline = plan.timeline;
  if (timeline == nullptr && !plan.values.trace.empty()) timeline = &own_timeline.emplace(plan.values.trace);
  prepare_heavy_fence();
  ranks_run_in_this_process();
  tell_launcher_started(plan.values);

  job running(plan.values, how_to_wait(plan, places, machine), plan.action, attach_services,
              static_cast<int>(helpers.size()), places, plan.others);
  running.observe_by(std::make_unique<hang_watch>(running));
  running.before_process_ends([&] {
    if (timeline != nullptr) timeline->write_own(running);
    if (plan.values.stats) report_stats_of_failed(running);
  });
  running.count_foreign_threads(foreign_threads);
  const known_thread waits_for_ranks;
  const crash_reports watching;
  std::optional<ranks_running> cuttable(running);
  std::vector<rank_thread> threads(places.size());
  std::optional<progress_thread> progress;
  thread_starter starter(running, stack, machine);
  std::size_t started = 0;
  try {
    if (plan.others != nullptr) {
      running.make_progress_by([&] { progress.emplace(*plan.others); });
      if (plan.values.async_progress == "on" || plan.values.async_progress == "1") running.make_progress();
    }
    for (; started < threads.size(); ++started) starter.start(threads[started], body, places[started]);
  } catch (const std::exception& error) {  // some may run already
    running.fail(error.what(), 1);
    for (std::size_t i = started; i < threads.size(); ++i) running.rank_returned(running.worker(static_cast<int>(i)));
    threads.resize(started);
  }
  running.wait_for_ranks();
  for (rank_thread& each : threads) pthread_join(each.handle, nullptr);
  cuttable.reset();
  progress.reset();  // from here on this thread has the network for itself
  if (timeline != nullptr) timeline->write(running);
  if (plan.values.stats) report_stats(running, plan.meeting);

  if (running.ending()) return {running.failure_status(), running.failure_text(), running.failure()};
  for (const rank_thread& each : threads) {
    if (each.status == 0) continue;
    const int status = nonzero_status(each.status);
    if (status != each.status) {
      say("pure: rank {} returned {}, which as an exit status would be 0: the status is {}\n", each.self->number(),
          each.status, status);
    }
    return {.status = status, .failure_text = {}, .failure = nullptr};
  }
  if (plan.values.check && report_leftovers(running)) return {.status = 1, .failure_text = {}, .failure = nullptr};
  return {};
}

}  // namespace pure::core
