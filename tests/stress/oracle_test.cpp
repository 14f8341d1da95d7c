// The oracle: more than a thousand random programs, each checked against the matching rules of the MPI standard.
//
// Programs, their model and the way they are run are in tests/support/oracle/. Program i of a test has the seed
// PURETEST_SEED + i; a failure prints the program and the seed that makes it the first of the next run.
#include <gtest/gtest.h>

#include <thread>

#include "support/environment.hpp"
#include "support/oracle/generate.hpp"
#include "support/oracle/model.hpp"
#include "support/oracle/run.hpp"

namespace {

using namespace oracle;
using test_support::environment;

/// Runs one random program; what is wrong with it, or empty.
std::string run_one(std::uint64_t seed) {
  const program p = random_program(seed);
  const door through = seed % 2 == 0 ? door::pure_h : door::pure_hpp;
  std::string complaint;
  try {
    const observed got = run_on_pure(p, through);
    complaint = complaint_about(p, got.outcomes, got.completed);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  if (complaint.empty()) return "";
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}\nthis program, through {}:\n{}repeat it by PURETEST_SEED={} and --gtest_filter={}.{}",
                     complaint, through == door::pure_h ? "pure.h" : "pure.hpp", to_text(p), seed,
                     test->test_suite_name(), test->name());
}

void run_many(int programs) {
  const std::uint64_t first = test_support::first_seed();
  for (int i = 0; i < test_support::repetitions(programs); ++i) {
    const std::string complaint = run_one(first + static_cast<std::uint64_t>(i));
    ASSERT_TRUE(complaint.empty()) << complaint;
  }
}

TEST(oracle, usual_settings) { run_many(800); }

TEST(oracle, tiny_rings) {
  const environment hostile{{"PURE_EAGER_LIMIT", "64"}, {"PURE_RING_BYTES", "4K"}};
  run_many(500);
}

TEST(oracle, tiny_rings_and_ranks_that_park_at_once) {
  const environment hostile{{"PURE_EAGER_LIMIT", "900"}, {"PURE_RING_BYTES", "4K"}, {"PURE_SPIN_US", "0"}};
  run_many(500);
}

TEST(oracle, every_large_message_is_copied_by_both_ends_in_small_pieces) {
  const environment hostile{
      {"PURE_EAGER_LIMIT", "64"}, {"PURE_SHARED_COPY_MIN", "4K"}, {"PURE_COPY_PIECE", "1K"}, {"PURE_MAP_BY", "none"}};
  run_many(500);
}

TEST(oracle, everything_goes_through_the_ring) {
  const environment hostile{{"PURE_EAGER_LIMIT", "1M"}, {"PURE_RING_BYTES", "8M"}};
  run_many(150);
}

TEST(oracle, everything_that_fits_goes_through_cells) {
  const environment hostile{{"PURE_CELLS", "on"}, {"PURE_EAGER_LIMIT", "256"}, {"PURE_RING_BYTES", "8K"}};
  run_many(400);
}

TEST(oracle, two_jobs_at_once) {
  const std::uint64_t first = test_support::first_seed();
  const int programs = test_support::repetitions(150);
  std::string complaints[2];
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < programs && complaints[t].empty(); i += 2) {
        complaints[t] = run_one(first + static_cast<std::uint64_t>(i));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(complaints[0], "");
  EXPECT_EQ(complaints[1], "");
}

}  // namespace
