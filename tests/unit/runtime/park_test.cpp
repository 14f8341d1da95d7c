// Parking, waking, waiting, and deadlocks that are known exactly. The races: tests/stress/park_stress_test.cpp and
// tests/model/park.pml.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <pure/error.hpp>

#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"
#include "support/counting_service.hpp"

namespace pure::core {
namespace {

using test_support::attach_counter;
using test_support::bare_job;

constexpr call by{"a_test", {}};
const wait_reason why{by, "a sign"};
const auto never = [] { return false; };

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class park : public testing::Test {
 protected:
  /// Rank 1 counts as running, so that rank 0 may sleep.
  bare_job job_{2};
  rank_context& self_ = job_->at(0);
  [[nodiscard]] std::uint32_t parked() { return job_->ranks_alive().read().parked; }
};

TEST_F(park, is_not_for_a_rank_whose_last_look_finds_something) {
  int looks = 0;
  self_.thread().park(why, [&] { return ++looks > 0; });
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(self_.thread().times_parked(), 0U);
  EXPECT_FALSE(self_.thread().is_parked());
  EXPECT_EQ(self_.thread().reason(), nullptr);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(park, a_notification_after_the_announcement_keeps_the_rank_awake) {
  self_.thread().park(why, [&] {  // as if another rank published just after the last look
    self_.notify();
    return false;
  });
  EXPECT_EQ(self_.thread().times_parked(), 0U);
  EXPECT_EQ(self_.thread().reason(), nullptr);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(park, a_notification_before_the_last_look_does_no_harm) {
  self_.thread().park(why, [&] {
    self_.notify();
    return true;
  });
  EXPECT_FALSE(self_.thread().is_parked());
  EXPECT_EQ(parked(), 0U);
}

TEST_F(park, a_notification_for_a_running_rank_is_not_kept) {
  self_.notify();
  EXPECT_EQ(job_->ranks_alive().read().epoch, 0U) << "nobody is counted";
  std::thread waker([&] {
    while (!self_.thread().is_parked()) sleep_ms(1);
    self_.notify();
  });
  self_.thread().park(why, never);  // sleeps although it was notified before
  waker.join();
  EXPECT_EQ(self_.thread().times_parked(), 1U);
}

TEST_F(park, sleeps_with_its_reason_until_it_is_notified) {
  std::atomic<bool> woken{false};
  std::thread sleeper([&] {
    self_.thread().park(why, never);
    woken = true;
  });
  while (!self_.thread().is_parked()) sleep_ms(1);
  EXPECT_EQ(parked(), 1U);
  EXPECT_EQ(self_.thread().reason(), &why);
  sleep_ms(20);
  EXPECT_FALSE(woken);
  self_.notify();
  sleeper.join();
  EXPECT_FALSE(self_.thread().is_parked());
  EXPECT_EQ(self_.thread().reason(), nullptr);
  EXPECT_EQ(parked(), 0U);
  EXPECT_EQ(self_.thread().times_parked(), 1U);
}

/// Work that a rank sees when it has been counted as parked, and that does itself.
struct late_work final : service {
  explicit late_work(rank_context& of) noexcept : rank(of) {}
  [[nodiscard]] bool helps_others() const noexcept override { return true; }
  [[nodiscard]] bool sees_work_of_others() const noexcept override {
    EXPECT_EQ(rank.owner().ranks_alive().read().parked, 1U) << "it is counted, or who has work would wake nobody";
    EXPECT_TRUE(rank.owner().ranks_alive().has_parked());
    EXPECT_TRUE(rank.thread().parks()) << "or who has work would not find it";
    EXPECT_FALSE(rank.thread().is_parked());
    return looks++ == 0;
  }
  rank_context& rank;
  mutable int looks = 0;
};

TEST_F(park, is_not_for_a_rank_that_sees_work_of_others) {
  self_.services().attach(service_slot(0), std::make_unique<late_work>(self_));
  self_.thread().park(why, never, 0, waiter::when_parked::helps_others);
  EXPECT_EQ(self_.thread().times_parked(), 0U);
  EXPECT_FALSE(self_.thread().parks());
  EXPECT_EQ(self_.thread().reason(), nullptr);
  EXPECT_EQ(parked(), 0U);
}

TEST_F(park, sleeps_where_work_of_others_must_wait) {
  self_.services().attach(service_slot(0), std::make_unique<late_work>(self_));
  std::thread waker([&] {
    while (!self_.thread().is_parked()) sleep_ms(1);
    self_.notify();
  });
  self_.thread().park(why, never);
  waker.join();
  EXPECT_EQ(self_.thread().times_parked(), 1U);
}

TEST_F(park, a_waiting_rank_does_not_park_when_it_need_not_wait) {
  wait_until(self_, why, [] { return true; });
  EXPECT_EQ(self_.thread().times_parked(), 0U);
}

TEST_F(park, a_waiting_rank_sees_what_is_published_before_it_is_notified) {
  int published = 0;
  std::atomic<bool> ready{false};
  std::thread other([&] {
    while (!self_.thread().is_parked()) sleep_ms(1);
    published = 42;
    ready.store(true, std::memory_order_release);
    self_.notify();
  });
  wait_until(self_, why, [&] { return ready.load(std::memory_order_acquire); });
  EXPECT_EQ(published, 42);
  EXPECT_GE(self_.thread().times_parked(), 1U);
  other.join();
}

TEST_F(park, a_spurious_notification_sends_it_back_to_sleep) {
  std::atomic<bool> ready{false};
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      while (!self_.thread().is_parked()) sleep_ms(1);
      self_.notify();
    }
    while (!self_.thread().is_parked()) sleep_ms(1);
    ready = true;
    self_.notify();
  });
  wait_until(self_, why, [&] { return ready.load(); });
  other.join();
  EXPECT_EQ(self_.thread().times_parked(), 4U);
}

TEST_F(park, a_wait_advances_the_services_or_does_not) {
  const auto& counter = attach_counter(self_);
  const auto wait = [&](while_waiting meanwhile) {
    std::atomic<bool> done{false};
    std::thread waker([&] {  // nobody else wakes it
      for (; !done; sleep_ms(1)) self_.notify();
    });
    int polls = 0;
    wait_until(
        self_, why, [&] { return ++polls > 100; }, meanwhile);
    done = true;
    waker.join();
  };
  wait(while_waiting::nothing);
  EXPECT_EQ(counter.advanced, 0);
  wait(while_waiting::advance_services);
  EXPECT_GT(counter.advanced, 0);
}

TEST_F(park, a_service_that_moves_something_keeps_the_rank_awake) {
  const auto& counter = attach_counter(self_, 1000);
  wait_until(self_, why, [&] { return counter.advanced >= 1000; });
  EXPECT_EQ(self_.thread().times_parked(), 0U);
}

// ---- the end of a job ----

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(deadlock, of_any_number_of_ranks_is_reported_with_all_their_reasons) {
  for (const int ranks : {1, 2, 3, 4, 9}) {
    bare_job job(ranks);
    std::atomic<int> left{0};
    job.run([&](rank_context& self) {
      const call mine{"a_receive", pure_call_site::current()};
      const wait_reason reason{mine, "a message from", (self.number() + 1) % ranks, 7};
      try {
        wait_until(self, reason, never);
      } catch (const job_ended&) {
        ++left;
        throw;
      }
    });
    EXPECT_EQ(left, ranks) << "every rank leaves its wait";
    ASSERT_TRUE(job->ending());
    for (int i = 0; i < ranks; ++i) {
      const std::string expected = "rank " + std::to_string(i) + " waits in a_receive for a message from rank " +
                                   std::to_string((i + 1) % ranks);
      EXPECT_TRUE(contains(job->failure_text(), expected)) << expected << "\n" << job->failure_text();
    }
    EXPECT_TRUE(contains(job->failure_text(), "park_test.cpp:"));
    EXPECT_FALSE(contains(job->failure_text(), "returned"));
    EXPECT_NE(job->failure_status(), 0);
    EXPECT_THROW(std::rethrow_exception(job->failure()), Error);
    EXPECT_EQ(job->ranks_alive().read().parked, 0U);
    EXPECT_EQ(job->ranks_alive().read().live, 0U);
  }
}

TEST(deadlock, is_seen_by_a_rank_that_returns) {
  bare_job job(3);
  job.run([&](rank_context& self) {
    if (self.number() == 1) {
      while (!job->at(0).thread().is_parked() || !job->at(2).thread().is_parked()) sleep_ms(1);
    } else {
      wait_until(self, why, never);
    }
  });
  ASSERT_TRUE(job->ending());
  EXPECT_TRUE(contains(job->failure_text(), "rank 0 waits"));
  EXPECT_FALSE(contains(job->failure_text(), "rank 1 waits"));
  EXPECT_TRUE(contains(job->failure_text(), "rank 2 waits"));
  EXPECT_TRUE(contains(job->failure_text(), "1 of 3 ranks had returned"));
}

TEST(deadlock, is_none_while_a_rank_still_runs) {
  bare_job job(3);
  std::atomic<bool> ready{false};
  job.run([&](rank_context& self) {
    if (self.number() == 1) {
      while (!job->at(0).thread().is_parked() || !job->at(2).thread().is_parked()) sleep_ms(1);
      sleep_ms(50);
      ready = true;
      for (const int other : {0, 2}) job->at(other).notify();
    } else {
      wait_until(self, why, [&] { return ready.load(); });
    }
  });
  EXPECT_FALSE(job->ending());
}

TEST(deadlock, is_none_when_all_return) {
  bare_job job(3);
  job.run([](rank_context&) {});
  EXPECT_FALSE(job->ending());
}

TEST(failure, wakes_ranks_that_are_parked) {
  bare_job job(3);
  std::atomic<int> left{0};
  job.run([&](rank_context& self) {
    if (self.number() == 1) {
      while (!job->at(0).thread().is_parked() || !job->at(2).thread().is_parked()) sleep_ms(1);
      job->fail("something has gone wrong", 7);
      return;
    }
    try {
      wait_until(self, why, never);
    } catch (const job_ended&) {
      ++left;
      throw;
    }
  });
  EXPECT_EQ(left, 2);
  EXPECT_EQ(job->failure_text(), "something has gone wrong");
  EXPECT_EQ(job->failure_status(), 7);
}

TEST(failure, the_first_one_counts) {
  bare_job job(1);
  job->fail("first", 3);
  job->fail("second", 4);
  EXPECT_EQ(job->failure_text(), "first");
  EXPECT_EQ(job->failure_status(), 3);
}

}  // namespace
}  // namespace pure::core
