// Topology: imagined machines are numbered as promised, and this machine is what the kernel says.
#include "machine/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <pure/error.hpp>

#include "support/in_a_child.hpp"

namespace {

using namespace pure::core;
using test_support::in_a_child;  // the machine is looked up once per process

TEST(Topology, NumbersAreDenseAndInOrder) {
  const topology machine = topology::imagined("pack:2 numa:2 core:3 pu:2");
  EXPECT_EQ(machine.packages(), 2);
  EXPECT_EQ(machine.numa_nodes(), 4);
  EXPECT_EQ(machine.cores(), 12);
  EXPECT_EQ(machine.allowed_cores(), 12);
  ASSERT_EQ(machine.hardware_threads().size(), 24U);
  for (int i = 0; i < 24; ++i) {
    const hardware_thread& thread = machine.hardware_threads()[static_cast<std::size_t>(i)];
    EXPECT_EQ(thread.core, i / 2);
    EXPECT_EQ(thread.sibling, i % 2);
    EXPECT_EQ(thread.numa, i / 6);
    EXPECT_EQ(thread.package, i / 12);
    EXPECT_TRUE(thread.allowed);
    EXPECT_EQ(machine.find(thread.cpu), &thread);
  }
  EXPECT_EQ(machine.find(24), nullptr);
  EXPECT_EQ(machine.find(-1), nullptr);
}

TEST(Topology, TheKernelsNumbersMayBeInAnyOrder) {
  // As on most servers: the second hardware threads have the high numbers.
  const topology machine = topology::imagined("pack:1 core:4 pu:2(indexes=0,4,1,5,2,6,3,7)");
  for (int cpu = 0; cpu < 8; ++cpu) {
    ASSERT_NE(machine.find(cpu), nullptr);
    EXPECT_EQ(machine.find(cpu)->cpu, cpu);
    EXPECT_EQ(machine.find(cpu)->core, cpu % 4);
    EXPECT_EQ(machine.find(cpu)->sibling, cpu / 4);
  }
}

TEST(Topology, AMachineWithoutCoresOrSockets) {
  const topology machine = topology::imagined("pu:3");
  EXPECT_EQ(machine.cores(), 3);
  EXPECT_EQ(machine.packages(), 1);
  EXPECT_EQ(machine.numa_nodes(), 1);
}

TEST(Topology, OnlySomeCpusAreAllowed) {
  const std::vector<int> allowed = {1, 2, 3, 6};
  const topology machine = topology::imagined("pack:1 core:4 pu:2", allowed);
  EXPECT_EQ(std::vector<int>(machine.allowed_cpus().begin(), machine.allowed_cpus().end()), allowed);
  EXPECT_EQ(machine.cores(), 4);
  EXPECT_EQ(machine.allowed_cores(), 3);  // 0 (by its second thread), 1 (by both), 3
  for (const hardware_thread& thread : machine.hardware_threads()) {
    EXPECT_EQ(thread.allowed, std::find(allowed.begin(), allowed.end(), thread.cpu) != allowed.end());
  }
}

TEST(Topology, TheQuotaCapsTheDefaultNumberOfRanks) {
  EXPECT_EQ(topology::imagined("core:8 pu:2").default_ranks(), 8);
  const std::vector<std::pair<double, int>> cases = {{0.01, 1}, {0.5, 1}, {1.0, 1}, {1.5, 2},
                                                     {4.0, 4},  {7.2, 8}, {8.0, 8}, {1000.0, 8}};
  for (const auto& [quota, ranks] : cases) {
    EXPECT_EQ(topology::imagined("core:8 pu:2", {}, quota).default_ranks(), ranks) << quota;
  }
  EXPECT_EQ(topology::imagined("core:8 pu:2", std::vector<int>{0, 1, 2}, 7.0).default_ranks(), 2);
}

TEST(Topology, NonsenseIsAnError) {
  EXPECT_THROW(topology::imagined("bananas:3"), pure::Error);
  EXPECT_THROW(topology::imagined("core:2 pu:1", std::vector<int>{9}), pure::Error);
}

std::vector<int> main_threads_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(getpid(), sizeof set, &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void bind_to(pid_t thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(thread, sizeof set, &set);
}

TEST(TopologyProcess, ThisMachineIsWhatTheAffinityMaskSays) {
  EXPECT_EQ(0, in_a_child([] {
              const topology& machine = topology::of_this_machine();
              const auto allowed = machine.allowed_cpus();
              EXPECT_EQ(std::vector<int>(allowed.begin(), allowed.end()), main_threads_mask());
              EXPECT_GE(machine.default_ranks(), 1);
              EXPECT_LE(machine.default_ranks(), machine.allowed_cores());
              int last_core = 0, last_sibling = -1;
              for (const hardware_thread& thread : machine.hardware_threads()) {
                EXPECT_TRUE(thread.core == last_core ? thread.sibling == last_sibling + 1
                                                     : thread.core == last_core + 1 && thread.sibling == 0);
                last_core = thread.core;
                last_sibling = thread.sibling;
              }
              return testing::Test::HasFailure() ? 1 : 0;
            }));
}

TEST(TopologyProcess, ASmallerMaskIsRespected) {
  const int cpu = main_threads_mask().back();
  EXPECT_EQ(0, in_a_child([&] {
              bind_to(0, cpu);
              const topology& machine = topology::of_this_machine();
              if (machine.allowed_cores() != 1 || machine.default_ranks() != 1) return 1;
              return machine.allowed_cpus().size() == 1 && machine.allowed_cpus()[0] == cpu ? 0 : 2;
            }));
}

TEST(TopologyProcess, AThreadThatIsBoundSeesTheWholeMaskOfTheProcess) {
  const std::vector<int> mask = main_threads_mask();
  EXPECT_EQ(0, in_a_child([&] {
              std::size_t seen = 0;
              std::thread([&] {
                bind_to(0, mask.front());
                seen = topology::of_this_machine().allowed_cpus().size();
              }).join();
              return seen == mask.size() ? 0 : 1;
            }));
}

TEST(TopologyProcess, AnotherMachineInTheEnvironmentDoesNotMisleadUs) {
  const std::vector<int> mask = main_threads_mask();
  for (const char* other : {"pack:2 core:64 pu:1", "core:1 pu:1(indexes=4000)"}) {
    EXPECT_EQ(0, in_a_child([&] {
                setenv("HWLOC_SYNTHETIC", other, 1);
                for (const int cpu : topology::of_this_machine().allowed_cpus()) {
                  if (std::find(mask.begin(), mask.end(), cpu) == mask.end()) return 1;
                }
                return 0;
              }))
        << other;
  }
}

TEST(TopologyProcess, ManyThreadsMayAskFirst) {
  EXPECT_EQ(0, in_a_child([] {
              std::vector<std::thread> threads;
              std::vector<const topology*> answers(8, nullptr);
              for (auto& answer : answers) threads.emplace_back([&] { answer = &topology::of_this_machine(); });
              for (auto& thread : threads) thread.join();
              return static_cast<int>(std::set<const topology*>(answers.begin(), answers.end()).size()) - 1;
            }));
}

TEST(Topology, KnowsTheVersionOfHwloc) { EXPECT_EQ(hwloc_version_text().substr(0, 2), "2."); }

}  // namespace
