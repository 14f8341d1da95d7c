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

constexpr const char* marker = "PURE_INSIDE_OF";

// purerun's own, whichever launcher it uses.
constexpr std::array<std::string_view, 7> variables_of_purerun = {
    "PURE_PROCESSES", "PURE_NETWORK", "PURE_LAUNCH_FD", "PURE_RANKS_AS", "PURE_LOAD", "PURE_LOAD_NAME", marker};

constexpr std::array<std::string_view, 2> variables_of_own_processes = {"PURE_PROCESS_NUMBER", "PURE_SEGMENT"};

constexpr std::array<std::string_view, 4> beginnings_of_openmpi = {"PMIX_", "OMPI_COMM_WORLD_", "OMPI_MCA_orte_",
                                                                   "OMPI_MCA_ess"};
constexpr std::array<std::string_view, 14> variables_of_openmpi = {
    "OMPI_APP_CTX_NUM_PROCS", "OMPI_ARGV", "OMPI_COMMAND", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS", "OMPI_NUM_APP_CTX",
    "OMPI_UNIVERSE_SIZE", "OMPI_MCA_initial_wdir", "OMPI_MCA_pmix",
    // those that come of purerun's own options for it
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint", "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy",
    "OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"};

constexpr std::array<std::string_view, 1> beginnings_of_hydra = {"PMI_"};
constexpr std::array<std::string_view, 4> variables_of_hydra = {"HYDI_CONTROL_FD", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
                                                                "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"};

/// SLURM_STEP_NUM_TASKS, not SLURM_NTASKS: a batch script has the latter, and is one process.
bool is_in_step(const launch_variables& env) {
  return env.has("SLURM_STEP_ID") && env.has("SLURM_PROCID") && env.has("SLURM_STEP_NUM_TASKS");
}

constexpr launcher of_slurm(bool (*has_started)(const launch_variables&)) {
  launcher row;
  row.name = "srun of Slurm";
  row.has_started = has_started;
  row.process = "SLURM_PROCID";
  row.processes = "SLURM_STEP_NUM_TASKS";
  row.index_on_host = "SLURM_LOCALID";
  row.processes_on_host = "SLURM_NTASKS_PER_NODE";
  row.leaves_room = true;
  return row;
}

constexpr launcher slurm_with_pmix() {
  launcher row = of_slurm([](const launch_variables& env) { return is_in_step(env) && env.has("PMIX_RANK"); });
  row.prefers = "openmpi";  // PMIx is Open MPI's own; MPICH may have it
  return row;
}

constexpr launcher slurm_with_pmi2() {
  launcher row = of_slurm(
      [](const launch_variables& env) { return is_in_step(env) && (env.has("PMI_RANK") || env.has("PMI_FD")); });
  row.network = "mpich";
  return row;
}

constexpr launcher slurm_alone() {
  launcher row = of_slurm(is_in_step);
  row.lacks =
      "without a way for them to find each other: start with `srun --mpi=pmi2` (MPICH) or `srun --mpi=pmix` (Open "
      "MPI).";
  return row;
}

/// FLUX_TASK_RANK, not FLUX_JOB_ID: a batch script may have the latter, and is one process.
bool is_task_of_flux(const launch_variables& env) { return env.has("FLUX_TASK_RANK") && env.has("FLUX_JOB_SIZE"); }

constexpr launcher of_flux(bool (*has_started)(const launch_variables&)) {
  launcher row;
  row.name = "flux run of Flux";
  row.has_started = has_started;
  row.process = "FLUX_TASK_RANK";
  row.processes = "FLUX_JOB_SIZE";
  row.index_on_host = "FLUX_TASK_LOCAL_ID";
  row.leaves_room = true;
  return row;
}

constexpr launcher flux_with_pmi() {
  launcher row = of_flux([](const launch_variables& env) { return is_task_of_flux(env) && env.has("PMI_FD"); });
  row.network = "mpich";  // PMI-1, as Hydra
  return row;
}

constexpr launcher flux_alone() {
  launcher row = of_flux(is_task_of_flux);
  row.lacks = "without a way for them to find each other: start with `flux run -o pmi=simple` (MPICH).";
  return row;
}

