// Mapping: against an oracle that places rank by rank, on random machines; and every error of mapping files.
#include "machine/mapping.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <pure/error.hpp>

#include "support/random_machine.hpp"

namespace {

using namespace pure::core;

std::vector<int> cpus_of(const std::vector<rank_place>& places) {
  std::vector<int> cpus;
  for (const rank_place& place : places) {
    EXPECT_EQ(place.cpus.size(), 1U);
    cpus.push_back(place.cpus.at(0));
  }
  return cpus;
}

TEST(Mapping, CompactTakesCoresInOrderThenTheirOtherThreads) {
  const topology machine = topology::imagined("pack:2 core:2 pu:2");  // core 0: cpus 0 and 1, core 1: 2 and 3, ...
  EXPECT_EQ(cpus_of(map_ranks(machine, 3, {"core"})), (std::vector<int>{0, 2, 4}));  // of 1, 1 and 2 cores
  EXPECT_EQ(cpus_of(map_ranks(machine, 2, {"core"})), (std::vector<int>{0, 4}));
  EXPECT_EQ(cpus_of(map_ranks(machine, 10, {"core"})), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7, 0, 2}));
}

TEST(Mapping, NodesAndSocketsTakeTurns) {
  const topology machine = topology::imagined("pack:2 numa:2 core:2 pu:1");
  EXPECT_EQ(cpus_of(map_ranks(machine, 9, {"numa"})), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7, 0}));
  EXPECT_EQ(cpus_of(map_ranks(machine, 9, {"node"})), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7, 0}));
  EXPECT_EQ(cpus_of(map_ranks(machine, 9, {"socket"})), (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7, 0}));
}

TEST(Mapping, AFullNodeIsLeftOut) {
  const topology machine = topology::imagined("pack:2 numa:1 core:4 pu:1", std::vector<int>{0, 4, 5, 6, 7});
  EXPECT_EQ(cpus_of(map_ranks(machine, 6, {"numa"})), (std::vector<int>{0, 4, 5, 6, 7, 0}));
}

TEST(Mapping, NoneBindsNothing) {
  const topology machine = topology::imagined("core:4 pu:2");
  for (const auto& [ranks, per_core, per_cpu] : {std::tuple{1, 1, 1}, {4, 1, 1}, {5, 2, 1}, {8, 2, 1}, {9, 3, 2}}) {
    const auto places = map_ranks(machine, ranks, {"none"});
    ASSERT_EQ(places.size(), static_cast<std::size_t>(ranks));
    for (const rank_place& place : places) {
      EXPECT_TRUE(place.cpus.empty());
      EXPECT_EQ(std::tuple(place.core, place.numa, place.package), std::tuple(-1, -1, -1));
      EXPECT_EQ(place.ranks_on_core, per_core);
      EXPECT_EQ(place.ranks_on_cpu, per_cpu);
    }
  }
}

// Where there are more ranks than cores, put as a choice: each rank goes to the hardware thread that has the fewest
// ranks; of those to the one that comes first among the allowed threads of its core; of those to a group that has got
// the fewest ranks on threads like this one; and of those to the first.
std::vector<int> choices(const topology& machine, int ranks, int hardware_thread::*group) {
  std::map<int, int> ranks_on_cpu;
  std::map<int, std::vector<int>> threads_of_core;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (thread.allowed) threads_of_core[thread.core].push_back(thread.cpu);
  }
  const auto level = [&](const hardware_thread& thread) {
    const auto& siblings = threads_of_core[thread.core];
    return std::find(siblings.begin(), siblings.end(), thread.cpu) - siblings.begin();
  };
  std::map<std::tuple<int, std::ptrdiff_t, int>, int> given;  // (round, level, group) -> ranks
  std::vector<int> result;
  for (int rank = 0; rank < ranks; ++rank) {
    using cost = std::tuple<int, std::ptrdiff_t, int, int, int>;
    std::pair<cost, const hardware_thread*> best{cost{1 << 30, 0, 0, 0, 0}, nullptr};
    for (const hardware_thread& thread : machine.hardware_threads()) {
      if (!thread.allowed) continue;
      const int own_group = group == nullptr ? 0 : thread.*group;
      const int round = ranks_on_cpu[thread.cpu];
      const cost own{round, level(thread), given[{round, level(thread), own_group}], own_group, thread.core};
      if (own < best.first) best = {own, &thread};
    }
    const hardware_thread& chosen = *best.second;
    ++given[{ranks_on_cpu[chosen.cpu], level(chosen), group == nullptr ? 0 : chosen.*group}];
    ++ranks_on_cpu[chosen.cpu];
    result.push_back(chosen.cpu);
  }
  return result;
}

