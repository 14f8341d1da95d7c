// A waiter by itself: over a parked count, services and a listener of the test's own. With a job: park_test.cpp.
#include "runtime/waiter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "runtime/service.hpp"

namespace pure::core {
namespace waiters {  // of its own, for files are compiled together
namespace {

constexpr call by{"a_test", {}};
const wait_reason why{by, "a sign"};
const wait_reason message_of_other{by, "another sign"};
const auto never = [] { return false; };

struct acting_service final : service {
  [[nodiscard]] bool acts_for_others() const noexcept override { return true; }
};

/// Leaves the work that there is to others, for so long from when it is asked.
struct resting_service final : service {
  explicit resting_service(std::int64_t ns) noexcept : rest_ns(ns) {}
  [[nodiscard]] bool helps_others() const noexcept override { return true; }
  [[nodiscard]] bool sees_work_of_others() const noexcept override {
    ++looks;
    return true;
  }
  [[nodiscard]] std::int64_t rests_until_ns() const noexcept override {
    return rest_ns == 0 ? 0 : until_ns = now_ns() + rest_ns;
  }
  const std::int64_t rest_ns;
  mutable std::int64_t until_ns = 0;
  mutable int looks = 0;
};

/// Is asked for work of others between the announcement of a sleep and the sleep: somebody notifies the waiter then.
struct notifying_service final : service {
  [[nodiscard]] bool helps_others() const noexcept override { return true; }
  [[nodiscard]] bool sees_work_of_others() const noexcept override {
    notifies();
    return false;
  }
  std::function<void()> notifies;
};

/// Does something when the waiter has parked, which sleeps for ever otherwise.
struct fake_listener final : sleep_listener {
  void worker_has_parked() override {
    ++heard;
    does();
  }
  std::function<void()> does;
  int heard = 0;
};

class waiter_test : public testing::Test {
 protected:
  waiter_test() {
    listener_.does = [this] { self_.notify(); };
  }
  [[nodiscard]] std::uint32_t parked() const { return count_.read().parked; }

