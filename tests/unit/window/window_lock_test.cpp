// The lock of a target, step by step, on one thread: who gets it, and who has to be woken. All interleavings:
// tests/model/window_lock.pml.
#include "window/window_lock.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

using lock_outcome = window_lock::outcome;

TEST(window_lock, is_shared_by_many_or_held_by_one) {
  window_lock lock;
  window_lock::attempt first{lock_kind::shared}, second{lock_kind::shared}, writer{lock_kind::exclusive};
  EXPECT_EQ(lock.try_lock(first), lock_outcome::locked);
  EXPECT_EQ(lock.try_lock(second), lock_outcome::locked);
  EXPECT_EQ(lock.try_lock(writer), lock_outcome::vain);
  EXPECT_FALSE(lock.unlock(lock_kind::shared));
  EXPECT_EQ(lock.try_lock(writer), lock_outcome::vain);
  EXPECT_FALSE(lock.unlock(lock_kind::shared));
  EXPECT_EQ(lock.try_lock(writer), lock_outcome::locked);
  EXPECT_TRUE(lock.is_held_exclusively());
  window_lock::attempt late{lock_kind::shared};
  EXPECT_EQ(lock.try_lock(late), lock_outcome::vain);
  EXPECT_FALSE(lock.unlock(lock_kind::exclusive));
  EXPECT_FALSE(lock.is_held());
}

TEST(window_lock, readers_that_come_do_not_pass_a_writer_that_sleeps) {
  window_lock lock;
  window_lock::attempt reader{lock_kind::shared}, writer{lock_kind::exclusive};
  EXPECT_EQ(lock.try_lock(reader), lock_outcome::locked);
  EXPECT_EQ(lock.try_lock_or_sleep(writer), lock_outcome::vain);  // and sleeps, after a single try
  window_lock::attempt late{lock_kind::shared};
  EXPECT_EQ(lock.try_lock(late), lock_outcome::vain) << "they would keep it out for ever";
  EXPECT_EQ(lock.try_lock_or_sleep(late), lock_outcome::vain);
  EXPECT_TRUE(lock.unlock(lock_kind::shared)) << "the writer is to be woken";
  EXPECT_EQ(lock.try_lock(late), lock_outcome::vain) << "it is promised";
  EXPECT_EQ(lock.try_lock_or_sleep(late), lock_outcome::vain);
  EXPECT_EQ(lock.try_lock(writer), lock_outcome::locked_and_wake) << "the promise has ended: who waits for that may try";
  EXPECT_EQ(lock.try_lock_or_sleep(late), lock_outcome::vain);
  EXPECT_TRUE(lock.unlock(lock_kind::exclusive));
  EXPECT_EQ(lock.try_lock(late), lock_outcome::locked);
}

TEST(window_lock, who_has_tried_often_is_next) {
  window_lock lock;
  window_lock::attempt holder{lock_kind::exclusive}, patient{lock_kind::exclusive}, other{lock_kind::exclusive};
  EXPECT_EQ(lock.try_lock(holder), lock_outcome::locked);
  for (int i = 0; i <= window_lock::most_tries; ++i) EXPECT_EQ(lock.try_lock(patient), lock_outcome::vain);
  EXPECT_FALSE(lock.unlock(lock_kind::exclusive));
  EXPECT_EQ(lock.try_lock(other), lock_outcome::vain);
  EXPECT_EQ(lock.try_lock(patient), lock_outcome::locked);
  EXPECT_FALSE(lock.unlock(lock_kind::exclusive));
  EXPECT_EQ(lock.try_lock(other), lock_outcome::locked);
}

TEST(window_lock, the_promise_is_given_to_one_at_a_time) {
  window_lock lock;
  window_lock::attempt holder{lock_kind::exclusive}, first{lock_kind::exclusive}, second{lock_kind::exclusive};
  EXPECT_EQ(lock.try_lock(holder), lock_outcome::locked);
  for (int i = 0; i < window_lock::most_tries; ++i) EXPECT_EQ(lock.try_lock(first), lock_outcome::vain);
  EXPECT_FALSE(first.is_promised);
  EXPECT_EQ(lock.try_lock(first), lock_outcome::vain);
  EXPECT_TRUE(first.is_promised);
  for (int i = 0; i < 2 * window_lock::most_tries; ++i) EXPECT_EQ(lock.try_lock(second), lock_outcome::vain);
  EXPECT_FALSE(second.is_promised);
  EXPECT_FALSE(lock.unlock(lock_kind::exclusive));
  EXPECT_EQ(lock.try_lock(second), lock_outcome::vain);
  EXPECT_EQ(lock.try_lock(first), lock_outcome::locked);
  EXPECT_EQ(lock.try_lock(second), lock_outcome::vain);
  EXPECT_TRUE(second.is_promised) << "the promise has been taken back";
  EXPECT_FALSE(lock.unlock(lock_kind::exclusive));
  EXPECT_EQ(lock.try_lock(second), lock_outcome::locked);
}

}  // namespace
}  // namespace pure::core