// The group of each rank is that of its choice. The ranks of a group of as many cores have each its part of these, in
// order, and run on the first cpu of it.
std::vector<int> oracle(const topology& machine, int ranks, int hardware_thread::*group) {
  std::vector<int> chosen = choices(machine, ranks, group);
  const auto group_of = [&](int cpu) { return group == nullptr ? 0 : machine.find(cpu)->*group; };
  std::map<int, std::vector<int>> first_cpus;  // of the allowed cores of a group
  int last_core = -1;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (thread.allowed && thread.core != last_core) first_cpus[group_of(thread.cpu)].push_back(thread.cpu);
    if (thread.allowed) last_core = thread.core;
  }
  std::map<int, std::vector<std::size_t>> ranks_of;
  for (std::size_t rank = 0; rank < chosen.size(); ++rank) ranks_of[group_of(chosen[rank])].push_back(rank);
  for (const auto& [number, members] : ranks_of) {
    const std::vector<int>& cores = first_cpus[number];
    if (members.size() > cores.size()) continue;
    for (std::size_t i = 0; i < members.size(); ++i) chosen[members[i]] = cores[cores.size() * i / members.size()];
  }
  return chosen;
}

TEST(Mapping, AgreesWithTheOracleOnRandomMachines) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const test_support::random_machine made(random);
    const topology machine = topology::imagined(made.description, made.allowed);  // none chosen: all
    const auto most = 3 * static_cast<unsigned>(machine.allowed_cpus().size());
    const int ranks = static_cast<int>(test_support::one_to(most, random));

    const std::vector<std::pair<const char*, int hardware_thread::*>> ways = {
        {"core", nullptr}, {"numa", &hardware_thread::numa}, {"socket", &hardware_thread::package}};
    for (const auto& [word, group] : ways) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << made.description << ", " << ranks << " by "
                                      << word);
      const auto places = map_ranks(machine, ranks, {word});
      ASSERT_EQ(cpus_of(places), oracle(machine, ranks, group));

      std::map<int, int> ranks_on_core, ranks_on_cpu;
      for (const rank_place& place : places) {
        ++ranks_on_core[place.core];
        ++ranks_on_cpu[place.cpus[0]];
      }
      EXPECT_EQ(static_cast<int>(ranks_on_core.size()), std::min(ranks, machine.allowed_cores()));
      for (const rank_place& place : places) {
        const hardware_thread& thread = *machine.find(place.cpus[0]);
        EXPECT_TRUE(thread.allowed);
        EXPECT_EQ(std::tuple(place.core, place.numa, place.package),
                  std::tuple(thread.core, thread.numa, thread.package));
        EXPECT_EQ(place.ranks_on_core, ranks_on_core[place.core]);
        EXPECT_EQ(place.ranks_on_cpu, ranks_on_cpu[place.cpus[0]]);
      }
    }
  }
}

// ---- files ---------------------------------------------------------------------------------------------------------

std::vector<rank_place> from_text(const topology& machine, int ranks, const std::string& text) {
  std::istringstream file(text);
  return map_by_file(machine, ranks_to_map::all(ranks), file, "ranks.txt").own;
}

