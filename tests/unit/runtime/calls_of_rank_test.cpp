// Threads of the program that call for a rank whose own thread is another one; and calls of two threads at once.
#include "runtime/calls_of_rank.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"

namespace pure::core {
namespace {

using test_support::bare_job;

TEST(guest_threads, have_the_rank_until_it_has_its_end) {
  bare_job job{2};
  rank_context& host = job->worker(0);
  std::promise<void> is_guest_now, others_are_dismissed, has_looked, is_dismissed;
  std::thread guest([&] {
    EXPECT_FALSE(is_guest());
    host.calls().add_guest();
    EXPECT_EQ(self(), &host);
    EXPECT_TRUE(is_guest());
    EXPECT_FALSE(is_own_thread_of(host));
    is_guest_now.set_value();
    others_are_dismissed.get_future().wait();
    EXPECT_EQ(self(), &host) << "of a rank whose guest it is not";
    has_looked.set_value();
    is_dismissed.get_future().wait();
    EXPECT_EQ(self(), nullptr);
  });
  is_guest_now.get_future().wait();
  EXPECT_EQ(self(), nullptr) << "of that thread alone";
  job->worker(1).calls().dismiss_guests();  // which has none
  others_are_dismissed.set_value();
  has_looked.get_future().wait();
  host.calls().dismiss_guests();
  is_dismissed.set_value();
  guest.join();
}

TEST(guest_threads, may_end_before_and_be_many) {
  bare_job job{1};
  rank_context& host = job->worker(0);
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      std::thread([&] { host.calls().add_guest(); }).join();
      host.calls().add_guest();
      std::thread([&] { host.calls().add_guest(); }).join();
    }).join();
    host.calls().dismiss_guests();  // touches nothing of threads that have ended
  }
}

TEST(guest_threads, are_all_dismissed_and_those_of_other_ranks_stay) {
  bare_job job{2};
  constexpr int guests = 6;  // half of them of each rank, in any order
  std::latch are_guests{guests}, are_dismissed{1};
  std::vector<std::thread> all;
  for (int i = 0; i < guests; ++i) {
    all.emplace_back([&, number = i % 2] {
      rank_context& host = job->worker(number);
      host.calls().add_guest();
      are_guests.count_down();
      are_dismissed.wait();
      EXPECT_EQ(self(), number == 0 ? nullptr : &host);
    });
  }
  are_guests.wait();
  job->worker(0).calls().dismiss_guests();
  are_dismissed.count_down();
  for (std::thread& each : all) each.join();
}

// ---- one at a time ----

/// What another thread does; it has ended then.
template <class Does>
void elsewhere(Does does) {
  std::thread(does).join();
}

TEST(calls_of_rank_test, tell_the_latest_caller_from_all_others) {
  bare_job job{1};
  calls_of_rank calls(job->worker(0));
  EXPECT_FALSE(calls.is_only_caller()) << "nobody has called";
  calls.enter();
  EXPECT_TRUE(calls.is_only_caller());
  elsewhere([&] {
    EXPECT_FALSE(calls.is_only_caller());
    calls.enter();
    EXPECT_TRUE(calls.is_only_caller());
  });
  EXPECT_FALSE(calls.is_only_caller()) << "the other thread has called since";
}

TEST(calls_of_rank_test, a_wait_is_disturbed_by_a_call_between_two_of_its_looks) {
  bare_job job{1};
  calls_of_rank calls(job->worker(0));
  elsewhere([&] { calls.enter(); });
  calls_of_rank::wait wait(calls);
  EXPECT_FALSE(wait.is_disturbed()) << "that call was before the wait";
  wait.look();
  EXPECT_FALSE(wait.is_disturbed());
  calls.enter();  // a call inside this one, as of a handler
  EXPECT_FALSE(wait.is_disturbed());
  elsewhere([&] { calls.enter(); });
  EXPECT_TRUE(wait.is_disturbed());
  wait.look();
  EXPECT_FALSE(wait.is_disturbed()) << "it is said once";
}

/// Waits until another thread has called for the same rank meanwhile.
void wait_beside(rank_context& rank, bool is_same_thread) {
  const wait_reason why{{"a_call", {}}, "nothing"};
  int looks = 0;
  wait_until(rank, why, [&] {
    if (++looks == 100) {
      if (is_same_thread)
        rank.calls().enter();
      else
        std::thread([&] { rank.calls().enter(); }).join();
    }
    return looks == 200;
  });
}

TEST(guest_threads, must_not_call_while_another_thread_does) {
  const wait_policy spins{.pauses_per_poll = 1, .yields = true, .spin_ns = 3'600'000'000'000};
  bare_job job{1, {}, spins};
  std::thread([&] { job->worker(0).calls().enter(); }).join();  // before
  EXPECT_NO_THROW({ wait_beside(job->worker(0), true); });
  EXPECT_THROW({ wait_beside(job->worker(0), false); }, job_ended);
  EXPECT_NE(job->failure_text().find("a_call: rank 0: another thread is in a call of the same rank"), std::string::npos)
      << job->failure_text();
}

}  // namespace
}  // namespace pure::core
