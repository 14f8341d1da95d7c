#include "start/processes.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <pure/detail/hash.hpp>
#include <pure/error.hpp>

#include "base/environment.hpp"
#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "hang/crash.hpp"
#include "machine/host_share.hpp"
#include "machine/mapping.hpp"
#include "machine/topology.hpp"
#include "net_shm/open.hpp"
#include "network/open_network.hpp"
#include "network/process_launcher.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/launcher_link.hpp"
#include "start/environment_warnings.hpp"
#include "start/near_processes.hpp"
#include "start/network_meeting.hpp"
#include "start/sanitizer_warning.hpp"

namespace pure::core {

/// inline: once, also in programs that have this file beside a library with it (tests/support/planted_mutations.py).
inline const net_shm::shared_memory_kind shared_memory;

namespace {

/// For signal handlers, which must not make the network. relaxed: the thread that ends the process has opened it.
constinit std::atomic<bool> is_connected{false};

/// The network lasts as long as the process: an MPI can be started once.
class process_network {
 public:
  static process_network& of_this_process() {
    static process_network only;
    return only;
  }

  process_meeting& open(const settings& values, const process_launch& launched) {
    if (is_closed_) {
      throw Error(errc::state,
                  "the program has ended its MPI (MPI_Finalize), and with it what connects the processes of the job: "
                  "MPI_Finalize comes after the last pure::run");
    }
    if (opened_ != nullptr) return *meeting_;
    network_opening opening;
    const auto failure = std::make_shared<shared_failure>([](void*, const char* text) { of_this_process().fail(text); },
                                                          nullptr);
    opening.failed = shared_failure::has_come;
    opening.context = failure.get();
    opening.ends_below = [](void*) { of_this_process().end_below(); };
    // Without /proc threads are counted by their numbers, in a second or two. The network over shared memory has none.
    std::optional<library_threads> of_the_network;
    if (values.network != "shm") of_the_network.emplace();
    const library_crash_handlers its_handlers;
    failure_ = failure;
    opened_ = open_network(values, launched, opening);
    add_near_network(opened_, values, launched, opening, failure);
    opener_process_ = getpid();
    is_connected.store(true, std::memory_order_relaxed);
    meeting_.emplace(*opened_);
    mark_what_is_started();
    started_with_ = values;
    on_exit([](int status, void*) { of_this_process().close(status); }, nullptr);
    return *meeting_;
  }
  [[nodiscard]] const network_peers& peers() const noexcept { return opened_->peers(); }

  /// The last thing before a job: whatever processes that are ahead send from then on is for this gateway.
  std::unique_ptr<gateway> make_gateway(rank_placement placement) {
    auto made = std::make_unique<gateway>(std::move(placement), *opened_, meeting_->take_kept());
    made->look_at_starter_by([over = opened_.get()] { over->look_at_starter(); });
    return made;
  }

  // From before the processes of a job meet until it has ended the process cannot leave the others in order; and while
  // ranks run, what is below is not the program's to end.
  void begin_use() noexcept { is_in_use_.store(true, std::memory_order_relaxed); }
  void begin_job() noexcept { is_at_rest_ = false; }
  void end_job() noexcept { is_at_rest_ = true; }
  // release: what this thread has done with the network; pairs with the acquire in close()
  void end_use() noexcept { is_in_use_.store(false, std::memory_order_release); }

  /// At the end of the process. One that ends otherwise is ended by its launcher, with all others.
  void close(int status) {
    // A child of fork() runs its parent's handlers, and one of vfork() in its parent's memory.
    if (opened_ == nullptr || opener_process_ != getpid()) return;
    // acquire: what the thread of the last pure::run has done; pairs with the release in end_use()
    if (is_in_use_.load(std::memory_order_acquire)) return;
    if (!std::exchange(is_closed_, true)) opened_->finalize(status);
    tell_launcher_ended(started_with_);
  }

  void leave_at_once() noexcept {
    // acquire: as in close()
    if (opened_ == nullptr || opener_process_ != getpid() || is_closed_ || is_in_use_.load(std::memory_order_acquire))
      return;
    opened_->leave_at_once();
  }

 private:
  [[noreturn]] void fail(const char* text) {
    say("pure: process {}: the network has failed: {}\n", opened_->peers().process, text);
    tell_launcher_aborted(started_with_, 1);
    run_apart([&] { opened_->abort(1); });
    __builtin_unreachable();
  }

  /// The program ends MPI.
  void end_below() {
    if (!is_at_rest_) {
      fail(
          "the program has called MPI_Finalize while ranks of Pure run: what Pure has started it ends itself, and where "
          "the program has started MPI, MPI_Finalize comes after the last pure::run");
    }
    is_closed_ = true;
    opened_->finalize(0);
  }

