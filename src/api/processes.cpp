#include "api/processes.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <pure/detail/hash.hpp>
#include <pure/error.hpp>

#include "base/text.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/host_share.hpp"
#include "runtime/process_launcher.hpp"
#include "runtime/topology.hpp"
#include "transport/network_plugin.hpp"

namespace pure::core {

namespace {

/// The network lasts as long as the process: an MPI can be started once.
class process_network {
 public:
  static process_network& of_this_process() {
    static process_network only;
    return only;
  }

  network& open(const settings& values, const process_launch& launched) {
    if (opened_ != nullptr) return *opened_;
    network_opening opening;
    opening.failed = [](void*, const char* text) { of_this_process().fail(text); };
    const library_threads of_the_network;
    opened_ = open_network(values, launched, opening);
    opener_ = std::this_thread::get_id();
    std::atexit([] { of_this_process().close(); });
    return *opened_;
  }

  /// What every process says, by process. Blocks; before there are ranks, which could wait. Processes that have heard
  /// all may begin with their ranks at once: what these send meanwhile is kept.
  template <class T>
  std::vector<T> exchange(const T& own) {
    std::vector<T> all(static_cast<std::size_t>(opened_->peers().processes));
    network_operation gathering;
    exchanging events(kept_);
    events.is_done = opened_->all_gather(gathering, network::everyone, &own, sizeof own, all.data());
    while (!events.is_done) opened_->poll(events);
    return all;
  }

  std::unique_ptr<gateway> make_gateway(rank_placement placement) {
    return std::make_unique<gateway>(std::move(placement), *opened_, std::exchange(kept_, {}));
  }

  outcome run(const launch_plan& plan, const std::function<void(rank_context&)>& equip,
              const std::function<int(rank_context&)>& body) {
    is_at_rest_ = false;
    outcome end = run_ranks(plan, equip, body);
    is_at_rest_ = true;
    return end;
  }

 private:
  struct exchanging final : network_events {
    explicit exchanging(std::vector<gateway::early_packet>& keep_in) : kept(keep_in) {}
    void message_arrived(int from_process, const std::byte* data, std::size_t bytes) override {
      kept.push_back({from_process, {data, data + bytes}});
    }
    void operation_done(network_operation&) override { is_done = true; }

    std::vector<gateway::early_packet>& kept;
    bool is_done = false;
  };

  [[noreturn]] void fail(const char* text) {
    fmt::print(stderr, "pure: process {}: the network has failed: {}\n", opened_->peers().process, text);
    opened_->abort(1);
    __builtin_unreachable();  // GCC does not see it in a virtual call
  }

  /// At the end of the process. One that ends otherwise is ended by its launcher, with all others.
  void close() {
    if (opened_ != nullptr && std::this_thread::get_id() == opener_ && is_at_rest_) opened_->finalize();
  }

  std::unique_ptr<network> opened_;
  std::thread::id opener_;
  std::vector<gateway::early_packet> kept_;
  bool is_at_rest_ = true;  // between two jobs
};

/// What the processes tell each other before a job.
struct introduction {
  std::int64_t ranks = 0;  // asked for; 0: nobody has said
  std::int64_t default_ranks = 0;
  std::uint64_t placement = 0;
  std::uint64_t cpus = 0;  // a hash of those that it may use
};

/// The cpus of this process, where the launcher has left all processes of the machine the same ones.
std::unique_ptr<topology> share_of_machine(const settings& values, const network_peers& peers, bool has_same_cpus) {
  const topology& machine = topology::of_this_machine();
  if (!has_same_cpus) return std::make_unique<topology>(machine);
  const std::vector<int> cpus = host_share(machine, peers.index_on_host, peers.processes_on_host, values.host_split);
  return std::make_unique<topology>(machine.restricted_to(cpus));
}

bool all_here_have_same_cpus(const network_peers& peers, const std::vector<introduction>& all) {
  const auto own = static_cast<std::size_t>(peers.process);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (peers.host_of[i] == peers.host_of[own] && all[i].cpus != all[own].cpus) return false;
  }
  return peers.processes_on_host > 1;
}

int ranks_on_this_host(const network_peers& peers, const rank_placement& placement) {
  int ranks = 0;
  for (int process = 0; process < peers.processes; ++process) {
    if (peers.is_on_this_host(process)) ranks += static_cast<int>(placement.ranks_of(process).size());
  }
  return ranks;
}

/// `ranks`: of the job, or 0: then each process has its own number of them, `default_ranks`.
rank_placement place_ranks(int processes, const settings& values, int ranks, introduction own, int default_ranks) {
  if (ranks != 0) return rank_placement::of(values.placement, ranks, processes);
  own.default_ranks = default_ranks;
  std::vector<int> shares;
  int total = 0;
  for (const introduction& each : process_network::of_this_process().exchange(own)) {
    shares.push_back(static_cast<int>(each.default_ranks));
    total += shares.back();
  }
  return values.placement == "block" ? rank_placement::block_of(shares)
                                     : rank_placement::of(values.placement, total, processes);
}

[[noreturn]] void refuse(const std::string& text) { throw Error(errc::state, text); }

}  // namespace

connected_processes connect_processes(const settings& values, int ranks) {
  const process_launch launched = recognise_launch(environ);
  check_launch(values, launched);
  if (launched.processes == 1) return {};
  process_network& over = process_network::of_this_process();
  const network_peers& peers = over.open(values, launched).peers();

  introduction own{.ranks = ranks, .placement = detail::hash_of(values.placement)};
  const auto cpus = topology::of_this_machine().allowed_cpus();
  own.cpus = detail::hash_of(cpu_list_text({cpus.begin(), cpus.end()}));
  const std::vector<introduction> all = over.exchange(own);
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
                      peers.process, values.placement, other));
    }
  }
  connected_processes made;
  const bool has_same_cpus = all_here_have_same_cpus(peers, all);
  made.machine = share_of_machine(values, peers, has_same_cpus);
  rank_placement placement = place_ranks(peers.processes, values, ranks, own, made.machine->default_ranks());
  const int cpus_here = static_cast<int>(topology::of_this_machine().allowed_cpus().size());
  made.shares_cores = has_same_cpus && ranks_on_this_host(peers, placement) > cpus_here;
  made.others = over.make_gateway(std::move(placement));
  return made;
}

outcome run_ranks_of_all_processes(launch_plan plan, const std::function<void(rank_context&)>& equip,
                                   const std::function<int(rank_context&)>& body) {
  if (self() != nullptr) return run_ranks(plan, equip, body);  // which refuses it
  const connected_processes connected = connect_processes(plan.values,
                                                          plan.ranks != 0 ? plan.ranks : plan.values.ranks);
  if (connected.others == nullptr) return run_ranks(plan, equip, body);
  plan.others = connected.others.get();
  plan.machine = connected.machine.get();
  plan.shares_cores = connected.shares_cores;
  return process_network::of_this_process().run(plan, equip, body);
}

}  // namespace pure::core
