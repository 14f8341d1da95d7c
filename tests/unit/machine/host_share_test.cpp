// The shares of processes on one machine: disjoint and complete where there is enough, near each other, never empty.
#include "machine/host_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace pure::core;

const char* const imagined_machines[] = {"core:1 pu:1", "core:4 pu:2", "pack:2 core:3 pu:1",
                                         "pack:2 numa:2 core:3 pu:2", "numa:3 core:5 pu:1"};

int groups_of(const topology& machine, const std::vector<int>& cpus, int hardware_thread::*group) {
  std::set<int> groups;
  for (const int cpu : cpus) groups.insert(machine.find(cpu)->*group);
  return static_cast<int>(groups.size());
}

TEST(HostShare, CoresAreSharedEqually) {
  for (const char* const description : imagined_machines) {
    const topology machine = topology::imagined(description);
    for (int processes = 1; processes <= machine.cores(); ++processes) {
      std::set<int> seen;
      for (int index = 0; index < processes; ++index) {
        const auto cpus = host_share(machine, index, processes, "cores");
        const int cores = groups_of(machine, cpus, &hardware_thread::core);
        EXPECT_GE(cores, machine.cores() / processes);
        EXPECT_LE(cores, (machine.cores() + processes - 1) / processes);
        EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
        for (const int cpu : cpus) EXPECT_TRUE(seen.insert(cpu).second) << "two processes have cpu " << cpu;
      }
      EXPECT_EQ(seen.size(), machine.allowed_cpus().size());
    }
  }
}

TEST(HostShare, WholeNodes) {
  for (const char* const description : imagined_machines) {
    const topology machine = topology::imagined(description);
    for (int processes = 1; processes <= machine.numa_nodes(); ++processes) {
      std::size_t seen = 0;
      for (int index = 0; index < processes; ++index) {
        const auto cpus = host_share(machine, index, processes, "numa");
        const int nodes = groups_of(machine, cpus, &hardware_thread::numa);
        EXPECT_EQ(cpus.size(), static_cast<std::size_t>(nodes) * machine.allowed_cpus().size() /
                                   static_cast<std::size_t>(machine.numa_nodes()));
        seen += cpus.size();
      }
      EXPECT_EQ(seen, machine.allowed_cpus().size());
    }
  }
}

TEST(HostShare, MoreProcessesThanNodesShareTheCoresOfOne) {
  const topology machine = topology::imagined("numa:2 core:3 pu:1");
  std::vector<std::vector<int>> shares;
  for (int index = 0; index < 5; ++index) shares.push_back(host_share(machine, index, 5, "numa"));
  EXPECT_EQ(shares, (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {4, 5}}));
}

TEST(HostShare, MoreProcessesThanCoresShareThem) {
  for (const char* const description : imagined_machines) {
    const topology machine = topology::imagined(description);
    for (const char* const split : {"cores", "numa"}) {
      const int processes = machine.cores() * 2 + 1;
      std::set<int> seen;
      for (int index = 0; index < processes; ++index) {
        const auto cpus = host_share(machine, index, processes, split);
        EXPECT_EQ(groups_of(machine, cpus, &hardware_thread::core), 1);
        seen.insert(cpus.begin(), cpus.end());
      }
      EXPECT_EQ(seen.size(), machine.allowed_cpus().size());
    }
  }
}

TEST(HostShare, OnlyWhatIsAllowed) {
  const topology machine = topology::imagined("numa:2 core:4 pu:2", std::vector<int>{2, 3, 6, 8, 9});
  EXPECT_EQ(host_share(machine, 0, 3, "cores"), (std::vector<int>{2, 3}));
  EXPECT_EQ(host_share(machine, 1, 3, "cores"), (std::vector<int>{6}));
  EXPECT_EQ(host_share(machine, 2, 3, "cores"), (std::vector<int>{8, 9}));
  EXPECT_EQ(host_share(machine, 1, 2, "numa"), (std::vector<int>{8, 9}));
  EXPECT_EQ(host_share(machine, 1, 2, "none"), (std::vector<int>{2, 3, 6, 8, 9}));
}

}  // namespace
