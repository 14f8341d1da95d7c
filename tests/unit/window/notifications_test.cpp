// The counter of notifications of a target, step by step: what is taken, and who is woken. All interleavings:
// tests/model/notification.pml.
#include "window/notification.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pure::core {
namespace {

TEST(notifications, are_taken_once) {
  notification counter;
  std::uint64_t taken = 0;
  EXPECT_FALSE(counter.try_take(taken, 1));
  EXPECT_TRUE(counter.try_take(taken, 0));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(counter.add()) << "nobody sleeps";
  EXPECT_FALSE(counter.try_take(taken, 6));
  EXPECT_TRUE(counter.try_take(taken, 3));
  EXPECT_FALSE(counter.try_take(taken, 3));
  EXPECT_TRUE(counter.try_take(taken, 2));
  EXPECT_FALSE(counter.try_take(taken, 1));
  EXPECT_EQ(counter.count(), 5U);
}

TEST(notifications, whoever_adds_wakes_an_owner_that_sleeps) {
  notification counter;
  std::uint64_t taken = 0;
  EXPECT_FALSE(counter.try_take_or_sleep(taken, 2));
  EXPECT_TRUE(counter.add());
  EXPECT_FALSE(counter.add()) << "it is awake";
  EXPECT_TRUE(counter.try_take_or_sleep(taken, 2));
  EXPECT_FALSE(counter.add()) << "it has not slept";
  EXPECT_TRUE(counter.try_take(taken, 1));
}

TEST(notifications, one_that_comes_while_its_owner_goes_to_sleep) {
  notification counter;
  std::uint64_t taken = 0;
  static_cast<void>(counter.add());
  EXPECT_TRUE(counter.try_take_or_sleep(taken, 1)) << "it has come";
  EXPECT_EQ(taken, 1U);
  EXPECT_FALSE(counter.add()) << "it does not sleep";
  EXPECT_EQ(counter.count(), 2U);
}

}  // namespace
}  // namespace pure::core