  std::shared_ptr<const shared_failure> failure_;  // of whatever is in `opened_`
  std::unique_ptr<network> opened_;
  pid_t opener_process_ = 0;
  settings started_with_;
  std::optional<network_meeting> meeting_;  // over what is open
  bool is_at_rest_ = true;                  // between two jobs
  bool is_closed_ = false;
  std::atomic<bool> is_in_use_{false};
};

/// What the processes tell each other before a job.
struct introduction {
  std::int64_t ranks = 0;  // asked for; 0: nobody has said
  std::int64_t default_ranks = 0;
  std::uint64_t placement = 0;
  std::uint64_t cpus = 0;  // a hash of those that it may use
  bool has_stats = false, has_trace = false, has_check = false;
};

/// The cpus of this process, where the launcher has left all processes of the machine the same ones.
std::unique_ptr<topology> share_of_machine(const settings& values, const network_peers& peers, bool has_same_cpus) {
  const topology& machine = topology::of_this_machine();
  if (!has_same_cpus) return std::make_unique<topology>(machine);
  const std::vector<int> cpus = host_share(machine, peers.index_on_machine, peers.processes_on_machine,
                                           values.host_split);
  return std::make_unique<topology>(machine.restricted_to(cpus));
}

bool all_here_have_same_cpus(const network_peers& peers, const std::vector<introduction>& all) {
  const auto own = static_cast<std::size_t>(peers.process);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (peers.machine_of[i] == peers.machine_of[own] && all[i].cpus != all[own].cpus) return false;
  }
  return peers.processes_on_machine > 1;
}

/// `own`: the share of this process.
bool has_own_cores(const settings& values, const network_peers& peers, const std::vector<introduction>& all,
                   const topology& own, bool has_same_cpus) {
  int index_on_machine = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto process = static_cast<int>(i);
    if (!peers.is_on_this_machine(process)) continue;
    const int index = index_on_machine++;
    if (process == peers.process) continue;
    if (!has_same_cpus) {  // their launcher's shares: some may be the same
      if (all[i].cpus == all[static_cast<std::size_t>(peers.process)].cpus) return false;
      continue;
    }
    const std::vector<int> theirs = host_share(topology::of_this_machine(), index, peers.processes_on_machine,
                                               values.host_split);
    const auto common = std::find_first_of(theirs.begin(), theirs.end(), own.allowed_cpus().begin(),
                                           own.allowed_cpus().end());
    if (common != theirs.end()) return false;
  }
  return true;
}

/// Whether the ranks of the processes that have the cpus of this one are more than these.
bool share_cores(const network_peers& peers, const rank_placement& placement, const std::vector<introduction>& all) {
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto process = static_cast<int>(i);
    if (peers.is_on_this_machine(process) && all[i].cpus == all[static_cast<std::size_t>(peers.process)].cpus)
      ranks += placement.ranks_of(process).size();
  }
  return ranks > topology::of_this_machine().allowed_cpus().size();
}

/// Of the other processes on it.
std::vector<int> ranks_beside(const network_peers& peers, const rank_placement& placement) {
  std::vector<int> ranks;
  for (int process = 0; process < peers.processes; ++process) {
    if (process == peers.process || !peers.is_on_this_machine(process)) continue;
    const auto theirs = placement.ranks_of(process);
    ranks.insert(ranks.end(), theirs.begin(), theirs.end());
  }
  return ranks;
}

/// `ranks`: of the job, or 0: then each process has its own number of them, `default_ranks`.
rank_placement place_ranks(process_meeting& meeting, const settings& values, int ranks, introduction own,
                           int default_ranks) {
  const int processes = meeting.processes();
  if (ranks != 0) return rank_placement::of(values.placement, ranks, processes);
  own.default_ranks = default_ranks;
  std::vector<int> shares;
  int total = 0;
  for (const introduction& each : meeting.gather_all(own)) {
    shares.push_back(static_cast<int>(each.default_ranks));
    total += shares.back();
  }
  return values.placement == "block" ? rank_placement::block_of(shares)
                                     : rank_placement::of(values.placement, total, processes);
}

[[noreturn]] void refuse(const std::string& text) { throw Error(errc::state, text); }

/// Refuses a setting that makes processes meet, if only some have it: who does not come would keep the others.
void check_same(int process, bool has, int other, bool other_has, const char* setting) {
  if (has == other_has) return;
  refuse(fmt::format("the processes of the job want different things: {} is set for process {}, but not for process {}",
                     setting, has ? process : other, has ? other : process));
}

}  // namespace

