// Random collectives of all kinds against the serial oracle of tests/support/collective_oracle/.
//
// Plan i of a test has the seed PURETEST_SEED + i; a failure prints the plan and the seed that makes it the first of
// the next run.
#include <gtest/gtest.h>

#include <thread>

#include "support/collective_oracle/generate.hpp"
#include "support/collective_oracle/pure_h_door.hpp"
#include "support/collective_oracle/run.hpp"
#include "support/environment.hpp"

namespace {

using namespace collective_oracle;
using test_support::environment;

/// Carries out one random plan; what is wrong, or empty.
std::string run_one(std::uint64_t seed) {
  const plan p = random_plan(seed);
  std::string complaint;
  try {
    complaint = run_plan<pure_h_door>(p);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  if (complaint.empty()) return "";
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}\nin this plan:\n{}repeat it by PURETEST_SEED={} and --gtest_filter={}.{}", complaint,
                     to_text(p), seed, test->test_suite_name(), test->name());
}

void run_many(int plans) {
  const std::uint64_t first = test_support::first_seed();
  for (int i = 0; i < test_support::repetitions(plans); ++i) {
    const std::string complaint = run_one(first + static_cast<std::uint64_t>(i));
    ASSERT_TRUE(complaint.empty()) << complaint;
  }
}

TEST(collectives_oracle, usual_settings) { run_many(600); }

TEST(collectives_oracle, ranks_that_park_at_once) {
  const environment hostile{{"PURE_SPIN_US", "0"}};
  run_many(200);
}

TEST(collectives_oracle, tiny_rings) {
  const environment hostile{{"PURE_EAGER_LIMIT", "64"}, {"PURE_RING_BYTES", "4K"}, {"PURE_COPY_PIECE", "1K"}};
  run_many(200);
}

TEST(collectives_oracle, unbound_ranks) {
  const environment hostile{{"PURE_MAP_BY", "none"}};
  run_many(200);
}

TEST(collectives_oracle, checked_calls) {
  const environment checked{{"PURE_CHECK", "1"}};
  run_many(200);
}

TEST(collectives_oracle, sums_that_are_rounded_once) {
  const environment reproducible{{"PURE_REPRODUCIBLE_SUMS", "1"}};
  run_many(200);
}

TEST(collectives_oracle, two_jobs_at_once) {
  const std::uint64_t first = test_support::first_seed();
  const int plans = test_support::repetitions(40);
  std::string complaints[2];
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < plans && complaints[t].empty(); i += 2) {
        complaints[t] = run_one(first + static_cast<std::uint64_t>(i));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(complaints[0], "");
  EXPECT_EQ(complaints[1], "");
}

}  // namespace
