// The processor time of a rank is that of its threads, and of no others.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "libc/processor_time.hpp"
#include "support/loaded_rank.hpp"

namespace processor_time_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;
using test_support::replaced_of_process;

double in_seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double used_by_this_thread() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return in_seconds(now);
}

/// Uses that much processor time.
void work(double seconds) {
  for (const double until = used_by_this_thread() + seconds; used_by_this_thread() < until;) {
  }
}

double total(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// What all functions tell the calling rank is between these two.
void expect_used(double least, double most) {
  timespec now{};
  rusage usage{};
  tms ticks{};
  ASSERT_EQ(replaced_of_process<int(clockid_t, timespec*)>("clock_gettime")(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
  ASSERT_EQ(replaced_of_process<int(int, rusage*)>("getrusage")(RUSAGE_SELF, &usage), 0);
  EXPECT_NE(replaced_of_process<std::clock_t(tms*)>("times")(&ticks), -1);
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const double used :
       {in_seconds(now), static_cast<double>(replaced_of_process<std::clock_t()>("clock")()) / CLOCKS_PER_SEC,
        total(usage), static_cast<double>(ticks.tms_utime + ticks.tms_stime + 2) * tick}) {
    EXPECT_GE(used, least);
    EXPECT_LE(used, most + 2 * tick);
  }
  EXPECT_GT(usage.ru_maxrss, 0);
}

TEST(rank_processor_time, is_that_of_its_threads) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  work(0.05);  // of none
  {
    const as_rank here(other);
    work(0.05);
  }
  const as_rank here(one);
  expect_used(0, 0.02);
  work(0.04);
  expect_used(0.04, 0.06);
  std::thread([&] {  // which ends
    work(0.03);
    set_hidden_state_here(&one);
    work(0.04);
    expect_used(0.08, 0.11);
  })
      .join();
  expect_used(0.08, 0.11);
  std::thread([&] {
    set_hidden_state_here(&other);
    work(0.04);
    expect_used(0.09, 0.11);
  }).join();
  expect_used(0.08, 0.12);
  const as_rank there(other);
  expect_used(0.09, 0.12);
  clockid_t own = 0;  // by the name that libc has for it
  ASSERT_EQ(replaced_of_process<int(pid_t, clockid_t*)>("clock_getcpuclockid")(0, &own), 0);
  timespec now;
  ASSERT_EQ(replaced_of_process<int(clockid_t, timespec*)>("clock_gettime")(own, &now), 0);
  EXPECT_LT(in_seconds(now), 0.12);
  EXPECT_EQ(replaced_of_process<int(pid_t, clockid_t*)>("clock_getcpuclockid")(-1, &own),
            clock_getcpuclockid(-1, &own));
}

TEST(rank_processor_time, is_no_other_clock) {
  const as_rank here(new_rank());
  timespec before, now, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  ASSERT_EQ(replaced_of_process<int(clockid_t, timespec*)>("clock_gettime")(CLOCK_MONOTONIC, &now), 0);
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_LE(in_seconds(before), in_seconds(now));
  EXPECT_LE(in_seconds(now), in_seconds(after));
  EXPECT_EQ(replaced_of_process<int(clockid_t, timespec*)>("clock_gettime")(77777, &now), -1);
}

// Whoever makes a thread may go on before the kernel lets that run for the first time.
TEST(rank_processor_time, knows_of_a_thread_that_is_being_made) {
  processor_time time;
  time.join();
  EXPECT_FALSE(time.has_other_threads());
  time.expect_one();
  EXPECT_TRUE(time.has_other_threads());
  std::thread([&] {
    time.join();
    time.has_come();
    EXPECT_TRUE(time.has_other_threads());
    time.leave();
  }).join();
  EXPECT_FALSE(time.has_other_threads());
  time.leave();
}

}  // namespace processor_time_test
