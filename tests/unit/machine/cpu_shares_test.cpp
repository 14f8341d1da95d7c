// The cpus shared out among ranks: by hand on small machines, and what must hold on random ones.
#include "machine/cpu_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <pure/error.hpp>

#include "support/random_machine.hpp"

namespace {

using namespace pure::core;

using shares = std::vector<std::vector<int>>;

shares cpus_of(const topology& machine, std::size_t ranks, int hardware_thread::*group = nullptr, int each = 0) {
  shares found;
  for (const cpu_share& share : share_out(machine, ranks, group, each)) {
    found.push_back(share.cpus);
    EXPECT_TRUE(std::binary_search(share.cpus.begin(), share.cpus.end(), share.own));
  }
  return found;
}

TEST(CpuShares, WholeCoresFirst) {
  const topology machine = topology::imagined("core:4 pu:2");  // core 0: cpus 0 and 1, ...
  EXPECT_EQ(cpus_of(machine, 1), (shares{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(cpus_of(machine, 2), (shares{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(cpus_of(machine, 3), (shares{{0, 1}, {2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(cpus_of(machine, 4), (shares{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(CpuShares, MoreRanksThanCores) {
  const topology machine = topology::imagined("core:4 pu:2");
  EXPECT_EQ(cpus_of(machine, 6), (shares{{0}, {2}, {4, 5}, {6, 7}, {1}, {3}}));
  EXPECT_EQ(cpus_of(machine, 8), (shares{{0}, {2}, {4}, {6}, {1}, {3}, {5}, {7}}));
  EXPECT_EQ(cpus_of(machine, 10), (shares{{0}, {2}, {4}, {6}, {1}, {3}, {5}, {7}, {0}, {2}}));
}

TEST(CpuShares, NodesTakeTurns) {
  const topology machine = topology::imagined("numa:2 core:4 pu:1");
  EXPECT_EQ(cpus_of(machine, 2, &hardware_thread::numa), (shares{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(cpus_of(machine, 3, &hardware_thread::numa), (shares{{0, 1}, {4, 5, 6, 7}, {2, 3}}));
  EXPECT_EQ(cpus_of(machine, 2, &hardware_thread::numa, 3), (shares{{0, 1, 2}, {4, 5, 6}}));
  EXPECT_THROW(static_cast<void>(share_out(machine, 3, &hardware_thread::numa, 3)), pure::Error);
}

TEST(CpuShares, SoManyCpusForEach) {
  const topology machine = topology::imagined("core:4 pu:2");
  EXPECT_EQ(cpus_of(machine, 4, nullptr, 1), (shares{{0}, {2}, {4}, {6}}));
  EXPECT_EQ(cpus_of(machine, 5, nullptr, 1), (shares{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(cpus_of(machine, 2, nullptr, 2), (shares{{0, 1}, {2, 3}}));
  EXPECT_EQ(cpus_of(machine, 2, nullptr, 3), (shares{{0, 1, 2}, {4, 5, 6}}));
  EXPECT_EQ(cpus_of(machine, 1, nullptr, 8), (shares{{0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST(CpuShares, OneMoreThanThereIs) {
  const topology machine = topology::imagined("core:4 pu:2", std::vector<int>{0, 1, 2, 6});
  for (const auto& [ranks, each] : {std::tuple{std::size_t{4}, 1}, {std::size_t{2}, 2}, {std::size_t{1}, 4}}) {
    EXPECT_EQ(share_out(machine, ranks, nullptr, each).size(), ranks);
    try {
      static_cast<void>(share_out(machine, ranks + 1, nullptr, each));
      ADD_FAILURE() << ranks + 1 << " of " << each;
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::argument);
      EXPECT_NE(std::string(error.what()).find("this process may use 4 cpus: 0-2,6"), std::string::npos)
          << error.what();
    }
  }
}

int cores_of(const topology& machine, const std::vector<int>& cpus) {
  std::set<int> cores;
  for (const int cpu : cpus) cores.insert(machine.find(cpu)->core);
  return static_cast<int>(cores.size());
}

TEST(CpuShares, RandomMachines) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const test_support::random_machine made(random);
    const topology machine = topology::imagined(made.description, made.allowed);  // none chosen: all
    const std::size_t cpus = machine.allowed_cpus().size();
    const auto ranks = static_cast<std::size_t>(test_support::one_to(3 * static_cast<unsigned>(cpus), random));
    for (const auto group : {static_cast<int hardware_thread::*>(nullptr), &hardware_thread::numa}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << made.description << ", " << ranks);
      std::map<int, int> shares_with;
      const std::vector<cpu_share> all = share_out(machine, ranks, group, 0);
      ASSERT_EQ(all.size(), ranks);
      for (const cpu_share& each : all) {
        EXPECT_TRUE(std::is_sorted(each.cpus.begin(), each.cpus.end()));
        EXPECT_TRUE(std::binary_search(each.cpus.begin(), each.cpus.end(), each.own));
        for (const int cpu : each.cpus) {
          EXPECT_TRUE(machine.find(cpu)->allowed);
          ++shares_with[cpu];
        }
        if (each.cpus.size() > 1 && group != nullptr) {
          EXPECT_EQ(machine.find(each.cpus.front())->numa, machine.find(each.cpus.back())->numa);
        }
      }
      if (group == nullptr) {
        EXPECT_EQ(shares_with.size(), cpus) << "every cpu is somebody's";
      }
      if (ranks <= cpus) {
        for (const auto& [cpu, count] : shares_with) EXPECT_EQ(count, 1) << "cpu " << cpu;
      }
      if (group == nullptr && ranks <= static_cast<std::size_t>(machine.allowed_cores())) {
        const auto [least, most] = std::minmax_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
          return cores_of(machine, a.cpus) < cores_of(machine, b.cpus);
        });
        EXPECT_LE(cores_of(machine, most->cpus), cores_of(machine, least->cpus) + 1);
      }

      const auto asked = test_support::one_to(4, random);
      if (ranks * asked > cpus) continue;
      std::set<int> seen;
      try {
        for (const cpu_share& each : share_out(machine, ranks, group, static_cast<int>(asked))) {
          EXPECT_EQ(each.cpus.size(), asked);
          for (const int cpu : each.cpus) EXPECT_TRUE(seen.insert(cpu).second) << "two ranks have cpu " << cpu;
        }
      } catch (const pure::Error&) {
        EXPECT_NE(group, nullptr) << "one machine has room for all";  // groups may each leave some over
      }
    }
  }
}

}  // namespace