  service_table services_;
  parked_count count_{2};
  fake_listener listener_;
  waiter self_{{}, services_, count_, listener_};
};

TEST_F(waiter_test, says_that_it_sleeps_once_it_is_counted_and_its_word_says_so) {
  listener_.does = [this] {
    EXPECT_EQ(parked(), 1U);
    EXPECT_TRUE(self_.is_parked());
    self_.notify();
    EXPECT_EQ(parked(), 0U) << "whoever wakes it un-counts it";
    EXPECT_FALSE(self_.parks());
  };
  self_.park(why, never);
  EXPECT_EQ(listener_.heard, 1);
  EXPECT_EQ(self_.times_parked(), 1U);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(waiter_test, says_nothing_where_it_does_not_sleep) {
  self_.park(why, [] { return true; });
  self_.park(why, [this] {
    self_.notify();
    return false;
  });
  EXPECT_EQ(listener_.heard, 0);
  EXPECT_EQ(self_.times_parked(), 0U);
  EXPECT_EQ(parked(), 0U);
  EXPECT_FALSE(self_.parks());
}

TEST_F(waiter_test, notified_when_it_is_counted_already_it_is_uncounted_and_does_not_sleep) {
  auto made = std::make_unique<notifying_service>();
  made->notifies = [this] {
    EXPECT_EQ(parked(), 1U);
    self_.notify();
  };
  services_.attach(service_slot(0), std::move(made));
  self_.park(why, never, 0, waiter::when_parked::helps_others);
  EXPECT_EQ(listener_.heard, 0);
  EXPECT_EQ(self_.times_parked(), 0U);
  EXPECT_EQ(parked(), 0U);
  EXPECT_FALSE(self_.parks());
}

TEST_F(waiter_test, one_that_rests_leaves_work_alone_and_wakes_itself) {
  auto made = std::make_unique<resting_service>(20'000'000);
  const resting_service& rests = *made;
  services_.attach(service_slot(0), std::move(made));
  listener_.does = [this] {
    EXPECT_TRUE(self_.is_parked());
    EXPECT_EQ(parked(), 1U);
  };
  self_.park(why, never, 0, waiter::when_parked::helps_others);
  EXPECT_GE(now_ns(), rests.until_ns);
  EXPECT_EQ(rests.looks, 0);
  EXPECT_EQ(self_.times_parked(), 1U);
  EXPECT_EQ(parked(), 0U) << "un-counted once, by itself";
  EXPECT_FALSE(self_.parks());
}

TEST_F(waiter_test, one_that_rests_sleeps_on_where_all_do) {
  services_.attach(service_slot(0), std::make_unique<resting_service>(1));
  std::atomic<bool> is_over{false};
  std::thread other;
  listener_.does = [&] {
    count_.count_parked();  // the other rank
    other = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_TRUE(self_.is_parked());
      is_over = true;
      count_.uncount_parked();
      self_.notify();
    });
  };
  self_.park(why, never, 0, waiter::when_parked::helps_others);
  EXPECT_TRUE(is_over);
  other.join();
  EXPECT_EQ(self_.times_parked(), 1U);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(waiter_test, one_that_rests_is_woken_before_by_what_it_waits_for) {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  services_.attach(service_slot(0), std::make_unique<resting_service>(day_ns));
  self_.park(why, never, 0, waiter::when_parked::helps_others);
  EXPECT_EQ(self_.times_parked(), 1U);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(waiter_test, a_rest_is_nothing_to_a_wait_that_only_sleeps) {
  auto made = std::make_unique<resting_service>(1);
  const resting_service& rests = *made;
  services_.attach(service_slot(0), std::move(made));
  self_.park(why, never);
  EXPECT_EQ(rests.until_ns, 0);
  EXPECT_EQ(self_.times_parked(), 1U);
}

TEST_F(waiter_test, a_last_look_may_be_a_wait_itself_that_sleeps) {
  int looks = 0;
  self_.park(why, [&] {
    ++looks;
    self_.park(message_of_other, never);
    EXPECT_EQ(self_.times_parked(), 1U);
    return false;
  });
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(self_.times_parked(), 1U) << "whoever waits looks again: nobody notifies one whose announcement is gone";
  EXPECT_EQ(self_.reason(), nullptr);
  EXPECT_FALSE(self_.parks());
  EXPECT_EQ(parked(), 0U);
}

TEST_F(waiter_test, a_last_look_may_be_a_wait_that_does_not_sleep) {
  self_.park(why, [&] {
    self_.park(message_of_other, [] { return true; });
    return false;
  });
  EXPECT_EQ(self_.times_parked(), 0U);
  EXPECT_EQ(self_.reason(), nullptr);
  EXPECT_FALSE(self_.parks());
  EXPECT_EQ(parked(), 0U);
}

TEST_F(waiter_test, each_sleep_is_told_from_the_others) {
  std::optional<waiter::sleep> first, second;
  listener_.does = [&] {
    (first ? second : first) = self_.look();
    EXPECT_EQ(first && self_.still_sleeps(first->number), !second);
    self_.notify();
  };
  EXPECT_FALSE(self_.look());
  self_.park(why, never);
  ASSERT_TRUE(first);
  EXPECT_FALSE(self_.look());
  EXPECT_FALSE(self_.still_sleeps(first->number));
  self_.park(why, never);
  ASSERT_TRUE(second);
  EXPECT_NE(first->number, second->number);
}

TEST_F(waiter_test, what_it_sleeps_for_can_be_read_and_whether_its_rank_acts_for_others) {
  std::optional<waiter::sleep> seen;
  listener_.does = [&] {
    seen = self_.look();
    self_.notify();
  };
  const wait_reason message{by, "a message from", 3, 7, true};
  self_.park(message, never, 42);
  ASSERT_TRUE(seen);
  EXPECT_EQ(describe(0, seen->wait.reason()), describe(0, message));
  EXPECT_TRUE(seen->wait.only_peer);
  EXPECT_EQ(seen->wait.since_ns, 42);
  EXPECT_FALSE(seen->wait.acts_for_others);
  services_.attach(service_slot(0), std::make_unique<acting_service>());
  self_.park(message, never);
  EXPECT_TRUE(seen->wait.acts_for_others);
  EXPECT_GT(seen->wait.since_ns, 42) << "from now on";
}

TEST(waiter_layout, the_parking_word_is_on_lines_that_nothing_else_changes) {
  service_table services;
  parked_count count{1};
  fake_listener listener;
  waiter one{{}, services, count, listener};
  const auto address = [](const void* of) { return reinterpret_cast<std::uintptr_t>(of); };
  EXPECT_EQ(address(&one) % pair_bytes, 0U);
  EXPECT_EQ(address(&one.callback_text), address(&one) + pair_bytes) << "the first of what the rank writes";
  EXPECT_GT(address(&one.to_strangers()), address(&one.callback_text));
}

}  // namespace
}  // namespace waiters
}  // namespace pure::core
