#include "purerun/launcher.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/environment.hpp"
#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "network/network_plugin.hpp"
#include "network/process_launcher.hpp"
#include "pure/globals_list.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"

// Where CMake found the launchers of the MPIs that the plug-ins are built for; empty for those without one.
#ifndef PURE_MPIEXEC_MPICH
#define PURE_MPIEXEC_MPICH ""
#endif
#ifndef PURE_MPIEXEC_OPENMPI
#define PURE_MPIEXEC_OPENMPI ""
#endif

namespace purerun {
namespace {

using pure::core::counted;
using pure::core::printable_word;

std::string_view name_of(std::string_view network) { return network == "mpich" ? "MPICH" : "Open MPI"; }

std::string variable(const char* name) {
  const char* const text = pure::core::environment_variable(name);
  return text != nullptr ? text : "";
}

bool is_set(const std::vector<std::string>& environment, std::string_view name) {
  return std::any_of(environment.begin(), environment.end(),
                     [&](const std::string& entry) { return entry.starts_with(fmt::format("{}=", name)); });
}

// The path of a program by its name; empty if there is none.
std::string path_of(const std::string& name) {
  try {
    return name.empty() ? "" : find_program(name);
  } catch (const program_error&) {
    return {};
  }
}

// Whose mpiexec that is: "mpich", "openmpi", or another word for people.
std::string identity(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen(fmt::format("{} --version 2>&1 </dev/null", shell_text({path})).c_str(), "re"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t got = 1; pipe && got > 0 && text.size() < 65'536; text.append(part.data(), got)) {
    got = std::fread(part.data(), 1, part.size(), pipe.get());
  }
  if (text.find("Intel") != std::string::npos) return "Intel MPI";
  if (text.find("HYDRA") != std::string::npos) return "mpich";
  if (text.find("Open MPI") != std::string::npos || text.find("OpenRTE") != std::string::npos) return "openmpi";
  return "an unknown MPI";
}

// An mpiexec of that MPI; empty if there is none.
std::string launcher_of(std::string_view network) {
  const bool is_mpich = network == "mpich";
  const std::vector<std::string> candidates = is_mpich ? std::vector<std::string>{PURE_MPIEXEC_MPICH, "mpiexec.mpich",
                                                                                  "mpiexec.hydra", "mpiexec"}
                                                       : std::vector<std::string>{PURE_MPIEXEC_OPENMPI,
                                                                                  "mpiexec.openmpi", "mpiexec"};
  for (const std::string& each : candidates) {
    const std::string path = path_of(each);
    if (!path.empty() && identity(path) == network) return path;
  }
  return {};
}

[[noreturn]] void refuse_without_mpi(int processes) {
  throw usage_error(fmt::format(
      "{} need an MPI, and Pure has been built for none. Install MPICH (Debian: mpich libmpich-dev) or Open MPI (openmpi-bin "
      "libopenmpi-dev) and build Pure again; or leave out -N, --ppn and --hosts: one process runs all ranks of a machine.",
      counted(static_cast<std::uint64_t>(processes), "process")));
}

// The MPI and its launcher.
struct chosen_launcher {
  std::string network, path;
};

chosen_launcher choose(const process_request& asked, const std::vector<std::string>& found, int processes) {
  const auto has = [&](std::string_view network) {
    return std::find(found.begin(), found.end(), network) != found.end();
  };
  if (found.empty()) refuse_without_mpi(processes);
  if (asked.mpi != "auto" && !has(asked.mpi)) {
    throw usage_error(fmt::format("--mpi {}: Pure has been built for {} only.", asked.mpi, name_of(found.front())));
  }
  if (!asked.mpiexec.empty()) {
    const std::string path = path_of(asked.mpiexec);
    if (path.empty())
      throw usage_error(fmt::format("--mpiexec {}: there is no such program.", printable_word(asked.mpiexec)));
    const std::string network = identity(path);
    if (asked.mpi != "auto" && network != asked.mpi) {
      throw usage_error(fmt::format("--mpiexec {} belongs to {}, not to {}.", printable_word(asked.mpiexec),
                                    network == "mpich" || network == "openmpi" ? name_of(network) : network,
                                    name_of(asked.mpi)));
    }
    if (!has(network)) {
      throw usage_error(fmt::format("--mpiexec {} belongs to {}; Pure has been built for {}.",
                                    printable_word(asked.mpiexec),
                                    network == "mpich" || network == "openmpi" ? name_of(network) : network,
                                    found.size() == 2 ? "MPICH and Open MPI" : name_of(found.front())));
    }
    return {network, path};
  }
  std::vector<std::string> order = found;
  if (asked.mpi != "auto") {
    order = {asked.mpi};
  } else if (const std::string usual = path_of("mpiexec"); order.size() > 1 && !usual.empty()) {
    // The one that is meant by `mpiexec` here comes first.
    std::stable_partition(order.begin(), order.end(),
                          [&, is = identity(usual)](const std::string& n) { return n == is; });
  }
  for (const std::string& network : order) {
    const std::string path = launcher_of(network);
    if (!path.empty()) return {network, path};
  }
  throw usage_error(
      fmt::format("{} need an mpiexec of {}, and there is none in PATH: install it (Debian: {}), or say where "
                  "it is with --mpiexec PATH.",
                  counted(static_cast<std::uint64_t>(processes), "process"), name_of(order.front()),
                  order.front() == "mpich" ? "mpich" : "openmpi-bin"));
}

void add(std::vector<std::string>& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

// What each process compares with what it finds (network/open_network.hpp).
void announce(const launch_command& made, std::vector<std::string>& environment) {
  set_variable(environment, "PURE_NETWORK", made.network);
  set_variable(environment, "PURE_PROCESSES", std::to_string(made.processes));
}

// Hydra gives the processes its whole environment, and binds nothing.
void add_hydra_options(launch_command& made, const process_request& asked, std::vector<std::string>& environment) {
  if (!asked.hosts.empty()) add(made.words, {"-hosts", hosts_text(asked.hosts)});
  if (asked.interface.empty()) return;
  add(made.words, {"-iface", asked.interface});
  for (const char* const name : {"UCX_NET_DEVICES", "FI_TCP_IFACE"}) {
    if (!is_set(environment, name)) environment.push_back(fmt::format("{}={}", name, asked.interface));
  }
}

void add_openmpi_options(launch_command& made, const process_request& asked, std::vector<std::string>& environment) {
  // Ranks are threads, which Pure binds; and its waits yield by themselves where cores are shared.
  add(made.words, {"--bind-to", "none", "--map-by", "slot:OVERSUBSCRIBE", "--mca", "mpi_yield_when_idle", "0"});
  if (geteuid() == 0) add(made.words, {"--allow-run-as-root"});
  if (!asked.hosts.empty()) add(made.words, {"--host", hosts_text(asked.hosts)});
  if (!asked.interface.empty()) {
    add(made.words, {"--mca", "btl_tcp_if_include", asked.interface, "--mca", "oob_tcp_if_include", asked.interface});
    if (!is_set(environment, "PRTE_MCA_prte_if_include")) {  // version 5 has another name for the second one
      environment.push_back(fmt::format("PRTE_MCA_prte_if_include={}", asked.interface));
    }
  }
  if (asked.hosts.empty()) return;
  for (const std::string& entry : environment) {  // other machines get only what is named
    const std::string name = entry.substr(0, entry.find('='));
    if ((name.starts_with("PURE_") && name != "PURE_LAUNCH_FD") || name == "LD_LIBRARY_PATH")
      add(made.words, {"-x", name});
  }
}

// What --mpi auto means for processes of one machine, where there is an MPI, too: purerun starts them itself, and they
// share memory; or else an MPI connects them as it does machines.
constexpr bool auto_shares_memory = true;

// Whether purerun starts the processes itself, if all of them are on this machine: where that is asked for, and where
// nothing is asked for that only an MPI could do (`network`: PURE_NETWORK), and there is none, or the program is one of
// Pure that needs none. A script or another program may start one that does.
bool is_for_own(const process_request& asked, const std::string& network, const std::vector<std::string>& found) {
  if (asked.mpi == "none") return true;
  if (asked.mpi != "auto" || (network != "auto" && network != "shm") || !asked.hosts.empty() ||
      !asked.mpiexec.empty() || !asked.launcher_words.empty() || !asked.interface.empty())
    return false;
  return found.empty() ||
         (auto_shares_memory &&
          (asked.needs_no_mpi || pure::tool::mpi_use_of(path_of(asked.program)) == pure::tool::mpi_use::none));
}

// Whether purerun runs on the only machine of the Slurm allocation, and not where that was made.
bool is_on_node_of_allocation() {
  const std::string node = variable("SLURMD_NODENAME");
  return !node.empty() && node == variable("SLURM_JOB_NODELIST");
}

// In a Slurm allocation, unless machines or an mpiexec are named: its srun. Empty otherwise.
std::optional<int> nodes_of_allocation(const process_request& asked) {
  if (!asked.hosts.empty() || !asked.mpiexec.empty() || asked.mpi == "none" || variable("SLURM_JOB_ID").empty() ||
      path_of("srun").empty())
    return {};
  const std::string nodes = variable("SLURM_JOB_NUM_NODES");
  return static_cast<int>(pure::core::parse_number(nodes.empty() ? variable("SLURM_NNODES") : nodes).value_or(1));
}

launch_command command_of_slurm(const process_request& asked, int nodes, const std::vector<std::string>& found) {
  launch_command made;
  const int per_node = asked.counts.per_host.value_or(0);
  made.processes = asked.counts.in_all.value_or(nodes * std::max(per_node, 1));
  if (per_node > 0 && made.processes > nodes * per_node) {
    throw usage_error(
        fmt::format("-N {} --ppn {}: the allocation has {}, room for {}.", made.processes, per_node,
                    counted(static_cast<std::uint64_t>(nodes), "node"),
                    counted(static_cast<std::uint64_t>(nodes) * static_cast<std::uint64_t>(per_node), "process")));
  }
  if (found.empty()) refuse_without_mpi(made.processes);
  made.network = asked.mpi != "auto" ? asked.mpi : found.front();
  if (std::find(found.begin(), found.end(), made.network) == found.end()) {
    throw usage_error(fmt::format("--mpi {}: Pure has been built for {} only.", asked.mpi, name_of(found.front())));
  }
  const int used_nodes = std::min(nodes, made.processes);
  made.words = {path_of("srun"), fmt::format("--nodes={}", used_nodes), fmt::format("--ntasks={}", made.processes)};
  if (per_node > 0) made.words.push_back(fmt::format("--ntasks-per-node={}", per_node));
  add(made.words,
      {fmt::format("--mpi={}", made.network == "mpich" ? "pmi2" : "pmix"), "--cpu-bind=none", "--kill-on-bad-exit=1"});
  made.is_elsewhere = nodes > 1;
  return made;
}

}  // namespace

bool is_for_several(const process_request& asked) {
  if (!asked.hosts.empty() || asked.counts.in_all) return !asked.hosts.empty() || *asked.counts.in_all > 1;
  return asked.counts.per_host && (*asked.counts.per_host > 1 || nodes_of_allocation(asked).value_or(1) > 1);
}

launch_command command_for(const process_request& asked, const pure::core::settings& values,
                           std::vector<std::string>& environment) {
  const pure::core::process_launch outer = pure::core::recognise_launch(pure::core::environment());
  if (outer.by != nullptr && (outer.processes > 1 || !outer.by->leaves_room)) {
    throw usage_error(
        fmt::format("purerun is itself one of {} that {} has started: leave out -N, --ppn and --hosts here.",
                    counted(static_cast<std::uint64_t>(outer.processes), "process"), outer.launcher_name()));
  }
  std::vector<std::string> found = pure::core::networks_found(pure::core::plugin_folders(values));
  const bool is_there = std::erase(found, asked.not_by) != 0;
  launch_command made;
  const bool is_own = is_for_own(asked, values.network, found);
  if (!is_own && !asked.not_by.empty() && (asked.mpi == asked.not_by || (found.empty() && is_there))) {
    throw usage_error(fmt::format(
        "{} is a program of {}: Pure's library for it has the name of the one that would connect the processes. "
        "Let the other MPI connect them (--mpi {}), or leave out -N, --ppn and --hosts.",
        printable_word(asked.program), name_of(asked.not_by), asked.not_by == "mpich" ? "openmpi" : "mpich"));
  }
  const auto nodes = nodes_of_allocation(asked);
  if (nodes && !(is_own && *nodes == 1 && is_on_node_of_allocation())) {
    if (outer.is_nested) {
      throw usage_error(
          "purerun runs inside a process of another job, and srun cannot start a step inside a step: name the machines with "
          "--hosts, or an mpiexec with --mpiexec.");
    }
    made = command_of_slurm(asked, *nodes, found);
    announce(made, environment);
  } else {
    process_request local = asked;
    if (local.hosts.empty()) {
      const int most = asked.counts.per_host.value_or(asked.counts.in_all.value_or(1));
      made.processes = asked.counts.in_all.value_or(most);
      if (made.processes > most) {
        throw usage_error(
            fmt::format("-N {} --ppn {}: that takes {}; name them with --hosts or --hostfile.", made.processes, most,
                        counted(static_cast<std::uint64_t>((made.processes + most - 1) / most), "machine")));
      }
    } else {
      local.hosts = share_out(asked.hosts, asked.counts);
      made.processes = std::accumulate(local.hosts.begin(), local.hosts.end(), 0,
                                       [](int sum, const host& each) { return sum + each.processes; });
      made.is_elsewhere = true;
      made.hosts = local.hosts;
    }
    if (is_own) {
      made.network = "shm";
      announce(made, environment);
      return made;
    }
    const chosen_launcher chosen = choose(asked, found, made.processes);
    made.network = chosen.network;
    made.words = {chosen.path, "-n", std::to_string(made.processes)};
    announce(made, environment);
    if (made.network == "mpich")
      add_hydra_options(made, local, environment);
    else
      add_openmpi_options(made, local, environment);
  }
  made.words.insert(made.words.end(), asked.launcher_words.begin(), asked.launcher_words.end());
  return made;
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && word.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                               "0123456789_-+=./:,@%^") == std::string::npos;
    text += text.empty() ? "" : " ";
    if (is_plain) {
      text += word;
      continue;
    }
    if (printable_word(word) != word) {  // as bash writes it
      text += "$'";
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain_byte = byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\';
        text += is_plain_byte ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
      }
      text += '\'';
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace purerun
