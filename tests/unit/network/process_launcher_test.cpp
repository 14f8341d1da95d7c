// Who started a process, by environments as the launchers really set them.
#include "network/process_launcher.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pure/error.hpp>

namespace {

using namespace pure::core;

process_launch launched_with(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  return recognise_launch(environment.data());
}

TEST(ProcessLauncher, NobodyStartsOneProcess) {
  for (const process_launch& launched :
       {launched_with({}), launched_with({"PATH=/bin", "PMI_RANK=", "PMIX_INSTALL_PREFIX=/usr"})}) {
    EXPECT_EQ(launched.by, launcher::none);
    EXPECT_EQ(launched.processes, 1);
    EXPECT_EQ(network_of(launched), "");
  }
}

TEST(ProcessLauncher, Hydra) {
  const auto launched = launched_with(
      {"HYDI_CONTROL_FD=7", "MPI_LOCALNRANKS=2", "MPI_LOCALRANKID=1", "PMI_RANK=3", "PMI_FD=6", "PMI_SIZE=4"});
  EXPECT_EQ(launched.by, launcher::hydra);
  EXPECT_EQ(launched.process, 3);
  EXPECT_EQ(launched.processes, 4);
  EXPECT_EQ(launched.index_on_host, 1);
  EXPECT_EQ(launched.processes_on_host, 2);
  EXPECT_EQ(network_of(launched), "mpich");
}

TEST(ProcessLauncher, OpenMpi) {
  const auto launched = launched_with({"OMPI_COMM_WORLD_SIZE=12", "OMPI_COMM_WORLD_LOCAL_SIZE=6", "PMIX_RANK=7",
                                       "PMIX_NAMESPACE=812580865", "OMPI_COMM_WORLD_RANK=7",
                                       "OMPI_COMM_WORLD_LOCAL_RANK=1"});
  EXPECT_EQ(launched.by, launcher::openmpi);
  EXPECT_EQ(launched.process, 7);
  EXPECT_EQ(launched.processes, 12);
  EXPECT_EQ(launched.processes_on_host, 6);
  EXPECT_EQ(network_of(launched), "openmpi");
}

TEST(ProcessLauncher, SlurmSaysHowProcessesFindEachOther) {
  const std::vector<const char*> step = {"SLURM_JOB_ID=17", "SLURM_STEP_ID=0",        "SLURM_PROCID=2",
                                         "SLURM_NTASKS=8",  "SLURM_STEP_NUM_TASKS=4", "SLURM_LOCALID=0"};
  auto environment = step;
  EXPECT_EQ(launched_with(environment).by, launcher::slurm);
  EXPECT_EQ(launched_with(environment).with, slurm_interface::none);
  EXPECT_EQ(launched_with(environment).process, 2);
  EXPECT_EQ(launched_with(environment).processes, 4);
  environment.insert(environment.end(), {"PMI_RANK=2", "PMI_SIZE=4", "PMI_FD=12"});
  EXPECT_EQ(launched_with(environment).by, launcher::slurm);
  EXPECT_EQ(launched_with(environment).with, slurm_interface::pmi2);
  EXPECT_EQ(network_of(launched_with(environment)), "mpich");
  environment = step;
  environment.push_back("PMIX_RANK=2");
  EXPECT_EQ(launched_with(environment).with, slurm_interface::pmix);
  EXPECT_EQ(network_of(launched_with(environment)), "");
}

TEST(ProcessLauncher, ABatchScriptIsOneProcess) {
  EXPECT_EQ(launched_with({"SLURM_JOB_ID=17", "SLURM_PROCID=0", "SLURM_NTASKS=8", "SLURM_LOCALID=0"}).by,
            launcher::none);
}

TEST(ProcessLauncher, AnMpiexecInsideSlurmCounts) {
  const std::vector<const char*> inherited = {"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "SLURM_PROCID=1",
                                              "SLURM_STEP_NUM_TASKS=2"};
  auto hydra = inherited;
  hydra.insert(hydra.end(), {"PMI_RANK=5", "PMI_SIZE=8", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4"});
  EXPECT_EQ(launched_with(hydra).by, launcher::hydra);
  EXPECT_EQ(launched_with(hydra).processes, 8);
  auto open = inherited;
  open.insert(open.end(), {"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=6", "PMIX_RANK=5"});
  EXPECT_EQ(launched_with(open).by, launcher::openmpi);
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

}  // namespace
