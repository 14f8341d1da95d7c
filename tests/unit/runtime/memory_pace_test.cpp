// When a rank looks for memory that it has not used for some time.
#include "runtime/memory_pace.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pure::core {
namespace {

constexpr std::int64_t begin_ns = 77'000'000'000, shortest = memory_pace::shortest_ns,
                       longest = memory_pace::longest_ns;

TEST(memory_pace, begins_in_the_first_wait) {
  memory_pace its;
  EXPECT_TRUE(its.is_due(begin_ns));
  its.has_looked(begin_ns, false);
  EXPECT_FALSE(its.is_due(begin_ns + shortest - 1));
  EXPECT_TRUE(its.is_due(begin_ns + shortest));
}

TEST(memory_pace, a_question_changes_nothing) {
  memory_pace its;
  its.has_looked(begin_ns, false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(its.is_due(begin_ns + 100 * shortest));
    EXPECT_FALSE(its.is_due(begin_ns));
  }
}

TEST(memory_pace, comes_later_after_each_look_in_vain_and_soon_after_one_that_was_not) {
  memory_pace its;
  std::int64_t now = begin_ns, after = shortest / 2;
  for (int i = 0; i < 10; ++i) {
    its.has_looked(now, false);
    after = 2 * after < longest ? 2 * after : longest;
    EXPECT_FALSE(its.is_due(now + after - 1)) << i;
    now += after;
    EXPECT_TRUE(its.is_due(now)) << i;
  }
  EXPECT_EQ(after, longest);
  its.has_looked(now, true);
  EXPECT_FALSE(its.is_due(now + shortest - 1));
  EXPECT_TRUE(its.is_due(now + shortest));
}

}  // namespace
}  // namespace pure::core
