// Set operations on groups against std::set, for random groups; ranges and translation; errors.
#include "comm/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/environment.hpp"

namespace pure::core {
namespace {

const call user{"some_call", pure_call_site::current()};

using dice = std::mt19937_64;

/// Some numbers below `limit`, each once, in any order.
group random_group(dice& random, int limit) {
  group all(static_cast<std::size_t>(limit));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::uniform_int_distribution<std::size_t>(0, all.size())(random));
  return all;
}

std::set<int> as_set(const group& of) { return {of.begin(), of.end()}; }

/// That `made` has what the set has, each once, and that what it shares with `order` is in that order.
void expect(const group& made, const std::set<int>& members, const group& order) {
  EXPECT_EQ(made.size(), members.size()) << "a number twice, or lost";
  EXPECT_EQ(as_set(made), members);
  std::size_t position = 0;
  for (const int number : made) {
    const auto found = std::find(order.begin(), order.end(), number);
    ASSERT_NE(found, order.end());
    const auto at = static_cast<std::size_t>(found - order.begin());
    EXPECT_GE(at, position) << "out of order";
    position = at;
  }
}

template <class Function>
void expect_error(errc code, const std::string& words, Function function) {
  try {
    function();
    ADD_FAILURE() << "nothing was thrown: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find("some_call"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("group_test.cpp:"), std::string::npos) << error.what();
  }
}

TEST(group, set_operations_agree_with_sets) {
  dice random(test_support::first_seed());
  for (int round = 0; round < 500; ++round) {
    const int limit = std::uniform_int_distribution(1, 40)(random);
    const group a = random_group(random, limit), b = random_group(random, limit);
    const std::set<int> in_a = as_set(a), in_b = as_set(b);
    std::set<int> wanted = in_a;
    wanted.insert(in_b.begin(), in_b.end());
    group order = a;  // a's members first, then b's
    order.insert(order.end(), b.begin(), b.end());
    expect(group_union(a, b), wanted, order);

    wanted.clear();
    for (const int each : in_a) {
      if (in_b.count(each) != 0) wanted.insert(each);
    }
    expect(group_intersection(a, b), wanted, a);

    wanted = in_a;
    for (const int each : in_b) wanted.erase(each);
    expect(group_difference(a, b), wanted, a);

    EXPECT_EQ(compare(a, b) == comparison::ident, a == b);
    EXPECT_EQ(compare(a, b) == comparison::similar, a != b && in_a == in_b);
    EXPECT_NE(compare(a, b), comparison::congruent) << "that is for communicators";
    group shuffled = a;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(compare(a, shuffled), shuffled == a ? comparison::ident : comparison::similar);
  }
}

TEST(group, incl_and_excl_are_complements) {
  dice random(test_support::first_seed() + 1);
  for (int round = 0; round < 500; ++round) {
    const group of = random_group(random, 30);
    const group ranks = random_group(random, static_cast<int>(of.size()));
    const group in = group_incl(user, of, ranks), out = group_excl(user, of, ranks);
    ASSERT_EQ(in.size(), ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(in[i], of[static_cast<std::size_t>(ranks[i])]);
    std::set<int> rest = as_set(of);
    for (const int each : in) rest.erase(each);
    expect(out, rest, of);
  }
}

TEST(group, translation_there_and_back) {
  dice random(test_support::first_seed() + 2);
  for (int round = 0; round < 200; ++round) {
    const group a = random_group(random, 20), b = random_group(random, 20);
    for (int rank = 0; rank < static_cast<int>(a.size()); ++rank) {
      const int there = translate(user, a, rank, b);
      const bool is_in_b = as_set(b).count(a[static_cast<std::size_t>(rank)]) != 0;
      EXPECT_EQ(there != undefined, is_in_b);
      if (is_in_b) {
        EXPECT_EQ(translate(user, b, there, a), rank);
      }
    }
    EXPECT_EQ(translate(user, a, proc_null, b), proc_null);
  }
}

TEST(group, ranges) {
  using ranks = std::vector<int>;
  const int up[][3] = {{0, 4, 2}, {9, 7, -1}, {5, 5, 1}};
  EXPECT_EQ(ranks_in_ranges(user, 10, up), (ranks{0, 2, 4, 9, 8, 7, 5}));
  const int short_of_last[][3] = {{1, 8, 3}, {0, 9, 100}};
  EXPECT_EQ(ranks_in_ranges(user, 10, short_of_last), (ranks{1, 4, 7, 0}));
  const int to_the_end[][3] = {{3, 2147483647, 2147483647}};
  EXPECT_EQ(ranks_in_ranges(user, 10, to_the_end), ranks{3}) << "the next would not fit an int";
  EXPECT_EQ(ranks_in_ranges(user, 10, {}), ranks{});

  const int no_stride[][3] = {{0, 4, 0}}, away[][3] = {{4, 0, 1}}, outside[][3] = {{8, 12, 2}},
            below[][3] = {{1, -1, -1}};
  expect_error(errc::argument, "(0, 4, 0)", [&] { (void)ranks_in_ranges(user, 10, no_stride); });
  expect_error(errc::argument, "(4, 0, 1)", [&] { (void)ranks_in_ranges(user, 10, away); });
  expect_error(errc::rank, "rank 10 is out of range: the group has ranks 0 to 9",
               [&] { (void)ranks_in_ranges(user, 10, outside); });
  expect_error(errc::rank, "rank -1", [&] { (void)ranks_in_ranges(user, 10, below); });
}

TEST(group, wrong_ranks) {
  const group of{7, 3, 5};
  expect_error(errc::rank, "rank 3 is out of range: the group has ranks 0 to 2", [&] {
    (void)group_incl(user, of, std::vector{0, 3});
  });
  expect_error(errc::rank, "rank -1", [&] { (void)group_excl(user, of, std::vector{-1}); });
  expect_error(errc::rank, "rank 1 is listed twice", [&] { (void)group_incl(user, of, std::vector{1, 0, 1}); });
  expect_error(errc::rank, "rank 1 is listed twice", [&] { (void)group_excl(user, of, std::vector{1, 1}); });
  expect_error(errc::rank, "the group is empty", [&] { (void)group_incl(user, group{}, std::vector{0}); });
  expect_error(errc::rank, "rank 5", [&] { (void)translate(user, of, 5, of); });
}

}  // namespace
}  // namespace pure::core
