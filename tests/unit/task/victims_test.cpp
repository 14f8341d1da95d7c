// The order in which thieves look at the ranks, for each way (PURE_STEAL_FROM).
#include "task/victims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "runtime/job.hpp"
#include "support/bare_job.hpp"

namespace {

using namespace pure::core;
using order = std::vector<int>;

/// A job of ranks and helpers at given places, which does not run.
class still_job {
 public:
  still_job(const std::string& way, int ranks, int helpers = 0, std::vector<rank_place> places = {})
      : job_(
            values_of(way),
            std::vector<wait_policy>(static_cast<std::size_t>(ranks + helpers), test_support::impatient),
            failure_action::throw_to_caller, [](rank_context&) {}, helpers, std::move(places)) {}

  [[nodiscard]] victims of(int thief) { return victims(job_.worker(thief), distances_); }

 private:
  static settings values_of(const std::string& way) {
    settings values;
    values.steal_from = way;
    return values;
  }
  job job_;
  victims_by_distance distances_{job_};
};

order look(victims& of) {
  of.begin_look();
  order seen;
  for (int i = 0; i < of.count(); ++i) seen.push_back(of.at(i));
  return seen;
}
bool is_permutation_of_ranks(order seen, int ranks) {
  std::sort(seen.begin(), seen.end());
  order all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return seen == all;
}

TEST(victims, sticky_begins_where_chunks_were_found) {
  still_job job("sticky", 4);
  victims of_1 = job.of(1);
  EXPECT_EQ(look(of_1), (order{1, 2, 3, 0})) << "from its own number on";
  EXPECT_EQ(look(of_1), (order{1, 2, 3, 0})) << "as long as nothing is found";
  of_1.found(2);
  EXPECT_EQ(look(of_1), (order{3, 0, 1, 2}));
  of_1.found(0);
  EXPECT_EQ(look(of_1), (order{3, 0, 1, 2}));
  of_1.found(3);
  EXPECT_EQ(look(of_1), (order{2, 3, 0, 1}));
}

TEST(victims, random_begins_anywhere_and_leaves_nobody_out) {
  constexpr int ranks = 5;
  still_job job("random", ranks, 2);
  std::set<order> of_all_thieves;
  for (int thief = 0; thief < ranks + 2; ++thief) {
    victims some = job.of(thief);
    std::vector<int> begins(ranks, 0);
    order first_looks;
    for (int i = 0; i < 1000; ++i) {
      const order seen = look(some);
      ASSERT_TRUE(is_permutation_of_ranks(seen, ranks));
      ++begins[static_cast<std::size_t>(seen.front())];
      if (i < 20) first_looks.push_back(seen.front());
      some.found(i % ranks);  // changes nothing
    }
    for (const int times : begins) EXPECT_NEAR(times, 200, 100);  // 8 standard deviations
    of_all_thieves.insert(first_looks);
  }
  EXPECT_EQ(of_all_thieves.size(), 7U) << "thieves spread";
}

rank_place place(int core, int numa, int package) {
  return {.cpus = {core}, .core = core, .numa = numa, .package = package};
}

TEST(victims, near_goes_by_distance_then_by_number) {
  // Two sockets with two NUMA nodes of two cores each; ranks 0 and 1 share a core.
  const std::vector<rank_place> places = {place(0, 0, 0), place(0, 0, 0), place(4, 2, 1), place(1, 0, 0),
                                          place(2, 1, 0), place(6, 3, 1), place(7, 3, 1)};
  still_job job("near", 6, 1, places);
  victims of_0 = job.of(0), of_1 = job.of(1), of_2 = job.of(2), of_4 = job.of(4), helper = job.of(6);
  EXPECT_EQ(look(of_0), (order{0, 1, 3, 4, 2, 5}));
  EXPECT_EQ(look(of_1), (order{1, 0, 3, 4, 2, 5}));
  EXPECT_EQ(look(of_2), (order{2, 5, 3, 4, 0, 1}));
  EXPECT_EQ(look(of_4), (order{4, 0, 1, 3, 5, 2}));
  EXPECT_EQ(look(helper), (order{5, 2, 0, 1, 3, 4})) << "its node, its socket, the rest";
  of_0.found(4);
  EXPECT_EQ(look(of_0), (order{0, 1, 3, 4, 2, 5})) << "the nearest first, always";
}

TEST(victims, near_without_known_places_goes_by_number) {
  still_job unknown("near", 3);
  victims of_1 = unknown.of(1);
  EXPECT_EQ(look(of_1), (order{1, 2, 0}));

  still_job unbound("near", 3, 1, std::vector<rank_place>(4));
  victims of_2 = unbound.of(2), helper = unbound.of(3);
  EXPECT_EQ(look(of_2), (order{2, 0, 1}));
  EXPECT_EQ(look(helper), (order{0, 1, 2}));

  // Rank 1 may run on all of node 0: known is the node, not the core.
  const std::vector<rank_place> places = {place(4, 1, 1), {.cpus = {0, 1}, .numa = 0, .package = 0}, place(1, 0, 0)};
  still_job wide("near", 3, 0, places);
  victims wide_1 = wide.of(1);
  EXPECT_EQ(look(wide_1), (order{1, 2, 0}));
}

TEST(victims, one_rank_alone) {
  for (const char* const way : {"sticky", "random", "near"}) {
    still_job job(way, 1, 1);
    victims own = job.of(0), helper = job.of(1);
    EXPECT_EQ(look(own), order{0});
    helper.found(0);
    EXPECT_EQ(look(helper), order{0});
  }
}

}  // namespace
