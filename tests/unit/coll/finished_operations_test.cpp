// Which operations are finished: by hand, and in random orders against a set.
#include "coll/finished_operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace pure::core {
namespace {

TEST(finished_operations, are_counted_up_to_the_first_that_is_not) {
  finished_operations all;
  EXPECT_EQ(all.count(), 0U);
  EXPECT_TRUE(all.add(1));
  EXPECT_FALSE(all.add(3));
  EXPECT_EQ(all.count(), 1U);
  EXPECT_TRUE(all.add(2));
  EXPECT_EQ(all.count(), 3U);
  EXPECT_TRUE(all.add(4)) << "nothing is left beyond";
  EXPECT_EQ(all.count(), 4U);
}

// Where the word of those beyond is full, and one bit further.
TEST(finished_operations, may_wait_for_one_however_many_there_are) {
  for (const std::uint64_t last : {64U, 65U, 66U, 129U, 130U, 300U}) {
    finished_operations all;
    for (std::uint64_t sequence = 2; sequence <= last; ++sequence) EXPECT_FALSE(all.add(sequence));
    EXPECT_EQ(all.count(), 0U);
    EXPECT_TRUE(all.add(1));
    EXPECT_EQ(all.count(), last);
    EXPECT_TRUE(all.add(last + 1));
    EXPECT_EQ(all.count(), last + 1);
  }
}

TEST(finished_operations, remember_one_that_is_far_ahead_alone) {
  finished_operations all;
  EXPECT_FALSE(all.add(70));
  for (std::uint64_t sequence = 1; sequence < 70; ++sequence) EXPECT_TRUE(all.add(sequence));
  EXPECT_EQ(all.count(), 70U);
}

TEST(finished_operations, agree_with_a_set_in_any_order) {
  std::mt19937 random(1);
  for (const std::size_t window : {2U, 8U, 63U, 64U, 65U, 200U}) {
    finished_operations all;
    std::set<std::uint64_t> beyond;
    std::uint64_t count = 0, started = 0;
    std::vector<std::uint64_t> pending;
    for (int step = 0; step < 2000; ++step) {
      while (pending.size() < window) pending.push_back(++started);
      std::swap(pending[random() % pending.size()], pending.back());
      const std::uint64_t sequence = pending.back();
      pending.pop_back();
      beyond.insert(sequence);
      while (beyond.erase(count + 1) == 1) ++count;
      const std::uint64_t before = all.count();
      EXPECT_EQ(all.add(sequence), sequence == before + 1);
      ASSERT_EQ(all.count(), count) << "window " << window << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace pure::core
