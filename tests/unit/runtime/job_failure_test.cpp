// How a job fails: the first cause stands, but for the exception behind a deadlock, and a deadlock is seen once.
#include "runtime/job_failure.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pure::core {
namespace {

using sight = job_failure::sight;

job_failure::cause named(const std::string& text, int status = 1) {
  return {.text = text, .status = status, .thrown = std::make_exception_ptr(std::runtime_error(text))};
}

TEST(job_failure_test, is_not_told_before_there_is_one) {
  job_failure failure;
  EXPECT_FALSE(failure.is_told());
  EXPECT_EQ(failure.what().text, "");
}

TEST(job_failure_test, the_first_cause_stands) {
  job_failure failure;
  EXPECT_TRUE(failure.report_to_ranks(named("first", 3), false, false));
  EXPECT_TRUE(failure.is_told());
  EXPECT_FALSE(failure.report_to_ranks(named("second", 4), false, false));
  EXPECT_FALSE(failure.report_to_ranks(named("thrown", 5), true, false));
  EXPECT_FALSE(failure.report_to_ranks(named("deadlock", 6), false, true));
  EXPECT_EQ(failure.what().text, "first");
  EXPECT_EQ(failure.what().status, 3);
  EXPECT_THROW(std::rethrow_exception(failure.what().thrown), std::runtime_error);
}

TEST(job_failure_test, but_what_was_thrown_before_a_deadlock_came_of_it_is_the_cause) {
  job_failure failure;
  EXPECT_TRUE(failure.report_to_ranks(named("deadlock"), false, true));
  EXPECT_FALSE(failure.report_to_ranks(named("said"), false, false));
  EXPECT_TRUE(failure.report_to_ranks(named("thrown", 9), true, false));
  EXPECT_FALSE(failure.report_to_ranks(named("thrown later"), true, false)) << "one, and then no more";
  EXPECT_EQ(failure.what().text, "thrown");
  EXPECT_EQ(failure.what().status, 9);
}

TEST(job_failure_test, ranks_are_not_told_where_the_process_ends) {
  job_failure failure;
  EXPECT_TRUE(failure.report(false, false));
  EXPECT_FALSE(failure.is_told());
  EXPECT_FALSE(failure.report(true, false));
  EXPECT_FALSE(failure.report_to_ranks(named("later"), false, false));
  EXPECT_FALSE(failure.is_told());
}

TEST(job_failure_test, a_deadlock_is_for_the_first_who_is_certain_of_it) {
  job_failure failure;
  EXPECT_EQ(failure.look_for_deadlock([] { return sight::no_deadlock; }), sight::no_deadlock);
  EXPECT_EQ(failure.look_for_deadlock([] { return sight::not_certain; }), sight::not_certain);
  EXPECT_EQ(failure.look_for_deadlock([] { return sight::first; }), sight::first);
  EXPECT_EQ(failure.look_for_deadlock([] { return sight::first; }), sight::no_deadlock) << "seen already";
}

TEST(job_failure_test, nobody_looks_for_a_deadlock_in_a_job_that_has_failed) {
  job_failure failure;
  EXPECT_TRUE(failure.report_to_ranks(named("first"), false, false));
  const auto nobody = [] {
    ADD_FAILURE() << "looked";
    return sight::first;
  };
  EXPECT_EQ(failure.look_for_deadlock(nobody), sight::no_deadlock);
}

TEST(job_failure_test, of_many_reports_at_once_one_is_first_and_is_there_when_it_is_told) {
  constexpr int threads = 4;
  for (int round = 0; round < 200; ++round) {
    job_failure failure;
    std::atomic<int> firsts{0}, ready{0};
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&, i] {
        ++ready;
        while (ready < threads) continue;
        if (failure.report_to_ranks(named(std::string(40, static_cast<char>('a' + i)), i), false, false)) ++firsts;
        EXPECT_TRUE(failure.is_told());
        EXPECT_EQ(failure.what().text, std::string(40, static_cast<char>('a' + failure.what().status)));
      });
    }
    for (std::thread& each : all) each.join();
    EXPECT_EQ(firsts, 1);
  }
}

}  // namespace
}  // namespace pure::core