// purerun before all others: where it starts the processes itself, what is left of a launcher says nothing of them.
// Open MPI and Hydra before Slurm and Flux, inside whose allocations they start processes; there, too, is left what
// they inherit.
constexpr std::array all_launchers{
    launcher{.name = "purerun",
             .has_started = [](const launch_variables& env) { return env.has("PURE_SEGMENT"); },
             .process = "PURE_PROCESS_NUMBER",
             .processes = "PURE_PROCESSES",
             .index_on_host = "PURE_PROCESS_NUMBER",
             .processes_on_host = "PURE_PROCESSES",
             .network = "shm",
             .prefers = {},
             .lacks = {},
             .variables = variables_of_own_processes,
             .beginnings = {}},
    launcher{.name = "mpiexec of Open MPI",
             .has_started =
                 [](const launch_variables& env) {
                   return env.has("OMPI_COMM_WORLD_RANK") || env.has("OMPI_COMM_WORLD_SIZE");
                 },
             .process = "OMPI_COMM_WORLD_RANK",
             .processes = "OMPI_COMM_WORLD_SIZE",
             .index_on_host = "OMPI_COMM_WORLD_LOCAL_RANK",
             .processes_on_host = "OMPI_COMM_WORLD_LOCAL_SIZE",
             .network = "openmpi",
             .prefers = {},
             .lacks = {},
             .variables = variables_of_openmpi,
             .beginnings = beginnings_of_openmpi},
    launcher{.name = "mpiexec of MPICH (Hydra)",
             .has_started =
                 [](const launch_variables& env) {
                   const bool is_possible = env.has("MPI_LOCALRANKID") || env.has("HYDI_CONTROL_FD") ||
                                            !(is_in_step(env) || is_task_of_flux(env));
                   return is_possible && (env.has("PMI_RANK") || env.has("PMI_SIZE"));
                 },
             .process = "PMI_RANK",
             .processes = "PMI_SIZE",
             .index_on_host = "MPI_LOCALRANKID",
             .processes_on_host = "MPI_LOCALNRANKS",
             .network = "mpich",
             .prefers = {},
             .lacks = {},
             .variables = variables_of_hydra,
             .beginnings = beginnings_of_hydra},
    slurm_with_pmix(),
    slurm_with_pmi2(),
    slurm_alone(),
    flux_with_pmi(),
    flux_alone(),
};

process_launch numbered(const launch_variables& env, const launcher& by) {
  process_launch launch;
  launch.by = &by;
  launch.process = env.number(by.process, -1);
  launch.processes = env.number(by.processes, -1);
  launch.index_on_host = env.number(by.index_on_host, 0);
  launch.processes_on_host = env.number(by.processes_on_host, 1);
  if (launch.process < 0 || launch.processes < 1 || launch.process >= launch.processes) {
    throw Error(
        errc::state,
        fmt::format("this process was started by {}, but its environment is not what that sets: {}='{}' and "
                    "{}='{}'. If the program is not meant to be one of several processes, remove these variables.",
                    by.name, by.process, printable_word(env.text(by.process)), by.processes,
                    printable_word(env.text(by.processes))));
  }
  return launch;
}

}  // namespace

std::string_view launch_variables::text(std::string_view name) const noexcept {
  for (const char* const* each = environment_; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

int launch_variables::number(std::string_view name, int otherwise) const {
  const std::optional<std::uint64_t> value = parse_number(text(name));
  return value && *value <= 100'000'000 ? static_cast<int>(*value) : otherwise;
}

std::span<const launcher> launchers() noexcept { return all_launchers; }

void mark_what_is_started() noexcept {
  setenv(marker, std::to_string(getpid()).c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before there are ranks
}

bool is_of_launcher(std::string_view name) noexcept {
  const auto has = [name](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(variables_of_purerun) ||
         std::any_of(all_launchers.begin(), all_launchers.end(), [&](const launcher& each) {
           return has(each.variables) || std::any_of(each.beginnings.begin(), each.beginnings.end(),
                                                     [&](std::string_view one) { return name.starts_with(one); });
         });
}

bool is_inside_other_job(const char* const* environment) {
  const launch_variables env(environment);
  return env.has(marker) && env.number(marker, 0) != getpid();
}

process_launch recognise_launch(const char* const* environment, std::span<const launcher> known) {
  const launch_variables env(environment);
  if (is_inside_other_job(environment)) {
    process_launch nested;
    nested.is_nested = true;
    return nested;
  }
  const auto by = std::find_if(known.begin(), known.end(), [&](const launcher& each) { return each.has_started(env); });
  return by != known.end() ? numbered(env, *by) : process_launch();
}

}  // namespace pure::core
