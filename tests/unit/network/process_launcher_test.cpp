// Who started a process, by environments as the launchers really set them.
#include "network/process_launcher.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pure/error.hpp>

namespace {

using namespace pure::core;

process_launch launched_with(std::vector<const char*> environment, std::span<const launcher> known = launchers()) {
  environment.push_back(nullptr);
  return recognise_launch(environment.data(), known);
}

constexpr std::string_view by_hydra = "mpiexec of MPICH (Hydra)", by_openmpi = "mpiexec of Open MPI",
                           by_slurm = "srun of Slurm", by_nobody = "no launcher";

TEST(ProcessLauncher, NobodyStartsOneProcess) {
  for (const process_launch& launched :
       {launched_with({}), launched_with({"PATH=/bin", "PMI_RANK=", "PMIX_INSTALL_PREFIX=/usr"})}) {
    EXPECT_EQ(launched.launcher_name(), by_nobody);
    EXPECT_EQ(launched.processes, 1);
    EXPECT_EQ(launched.network(), "");
  }
}

TEST(ProcessLauncher, Hydra) {
  const auto launched = launched_with(
      {"HYDI_CONTROL_FD=7", "MPI_LOCALNRANKS=2", "MPI_LOCALRANKID=1", "PMI_RANK=3", "PMI_FD=6", "PMI_SIZE=4"});
  EXPECT_EQ(launched.launcher_name(), by_hydra);
  EXPECT_EQ(launched.process, 3);
  EXPECT_EQ(launched.processes, 4);
  EXPECT_EQ(launched.index_on_host, 1);
  EXPECT_EQ(launched.processes_on_host, 2);
  EXPECT_EQ(launched.network(), "mpich");
}

TEST(ProcessLauncher, OpenMpi) {
  const auto launched = launched_with({"OMPI_COMM_WORLD_SIZE=12", "OMPI_COMM_WORLD_LOCAL_SIZE=6", "PMIX_RANK=7",
                                       "PMIX_NAMESPACE=812580865", "OMPI_COMM_WORLD_RANK=7",
                                       "OMPI_COMM_WORLD_LOCAL_RANK=1"});
  EXPECT_EQ(launched.launcher_name(), by_openmpi);
  EXPECT_EQ(launched.process, 7);
  EXPECT_EQ(launched.processes, 12);
  EXPECT_EQ(launched.processes_on_host, 6);
  EXPECT_EQ(launched.network(), "openmpi");
}

TEST(ProcessLauncher, SlurmSaysHowProcessesFindEachOther) {
  const std::vector<const char*> step = {"SLURM_JOB_ID=17", "SLURM_STEP_ID=0",        "SLURM_PROCID=2",
                                         "SLURM_NTASKS=8",  "SLURM_STEP_NUM_TASKS=4", "SLURM_LOCALID=0"};
  auto environment = step;
  EXPECT_EQ(launched_with(environment).launcher_name(), by_slurm);
  EXPECT_NE(launched_with(environment).by->lacks, "");
  EXPECT_EQ(launched_with(environment).process, 2);
  EXPECT_EQ(launched_with(environment).processes, 4);
  environment.insert(environment.end(), {"PMI_RANK=2", "PMI_SIZE=4", "PMI_FD=12"});
  EXPECT_EQ(launched_with(environment).launcher_name(), by_slurm);
  EXPECT_EQ(launched_with(environment).by->lacks, "");
  EXPECT_EQ(launched_with(environment).network(), "mpich");
  environment = step;
  environment.push_back("PMIX_RANK=2");
  EXPECT_EQ(launched_with(environment).by->lacks, "");
  EXPECT_EQ(launched_with(environment).by->prefers, "openmpi");
  EXPECT_EQ(launched_with(environment).network(), "");
}

TEST(ProcessLauncher, FluxMayHaveAPmi) {
  std::vector<const char*> task = {"FLUX_JOB_ID=f2", "FLUX_TASK_RANK=3", "FLUX_JOB_SIZE=4", "FLUX_TASK_LOCAL_ID=1"};
  EXPECT_EQ(launched_with(task).launcher_name(), "flux run of Flux");
  EXPECT_EQ(launched_with(task).process, 3);
  EXPECT_EQ(launched_with(task).processes, 4);
  EXPECT_NE(launched_with(task).by->lacks, "");
  task.insert(task.end(), {"PMI_RANK=3", "PMI_SIZE=4", "PMI_FD=12"});
  EXPECT_EQ(launched_with(task).launcher_name(), "flux run of Flux");
  EXPECT_EQ(launched_with(task).network(), "mpich");
  EXPECT_EQ(launched_with({"FLUX_JOB_ID=f2", "FLUX_URI=local:///run/flux"}).launcher_name(), by_nobody);
  task.insert(task.end(), {"HYDI_CONTROL_FD=7"});
  EXPECT_EQ(launched_with(task).launcher_name(), by_hydra) << "an mpiexec inside";
}

TEST(ProcessLauncher, ABatchScriptIsOneProcess) {
  EXPECT_EQ(launched_with({"SLURM_JOB_ID=17", "SLURM_PROCID=0", "SLURM_NTASKS=8", "SLURM_LOCALID=0"}).launcher_name(),
            by_nobody);
}

TEST(ProcessLauncher, AnMpiexecInsideSlurmCounts) {
  const std::vector<const char*> inherited = {"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "SLURM_PROCID=1",
                                              "SLURM_STEP_NUM_TASKS=2"};
  auto hydra = inherited;
  hydra.insert(hydra.end(), {"PMI_RANK=5", "PMI_SIZE=8", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4"});
  EXPECT_EQ(launched_with(hydra).launcher_name(), by_hydra);
  EXPECT_EQ(launched_with(hydra).processes, 8);
  auto open = inherited;
  open.insert(open.end(), {"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=6", "PMIX_RANK=5"});
  EXPECT_EQ(launched_with(open).launcher_name(), by_openmpi);
  EXPECT_EQ(launched_with(open).processes, 6);
}

TEST(ProcessLauncher, ContradictionsAreRefused) {
  for (const std::vector<const char*>& environment : {std::vector<const char*>{"PMI_RANK=4", "PMI_SIZE=4"},
                                                      {"PMI_RANK=1"},
                                                      {"PMI_RANK=one", "PMI_SIZE=2"},
                                                      {"OMPI_COMM_WORLD_SIZE=2"},
                                                      {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=0"}}) {
    EXPECT_THROW(launched_with(environment), pure::Error);
  }
}

TEST(ProcessLauncher, OneMoreIsOneMoreRow) {
  std::vector<launcher> known(launchers().begin(), launchers().end());
  launcher own;
  own.name = "somebody new";
  own.has_started = [](const launch_variables& env) { return env.has("NEW_NUMBER"); };
  own.process = "NEW_NUMBER";
  own.processes = "NEW_COUNT";
  own.network = "new_network";
  known.insert(known.begin(), own);
  const process_launch launched = launched_with({"PMI_RANK=5", "PMI_SIZE=8", "NEW_NUMBER=2", "NEW_COUNT=3"}, known);
  EXPECT_EQ(launched.launcher_name(), "somebody new");
  EXPECT_EQ(launched.network(), "new_network");
  EXPECT_EQ(launched.process, 2);
  EXPECT_EQ(launched.processes, 3);
  EXPECT_EQ(launched.processes_on_host, 1);
  EXPECT_EQ(launched_with({"PMI_RANK=5", "PMI_SIZE=8"}, known).launcher_name(), by_hydra);
  EXPECT_THROW(launched_with({"NEW_NUMBER=3", "NEW_COUNT=3"}, known), pure::Error);
}

TEST(ProcessLauncher, EveryRowSaysWhatOthersRelyOn) {
  for (const launcher& each : launchers()) {
    EXPECT_NE(each.name, "");
    EXPECT_NE(each.has_started, nullptr) << each.name;
    EXPECT_NE(each.process, "") << each.name;
    EXPECT_NE(each.processes, "") << each.name;
  }
}

TEST(ProcessLauncher, WhatALauncherSetsIsKnownByItsRow) {
  for (const char* const name : {"PMI_RANK", "PMIX_RANK", "HYDI_CONTROL_FD", "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_RANK",
                                 "OMPI_MCA_mpi_yield_when_idle", "PURE_PROCESSES", "PURE_INSIDE_OF"}) {
    EXPECT_TRUE(is_of_launcher(name)) << name;
  }
  for (const char* const name :
       {"PATH", "PMI", "SLURM_PROCID", "OMPI_MCA_btl", "PURE_RANKS", "PURE_PROCESSES_MORE", ""}) {
    EXPECT_FALSE(is_of_launcher(name)) << name;
  }
}

}  // namespace
