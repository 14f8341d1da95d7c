#include "network/process_launcher.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/text.hpp"

namespace pure::core {
namespace {

class variables {
 public:
  explicit variables(const char* const* environment) : environment_(environment) {}

  [[nodiscard]] std::string_view text(std::string_view name) const noexcept {
    for (const char* const* each = environment_; *each != nullptr; ++each) {
      const std::string_view entry = *each;
      if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
        return entry.substr(name.size() + 1);
      }
    }
    return {};
  }
  [[nodiscard]] bool has(std::string_view name) const noexcept { return !text(name).empty(); }
  [[nodiscard]] int number(std::string_view name, int otherwise) const {
    const std::optional<std::uint64_t> value = parse_number(text(name));
    return value && *value <= 100'000'000 ? static_cast<int>(*value) : otherwise;
  }

 private:
  const char* const* environment_;
};

process_launch numbered(const variables& env, launcher by, std::string_view process, std::string_view processes,
                        std::string_view index_on_host, std::string_view processes_on_host) {
  process_launch launch;
  launch.by = by;
  launch.process = env.number(process, -1);
  launch.processes = env.number(processes, -1);
  launch.index_on_host = env.number(index_on_host, 0);
  launch.processes_on_host = env.number(processes_on_host, 1);
  if (launch.process < 0 || launch.processes < 1 || launch.process >= launch.processes) {
    throw Error(
        errc::state,
        fmt::format("this process was started by {}, but its environment is not what that sets: {}='{}' and "
                    "{}='{}'. If the program is not meant to be one of several processes, remove these variables.",
                    launcher_name(by), process, printable_word(env.text(process)), processes,
                    printable_word(env.text(processes))));
  }
  return launch;
}

constexpr const char* marker = "PURE_INSIDE_OF";

}  // namespace

void mark_what_is_started() noexcept {
  setenv(marker, std::to_string(getpid()).c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before there are ranks
}

bool is_of_launcher(std::string_view name) noexcept {
  constexpr std::array beginnings = {"PMI_", "PMIX_", "OMPI_COMM_WORLD_", "OMPI_MCA_orte_", "OMPI_MCA_ess"};
  constexpr std::array names = {
      // Hydra's
      "HYDI_CONTROL_FD", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
      // Open MPI's, and those that come of purerun's own options for it
      "OMPI_APP_CTX_NUM_PROCS", "OMPI_ARGV", "OMPI_COMMAND", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS",
      "OMPI_NUM_APP_CTX", "OMPI_UNIVERSE_SIZE", "OMPI_MCA_initial_wdir", "OMPI_MCA_pmix",
      "OMPI_MCA_shmem_RUNTIME_QUERY_hint", "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy",
      "OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_mpi_yield_when_idle",
      // purerun's
      "PURE_PROCESSES", "PURE_NETWORK", "PURE_LAUNCH_FD", marker};
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::any_of(beginnings.begin(), beginnings.end(), [&](const char* each) { return name.starts_with(each); });
}

bool is_inside_other_job(const char* const* environment) {
  const variables env(environment);
  return env.has(marker) && env.number(marker, 0) != getpid();
}

process_launch recognise_launch(const char* const* environment) {
  const variables env(environment);
  if (is_inside_other_job(environment)) {
    process_launch nested;
    nested.is_nested = true;
    return nested;
  }
  // Hydra and Open MPI before Slurm, inside whose allocations they start processes; there, too, is left what they
  // inherit.
  if (env.has("OMPI_COMM_WORLD_RANK") || env.has("OMPI_COMM_WORLD_SIZE")) {
    return numbered(env, launcher::openmpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                    "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
  }
  // SLURM_STEP_NUM_TASKS, not SLURM_NTASKS: a batch script has the latter, and is one process.
  const bool in_a_step = env.has("SLURM_STEP_ID") && env.has("SLURM_PROCID") && env.has("SLURM_STEP_NUM_TASKS");
  const bool by_hydra = env.has("MPI_LOCALRANKID") || env.has("HYDI_CONTROL_FD") || !in_a_step;
  if (by_hydra && (env.has("PMI_RANK") || env.has("PMI_SIZE"))) {
    return numbered(env, launcher::hydra, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  }
  if (in_a_step) {
    process_launch launch = numbered(env, launcher::slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                                     "SLURM_NTASKS_PER_NODE");
    if (env.has("PMIX_RANK"))
      launch.with = slurm_interface::pmix;
    else if (env.has("PMI_RANK") || env.has("PMI_FD"))
      launch.with = slurm_interface::pmi2;
    return launch;
  }
  return {};
}

std::string_view launcher_name(launcher by) noexcept {
  switch (by) {
    case launcher::hydra: return "mpiexec of MPICH (Hydra)";
    case launcher::openmpi: return "mpiexec of Open MPI";
    case launcher::slurm: return "srun of Slurm";
    case launcher::none: break;
  }
  return "no launcher";
}

std::string_view network_of(const process_launch& launched) noexcept {
  switch (launched.by) {
    case launcher::hydra: return "mpich";
    case launcher::openmpi: return "openmpi";
    case launcher::slurm: return launched.with == slurm_interface::pmi2 ? "mpich" : "";
    case launcher::none: break;
  }
  return {};
}

}  // namespace pure::core
