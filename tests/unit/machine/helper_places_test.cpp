// Where helper threads run: by hand on small machines, and against an oracle on random ones.
#include "machine/helper_places.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <pure/error.hpp>

#include "support/random_machine.hpp"

#include "base/settings.hpp"
#include "machine/bindings_picture.hpp"

namespace {

using namespace pure::core;

constexpr int unbound = -1;

/// The cpu of each helper.
std::vector<int> cpus_of_helpers(const topology& machine, const std::vector<rank_place>& ranks,
                                 std::string_view asked) {
  std::vector<int> cpus;
  for (const rank_place& place : places_for_helpers(machine, ranks, asked)) {
    EXPECT_LE(place.cpus.size(), 1U);
    EXPECT_EQ(place.ranks_on_core, 1) << "a helper that has its core does not yield";
    cpus.push_back(place.cpus.empty() ? unbound : place.cpus[0]);
  }
  return cpus;
}
std::vector<int> helpers(const topology& machine, int ranks, std::string_view map_by, std::string_view asked) {
  return cpus_of_helpers(machine, map_ranks(machine, ranks, {map_by}), asked);
}

std::vector<rank_place> places_from_text(const topology& machine, int ranks, const std::string& text) {
  std::istringstream file(text);
  return map_by_file(machine, ranks_to_map::all(ranks), file, "ranks.txt").own;
}

using cpus = std::vector<int>;

TEST(HelperPlaces, NoneIfNobodyAsks) {
  const topology machine = topology::imagined("core:4 pu:1");
  EXPECT_EQ(helpers(machine, 1, "core", "0"), cpus());
  EXPECT_EQ(settings{}.helpers, "0");
  EXPECT_EQ(helpers(machine, 9, "core", "0"), cpus()) << "also where there is no room";
}

TEST(HelperPlaces, CoresWithoutARankInTheirOrder) {
  const topology machine = topology::imagined("pack:2 core:2 pu:2");  // core 0: cpus 0 and 1, core 1: 2 and 3, ...
  EXPECT_EQ(helpers(machine, 1, "core", "auto"), (cpus{2, 4, 6})) << "one thread of each core";
  EXPECT_EQ(helpers(machine, 2, "socket", "auto"), (cpus{2, 6}));
  EXPECT_EQ(helpers(machine, 2, "socket", "1"), (cpus{2}));
  EXPECT_EQ(helpers(machine, 4, "core", "auto"), cpus()) << "the ranks' other hardware threads are theirs";
  EXPECT_EQ(helpers(machine, 9, "core", "auto"), cpus());
}

TEST(HelperPlaces, OnlyWhatIsAllowed) {
  const topology machine = topology::imagined("pack:1 core:4 pu:2", cpus{1, 2, 3, 7});
  EXPECT_EQ(helpers(machine, 1, "core", "auto"), (cpus{2, 7})) << "the first thread of the last core is forbidden";
}

TEST(HelperPlaces, WhatAMappingFileLeaves) {
  const topology machine = topology::imagined("pack:2 core:4 pu:1");
  EXPECT_EQ(cpus_of_helpers(machine, places_from_text(machine, 2, "0 0\n1 0\n"), "auto"), (cpus{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cpus_of_helpers(machine, places_from_text(machine, 2, "0 0-2,7\n1 4\n"), "auto"), (cpus{3, 5, 6}));
  EXPECT_EQ(cpus_of_helpers(machine, places_from_text(machine, 1, "0 0-7\n"), "auto"), cpus());
}

TEST(HelperPlaces, NotOnCpusThatRanksHaveAskedFor) {
  const topology machine = topology::imagined("core:6 pu:1");
  const auto beside = [&](int each) { return cpus_of_helpers(machine, map_ranks(machine, 2, {"core", each}), "auto"); };
  EXPECT_EQ(beside(0), (cpus{1, 2, 4, 5})) << "shares that nobody has asked for";
  EXPECT_EQ(beside(1), (cpus{2, 3, 4, 5}));
  EXPECT_EQ(beside(2), (cpus{4, 5}));
  EXPECT_EQ(beside(3), cpus());
}

TEST(HelperPlaces, UnboundBesideUnboundRanks) {
  const topology machine = topology::imagined("core:4 pu:2");
  EXPECT_EQ(helpers(machine, 1, "none", "auto"), (cpus{unbound, unbound, unbound}));
  EXPECT_EQ(helpers(machine, 3, "none", "1"), (cpus{unbound}));
  EXPECT_EQ(helpers(machine, 4, "none", "auto"), cpus());
  EXPECT_EQ(helpers(machine, 9, "none", "auto"), cpus());
  for (const rank_place& place : places_for_helpers(machine, map_ranks(machine, 1, {"none"}), "auto")) {
    EXPECT_EQ(std::tuple(place.core, place.numa, place.package), std::tuple(-1, -1, -1));
  }
}

TEST(HelperPlaces, AutoKeepsToTheQuotaANumberDoesNot) {
  const auto machine = [](double quota) { return topology::imagined("core:8 pu:1", {}, quota); };
  EXPECT_EQ(helpers(machine(4), 2, "core", "auto"), (cpus{1, 2}));
  EXPECT_EQ(helpers(machine(3.2), 2, "core", "auto"), (cpus{1, 2})) << "rounded up, as the number of ranks is";
  EXPECT_EQ(helpers(machine(2), 2, "core", "auto"), cpus());
  EXPECT_EQ(helpers(machine(0.5), 2, "core", "auto"), cpus());
  EXPECT_EQ(helpers(machine(100), 6, "core", "auto"), (cpus{3, 7}));
  EXPECT_EQ(helpers(machine(2), 2, "core", "3"), (cpus{1, 2, 3}));
  EXPECT_EQ(helpers(machine(3), 2, "none", "auto"), (cpus{unbound}));
}

/// The text of the error.
std::string refused(const topology& machine, int ranks, std::string_view asked) {
  try {
    (void)places_for_helpers(machine, map_ranks(machine, ranks, {"core"}), asked);
    return "(nothing was thrown)";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::argument);
    return error.what();
  }
}

TEST(HelperPlaces, TooManyAreRefused) {
  const topology machine = topology::imagined("core:4 pu:2");
  EXPECT_EQ(refused(machine, 3, "2"),
            "PURE_HELPERS=2: each helper needs a core without a rank. This process may use 4 cores, and 3 ranks leave "
            "1; start fewer ranks, or take auto");
  EXPECT_EQ(refused(machine, 1, "4"),
            "PURE_HELPERS=4: each helper needs a core without a rank. This process may use 4 cores, and 1 rank leaves "
            "3; start fewer ranks, or take auto");
  EXPECT_EQ(refused(machine, 5, "1"),
            "PURE_HELPERS=1: each helper needs a core without a rank. This process may use 4 cores, and 5 ranks leave "
            "none; start fewer ranks, or take auto");
  EXPECT_NE(refused(machine, 1, "18446744073709551615").find("each helper needs a core"), std::string::npos);
}

TEST(HelperPlaces, OtherWordsAreRefused) {
  for (const char* const word : {"", "-1", "2.5", "all", "AUTO", "auto ", "1 2", "18446744073709551616"}) {
    EXPECT_THROW(check_helpers(word), pure::Error) << word;
    EXPECT_THROW((void)places_for_helpers(topology::imagined("core:2 pu:1"), {}, word), pure::Error) << word;
  }
  EXPECT_NO_THROW(check_helpers("auto"));
  EXPECT_NO_THROW(check_helpers("0"));
  EXPECT_NO_THROW(check_helpers("12"));
}

// The rule as a set: of each core that has an allowed thread and no rank, the first allowed thread.
TEST(HelperPlaces, AgreeWithTheOracleOnRandomMachines) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const test_support::random_machine made(random);
    std::optional<double> quota;
    if (random() % 2 == 0) quota = static_cast<double>(test_support::one_to(200, random)) / 10;
    const topology machine = topology::imagined(made.description, made.allowed, quota);
    const unsigned ranks = test_support::one_to(static_cast<unsigned>(machine.allowed_cores()) + 1, random);
    const std::string way = std::vector<std::string>{"core", "numa", "socket"}[random() % 3];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << made.description << ", " << ranks << " by " << way);
    const auto places = map_ranks(machine, static_cast<int>(ranks), {way});

