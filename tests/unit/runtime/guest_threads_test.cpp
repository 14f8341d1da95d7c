// Threads of the program that call for a rank whose own thread is another one; and calls of two threads at once.
#include "runtime/guest_threads.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"

namespace pure::core {
namespace {

using test_support::bare_job;

TEST(guest_threads, have_the_rank_until_it_has_its_end) {
  bare_job job{2};
  rank_context& host = job->worker(0);
  std::promise<void> is_guest_now, is_dismissed;
  std::thread guest([&] {
    EXPECT_FALSE(is_guest());
    become_guest(host);
    EXPECT_EQ(self(), &host);
    EXPECT_TRUE(is_guest());
    EXPECT_FALSE(is_own_thread_of(host));
    is_guest_now.set_value();
    is_dismissed.get_future().wait();
    EXPECT_EQ(self(), nullptr);
  });
  is_guest_now.get_future().wait();
  EXPECT_EQ(self(), nullptr) << "of that thread alone";
  dismiss_guests(job->worker(1));  // which has none
  dismiss_guests(host);
  is_dismissed.set_value();
  guest.join();
}

TEST(guest_threads, may_end_before_and_be_many) {
  bare_job job{1};
  rank_context& host = job->worker(0);
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      std::thread([&] { become_guest(host); }).join();
      become_guest(host);
      std::thread([&] { become_guest(host); }).join();
    }).join();
    dismiss_guests(host);  // touches nothing of threads that have ended
  }
}

/// Waits until another thread has called for the same rank meanwhile.
void wait_beside(rank_context& rank, bool is_same_thread) {
  const wait_reason why{{"a_call", {}}, "nothing"};
  int looks = 0;
  wait_until(rank, why, [&] {
    if (++looks == 100) {
      if (is_same_thread)
        rank.note_caller();
      else
        std::thread([&] { rank.note_caller(); }).join();
    }
    return looks == 200;
  });
}

TEST(guest_threads, must_not_call_while_another_thread_does) {
  const wait_policy spins{.pauses_per_poll = 1, .yields = true, .spin_ns = 3'600'000'000'000};
  bare_job job{1, {}, spins};
  std::thread([&] { job->worker(0).note_caller(); }).join();  // before
  EXPECT_NO_THROW({ wait_beside(job->worker(0), true); });
  EXPECT_THROW({ wait_beside(job->worker(0), false); }, job_ended);
  EXPECT_NE(job->failure_text().find("a_call: rank 0: another thread is in a call of the same rank"), std::string::npos)
      << job->failure_text();
}

}  // namespace
}  // namespace pure::core