TEST(MappingFile, SaysWhereEachRankRuns) {
  const topology machine = topology::imagined("pack:2 numa:1 core:2 pu:2");
  const auto places = from_text(machine, 4,
                                "# my mapping\n"
                                "\n"
                                "2  1        # the second thread of core 0\n"
                                "\t0 0,1\r\n"
                                "3 0-7\n"
                                "1\t2-3,4");
  EXPECT_EQ(places[0].cpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(places[1].cpus, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(places[2].cpus, (std::vector<int>{1}));
  EXPECT_EQ(places[3].cpus, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  const auto neighbourhood = [&](std::size_t rank) {
    return std::tuple(places[rank].core, places[rank].numa, places[rank].package);
  };
  EXPECT_EQ(neighbourhood(0), std::tuple(0, 0, 0));
  EXPECT_EQ(neighbourhood(1), std::tuple(-1, -1, -1));
  EXPECT_EQ(neighbourhood(2), std::tuple(0, 0, 0));
  EXPECT_EQ(neighbourhood(3), std::tuple(-1, -1, -1));
  // Core 0 has ranks 0 and 2 and a quarter of rank 3; cores 1 and 2 half of rank 1 and a quarter of rank 3.
  // Cpu 1 has rank 2, half of rank 0 and an eighth of rank 3.
  EXPECT_EQ(places[2].ranks_on_cpu, 2);
  EXPECT_EQ(places[3].ranks_on_cpu, 1);
  EXPECT_EQ(places[0].ranks_on_core, 3);
  EXPECT_EQ(places[1].ranks_on_core, 1);
  EXPECT_EQ(places[2].ranks_on_core, 3);
  EXPECT_EQ(places[3].ranks_on_core, 1);
}

TEST(MappingFile, ProcessesTakeTheLinesOfTheirOwnRanks) {
  // Four cpus, of which this process may use two. Ranks 1 and 4 are its own, 0 and 3 are of a process beside it, the
  // others on another machine.
  const topology machine = topology::imagined("core:4 pu:1", std::vector<int>{1, 2});
  const ranks_to_map ranks{.of_job = 6, .own = {4, 1}, .beside = {0, 3}};
  const auto mapped = [&](const std::string& text) {
    std::istringstream file(text);
    return map_by_file(machine, ranks, file, "ranks.txt");
  };
  const mapped_ranks found = mapped("0 0\n1 1\n2 64\n3 2,77\n4 2\n5 1\n");
  EXPECT_EQ(cpus_of(found.own), (std::vector<int>{2, 1}));
  EXPECT_EQ(cpus_of(found.beside), (std::vector<int>{0, 2}));
  EXPECT_EQ(found.own[0].ranks_on_core, 2);  // with rank 3
  EXPECT_EQ(found.own[1].ranks_on_core, 1);  // rank 5 is not here
  EXPECT_TRUE(found.own[0].is_beside);
  EXPECT_FALSE(found.own[1].is_beside);
  for (const auto& [text, why] : {std::pair{"0 0\n1 3\n2 0\n3 0\n4 1\n5 0\n", "ranks.txt:2: cpu 3 is not allowed"},
                                  {"0 0\n1 1\n2 0\n3 0\n4 1\n", "no line for rank 5; the job has 6 ranks"},
                                  {"0 0\n1 1\n2 x\n", "ranks.txt:3: \"x\" is not a list of cpus"},
                                  {"6 0\n", "there is no rank 6: the job has 6 ranks"}}) {
    try {
      mapped(text);
      ADD_FAILURE() << "accepted:\n" << text;
    } catch (const pure::Error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
  // The other ways place the ranks of this process alone, on the cpus that it may use.
  EXPECT_EQ(cpus_of(map_ranks(machine, ranks, {"core"}).own), (std::vector<int>{1, 2}));
  EXPECT_TRUE(map_ranks(machine, ranks, {"core"}).beside.empty());
}

TEST(MappingFile, WhatIsWrongIsNamedWithItsLine) {
  const topology machine = topology::imagined("core:4 pu:1", std::vector<int>{0, 1, 3});
  struct bad_file {
    const char* text;
    std::vector<const char*> parts;  // of the error
  };
  const std::vector<bad_file> cases = {
      {"0 0\nx 1\n", {"ranks.txt:2:", "\"x\"", "rank"}},
      {"0 0\n\n# c\n1\n", {"ranks.txt:4:", "\"1\"", "list of cpus"}},
      {"0 0\n-1 1\n", {"ranks.txt:2:", "\"-1\""}},
      {"0 0\n2 1\n", {"ranks.txt:2:", "no rank 2", "2 ranks"}},
      {"0 0\n99999999999999999999 1\n", {"ranks.txt:2:"}},
      {"0 0\n1 0-\n", {"ranks.txt:2:", "\"0-\""}},
      {"0 0\n1 3-1\n", {"ranks.txt:2:", "\"3-1\""}},
      {"0 0\n1 1 2\n", {"ranks.txt:2:", "\"1 2\""}},
      {"0 0\n1 7\n", {"ranks.txt:2:", "cpu 7 does not exist", "0-1,3"}},
      {"0 0\n1 1-3\n", {"ranks.txt:2:", "cpu 2 is not allowed", "0-1,3"}},
      {"0 0\n1 1\n0 1\n", {"ranks.txt:3:", "rank 0", "line 1"}},
      {"0 0\n", {"ranks.txt:", "rank 1", "2 ranks"}},
      {"", {"ranks.txt:", "rank 0"}},
      {"\x7f\x45\x4c\x46", {"ranks.txt:1:"}},
  };
  for (const bad_file& bad : cases) {
    try {
      from_text(machine, 2, bad.text);
      ADD_FAILURE() << "accepted:\n" << bad.text;
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::argument);
      const std::string why = error.what();
      EXPECT_TRUE(why.starts_with("impossible mapping: ")) << why;
      for (const char* part : bad.parts) EXPECT_NE(why.find(part), std::string::npos) << why << "\nlacks " << part;
    }
  }
}

TEST(MappingFile, IsFoundByItsPath) {
  std::string name = (std::filesystem::temp_directory_path() / "mapping_XXXXXX").string();
  const int made = mkstemp(name.data());
  ASSERT_GE(made, 0);
  std::ofstream(name) << "1 2\n0 3\n";
  const topology machine = topology::imagined("core:4 pu:1");
  for (const std::string& map_by : {"file:" + name, name}) {
    EXPECT_EQ(cpus_of(map_ranks(machine, 2, {map_by})), (std::vector<int>{3, 2}));
    EXPECT_EQ(map_by_path(map_by), name);
  }
  std::filesystem::remove(name);
}

std::string refusal(const std::string& map_by, int ranks = 2) {
  try {
    map_ranks(topology::imagined("core:4 pu:1"), ranks, {map_by});
  } catch (const pure::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << map_by << " was accepted";
  return {};
}

TEST(Mapping, ImpossibleMappingsAreRefused) {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(refusal("nuam"), "did you mean numa?"));
  EXPECT_TRUE(has(refusal("cores"), "did you mean core?"));
  EXPECT_TRUE(has(refusal("bananas"), "core, numa, socket, none, or file:PATH"));
  EXPECT_TRUE(has(refusal(""), "core, numa, socket, none, or file:PATH"));
  EXPECT_TRUE(has(refusal("file:"), "path"));
  EXPECT_TRUE(has(refusal("file:/no/such/file"), "/no/such/file"));
  EXPECT_TRUE(has(refusal("/no/such/file"), "No such file"));
  EXPECT_TRUE(has(refusal("/"), "directory"));
  EXPECT_TRUE(has(refusal("core", 0), "at least one rank"));
  EXPECT_TRUE(has(refusal("core", -1), "at least one rank"));
  for (const char* word : {"core", "numa", "node", "socket", "none"}) EXPECT_EQ(map_by_path(word), "");
}

TEST(Mapping, ManyRanksAreQuick) {
  const topology machine = topology::imagined("pack:2 numa:4 core:16 pu:2");
  for (const char* word : {"core", "numa", "none"}) EXPECT_EQ(map_ranks(machine, 100'000, {word}).size(), 100'000U);
}

}  // namespace