    std::map<int, int> free;  // core -> cpu
    for (const hardware_thread& thread : machine.hardware_threads()) {
      if (thread.allowed) free.emplace(thread.core, thread.cpu);
    }
    for (const rank_place& place : places) free.erase(place.core);
    std::vector<int> expected;
    for (const auto& [core, cpu] : free) expected.push_back(cpu);

    EXPECT_EQ(cpus_of_helpers(machine, places, std::to_string(expected.size())), expected);
    EXPECT_THROW((void)places_for_helpers(machine, places, std::to_string(expected.size() + 1)), pure::Error);
    while (quota && !expected.empty() && static_cast<double>(ranks + expected.size()) >= *quota + 1)
      expected.pop_back();
    EXPECT_EQ(cpus_of_helpers(machine, places, "auto"), expected);
    for (const rank_place& place : places_for_helpers(machine, places, "auto")) {
      const hardware_thread& thread = *machine.find(place.cpus[0]);
      EXPECT_EQ(std::tuple(place.core, place.numa, place.package),
                std::tuple(thread.core, thread.numa, thread.package));
    }
  }
}

// ---- their picture -------------------------------------------------------------------------------------------------

std::string picture(const topology& machine, int ranks, const char* map_by, const char* asked) {
  const auto places = map_ranks(machine, ranks, {map_by});
  return bindings_picture(machine, places, map_by, places_for_helpers(machine, places, asked));
}

TEST(HelperPlaces, TheirLinesFollowThoseOfTheRanks) {
  const topology machine = topology::imagined("pack:2 core:2 pu:2");
  EXPECT_EQ(picture(machine, 2, "socket", "auto"),
            "2 ranks and 2 helper threads on 4 of 4 cores, mapped by socket (B: bound here,\n"
            "    =: its threads)\n"
            "rank 0    socket 0  numa 0  core 0  cpu 0  threads 0-3  [B=] [..]\n"
            "rank 1    socket 1  numa 0  core 2  cpu 4  threads 4-7  [..] [B=]\n"
            "helper 0  socket 0  numa 0  core 1  cpu 2               [.B] [..]\n"
            "helper 1  socket 1  numa 0  core 3  cpu 6               [..] [.B]\n");
  EXPECT_EQ(picture(machine, 1, "core", "1"),
            "1 rank and 1 helper thread on 2 of 4 cores, mapped by core (B: bound here, =:\n"
            "    its threads)\n"
            "rank 0    socket 0  numa 0  core 0  cpu 0  threads 0-7  [B=] [==]\n"
            "helper 0  socket 0  numa 0  core 1  cpu 2               [.B] [..]\n");
  EXPECT_EQ(picture(machine, 1, "none", "auto"),
            "1 rank and 3 helper threads, not bound, on 4 cores\n"
            "rank 0       not bound\n"
            "helpers 0-2  not bound\n");
}

}  // namespace