connected_processes connect_processes(const settings& values, int ranks) {
  const process_launch launched = recognise_launch(environment());
  if (is_environment_ignored() && environ != nullptr && recognise_launch(environ).processes > 1) {
    refuse(
        fmt::format("{} has started this program as one of several processes, but it has more rights than whoever "
                    "started it (set-user-ID, set-group-ID or file capabilities), and so is not led by its "
                    "environment: start it by itself, or take these rights from it",
                    recognise_launch(environ).launcher_name()));
  }
  if (launched.is_nested) {
    warn_of_environment(values, true);
    warn_of_thread_sanitizer(true);
    return {};
  }
  check_launch(values, launched);
  warn_of_environment(values, launched.process == 0);
  warn_of_thread_sanitizer(launched.process == 0);
  if (launched.processes == 1) return {};
  process_network& over = process_network::of_this_process();
  process_meeting& meeting = over.open(values, launched);
  const network_peers& peers = over.peers();

  introduction own{.ranks = ranks, .placement = detail::hash_of(values.placement)};
  own.has_stats = values.stats;
  own.has_trace = !values.trace.empty();
  const auto cpus = topology::of_this_machine().allowed_cpus();
  own.cpus = detail::hash_of(cpu_list_text({cpus.begin(), cpus.end()}));
  own.has_check = values.check;
  const std::vector<introduction> all = meeting.gather_all(own);
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (all[other].ranks != own.ranks) {
      refuse(
          fmt::format("the processes of the job want different numbers of ranks: process {} {}, process {} {} (0: "
                      "as many as there are cores)",
                      peers.process, own.ranks, other, all[other].ranks));
    }
    if (all[other].placement != own.placement) {
      refuse(
          fmt::format("the processes of the job want different placements of ranks (PURE_PLACEMENT): process {} says "
                      "\"{}\", process {} something else",
                      peers.process, printable_word(values.placement), other));
    }
    check_same(peers.process, own.has_stats, static_cast<int>(other), all[other].has_stats, "PURE_STATS");
    check_same(peers.process, own.has_trace, static_cast<int>(other), all[other].has_trace, "PURE_TRACE");
    check_same(peers.process, own.has_check, static_cast<int>(other), all[other].has_check, "PURE_CHECK");
  }
  connected_processes made;
  const bool has_same_cpus = all_here_have_same_cpus(peers, all);
  made.machine = share_of_machine(values, peers, has_same_cpus);
  rank_placement placement = place_ranks(meeting, values, ranks, own, made.machine->default_ranks());
  made.ranks_beside = ranks_beside(peers, placement);
  // Which cores are shared where a file places ranks, the file says.
  made.shares_cores = peers.processes_on_machine > 1 && map_by_path(values.map_by).empty() &&
                      share_cores(peers, placement, all);
  made.has_own_cores = has_own_cores(values, peers, all, *made.machine, has_same_cpus);
  made.meeting = &meeting;
  if (!values.trace.empty()) made.timeline = std::make_unique<trace_file>(values.trace, &meeting);
  made.others = over.make_gateway(std::move(placement));
  return made;
}

connected_job::network_use::network_use() noexcept { process_network::of_this_process().begin_use(); }
connected_job::network_use::~network_use() { process_network::of_this_process().end_use(); }

connected_job::connected_job(const settings& values, int ranks) : connected_(connect_processes(values, ranks)) {
  if (connected_.others != nullptr) process_network::of_this_process().begin_job();
}

connected_job::~connected_job() {
  if (connected_.others != nullptr) process_network::of_this_process().end_job();
}

void connected_job::complete(launch_plan& plan) const {
  if (connected_.others == nullptr) return;
  plan.others = connected_.others.get();
  plan.meeting = connected_.meeting;
  plan.timeline = connected_.timeline.get();
  plan.machine = connected_.machine.get();
  plan.shares_cores = connected_.shares_cores;
  plan.has_own_cores = connected_.has_own_cores;
  plan.ranks_beside = connected_.ranks_beside;
}

void leave_processes_at_once() noexcept {
  if (is_connected.load(std::memory_order_relaxed)) process_network::of_this_process().leave_at_once();
}

void leave_processes(int status) {
  if (is_connected.load(std::memory_order_relaxed)) process_network::of_this_process().close(status);
}

int processes_started() { return recognise_launch(environment()).processes; }

outcome run_ranks_of_all_processes(launch_plan plan, const std::function<void(rank_context&)>& attach_services,
                                   const std::function<int(rank_context&)>& body) {
  if (self() != nullptr || is_forked_from_worker()) return run_ranks(plan, attach_services, body);  // which refuses it
  const connected_job connected(plan.values, plan.ranks != 0 ? plan.ranks : plan.values.ranks);
  connected.complete(plan);
  return run_ranks(plan, attach_services, body);
}

}  // namespace pure::core
