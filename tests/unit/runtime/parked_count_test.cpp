// The parked_count: its packed counts against plain ones. That two equal readings mean what they should is for
// tests/model/park.pml to say.
#include "runtime/parked_count.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "support/environment.hpp"

namespace pure::core {
namespace {

TEST(parked_count, counts_the_living) {
  parked_count c(3);
  EXPECT_EQ(c.read(), (parked_count::reading{0, 3, 0}));
  EXPECT_FALSE(c.read().all_parked());
  c.count_ended();
  EXPECT_EQ(c.read(), (parked_count::reading{1, 2, 0}));
}

TEST(parked_count, all_are_parked_when_every_living_one_is) {
  parked_count c(2);
  c.count_parked();
  EXPECT_FALSE(c.read().all_parked());
  c.count_parked();
  EXPECT_TRUE(c.read().all_parked());
  c.uncount_parked();
  EXPECT_FALSE(c.read().all_parked());
  c.count_ended();  // the one that runs
  EXPECT_TRUE(c.read().all_parked());
}

TEST(parked_count, nobody_left_is_no_deadlock) {
  parked_count c(1);
  c.count_ended();
  EXPECT_FALSE(c.read().all_parked());
}

TEST(parked_count, every_change_changes_the_reading) {
  parked_count c(2);
  const parked_count::reading before = c.read();
  c.count_parked();
  c.uncount_parked();
  const parked_count::reading after = c.read();
  EXPECT_EQ(after.live, before.live);
  EXPECT_EQ(after.parked, before.parked);
  EXPECT_NE(after, before);
}

TEST(parked_count, holds_a_million_ranks) {
  constexpr int most = (1 << 20) - 1;
  parked_count c(most);
  for (int i = 0; i < most; ++i) c.count_parked();
  EXPECT_EQ(c.read(), (parked_count::reading{most, most, most}));
  EXPECT_TRUE(c.read().all_parked());
  for (int i = 0; i < most; ++i) c.uncount_parked();
  for (int i = 0; i < most; ++i) c.count_ended();
  EXPECT_EQ(c.read(), (parked_count::reading{3U * most, 0, 0}));
}

TEST(parked_count, an_epoch_that_overflows_leaves_the_counts_alone) {
  constexpr int epochs = 1 << 24;
  parked_count c(1000);
  c.count_parked();
  const parked_count::reading before = c.read();
  for (int i = 0; i < epochs / 2; ++i) {
    c.count_parked();
    c.uncount_parked();
  }
  EXPECT_EQ(c.read(), before) << "all the way round";
}

TEST(parked_count, random_changes_agree_with_plain_counts) {
  std::mt19937_64 random(test_support::first_seed());
  std::uint32_t epoch = 0, live = 50, parked = 0;
  parked_count c(static_cast<int>(live));
  for (int step = 0; step < 10'000; ++step) {
    switch (random() % 200) {
      case 0:
        if (live > parked && live > 1) {
          c.count_ended();
          --live;
          ++epoch;
        }
        break;
      default:
        if (parked < live && (parked == 0 || random() % 2 == 0)) {
          c.count_parked();
          ++parked;
        } else {
          c.uncount_parked();
          --parked;
        }
        ++epoch;
    }
    ASSERT_EQ(c.read(), (parked_count::reading{epoch, live, parked}));
    ASSERT_EQ(c.read().all_parked(), live == parked);
  }
}

TEST(parked_count, changes_by_several_threads_all_count) {
  constexpr int threads = 4, rounds = 10'000;
  parked_count c(threads);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&c] {
      for (int round = 0; round < rounds; ++round) {
        c.count_parked();
        c.uncount_parked();
      }
      c.count_parked();
    });
  }
  for (std::thread& each : all) each.join();
  EXPECT_EQ(c.read(), (parked_count::reading{threads * (2 * rounds + 1), threads, threads}));
}

}  // namespace
}  // namespace pure::core
