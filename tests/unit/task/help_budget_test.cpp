// How much of its time a rank gives to others' tasks, over a clock and losses of the test's own.
#include "task/help_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pure::core {
namespace help_budgets {  // of its own, for files are compiled together
namespace {

constexpr std::int64_t us = 1'000, ms = 1'000'000, s = 1'000'000'000;
constexpr std::int64_t period = help_budget::period_ns;

/// A rank that takes chunks of 20 us one after the other.
class helper {
 public:
  /// Helps until that much time has passed, and says how much of it has gone into chunks.
  std::int64_t go_on_for(std::int64_t ns, std::int64_t chunk_ns = 20 * us) {
    std::int64_t given = 0;
    for (const std::int64_t until = now_ns_ + ns; now_ns_ < until;) given += step(chunk_ns);
    return given;
  }
  /// A chunk, or a look in vain.
  std::int64_t step(std::int64_t chunk_ns) {
    const auto clock = [this] { return now_ns_; };
    if (budget.rests(clock)) {
      now_ns_ += 5 * us;
      return 0;
    }
    budget.begin(clock);
    now_ns_ += chunk_ns;
    told_ns = budget.end(clock, [this] {
      ++looks;
      return lost_ns_;
    });
    return chunk_ns;
  }
  /// As many chunks as it takes for it to look at the clock.
  void steps() {
    for (unsigned left = help_budget::ranges_per_look; left > 0 && told_ns == 0; --left) step(20 * us);
  }
  void lose(std::int64_t ns) {
    lost_ns_ += ns;
    now_ns_ += ns;
  }
  void pass(std::int64_t ns) { now_ns_ += ns; }
  [[nodiscard]] std::int64_t now_ns() const noexcept { return now_ns_; }

  help_budget budget;
  std::int64_t told_ns = 0;
  int looks = 0;

 private:
  std::int64_t now_ns_ = 7 * s;
  std::int64_t lost_ns_ = 3 * s;  // before it has helped anybody
};

TEST(help_budget, where_nobody_takes_the_core_all_time_is_given_and_one_look_in_a_period_tells) {
  helper rank;
  EXPECT_EQ(rank.go_on_for(s), s);
  EXPECT_EQ(rank.budget.part(), help_budget::all);
  EXPECT_EQ(rank.budget.rests_until_ns(), 0);
  EXPECT_EQ(rank.looks, s / period);
}

TEST(help_budget, while_all_is_given_the_clock_is_read_after_every_fourth_chunk) {
  help_budget budget;
  int reads = 0;
  const auto clock = [&]() -> std::int64_t { return ++reads; };
  for (unsigned chunks = 1; chunks <= 3 * help_budget::ranges_per_look; ++chunks) {
    budget.begin(clock);
    budget.end(clock, [] { return std::int64_t{0}; });
    EXPECT_EQ(reads, chunks / help_budget::ranges_per_look);
  }
}

TEST(help_budget, what_was_lost_before_it_helped_does_not_count) {
  helper rank;
  rank.steps();
  EXPECT_EQ(rank.told_ns, 0);
  EXPECT_EQ(rank.budget.part(), help_budget::all);
}

TEST(help_budget, how_much_is_tolerated) {
  for (const std::int64_t more : {0, 1}) {
    helper rank;
    rank.steps();
    const std::int64_t passed = 20 * period;
    const std::int64_t lost = passed / help_budget::tolerated + more;
    rank.lose(lost);
    rank.pass(passed - lost - help_budget::ranges_per_look * 20 * us);
    rank.steps();
    EXPECT_EQ(rank.told_ns, more == 0 ? 0 : lost);
    EXPECT_EQ(rank.budget.part(), more == 0 ? help_budget::all : help_budget::all / 2);
    EXPECT_EQ(rank.budget.rests_until_ns(), more == 0 ? 0 : rank.now_ns() + period);
  }
}

TEST(help_budget, what_was_lost_in_a_long_time_without_help_says_nothing) {
  for (const std::int64_t more : {0, 1}) {
    helper rank;
    rank.steps();
    rank.lose(50 * ms);
    rank.pass(help_budget::stale_ns + more - 50 * ms - help_budget::ranges_per_look * 20 * us);
    rank.steps();
    EXPECT_EQ(rank.told_ns, more == 0 ? 50 * ms : 0);
    EXPECT_EQ(rank.budget.part(), more == 0 ? help_budget::all / 2 : help_budget::all);
  }
}

TEST(help_budget, after_each_loss_half_as_much_but_never_less_than_a_quarter) {
  helper rank;
  rank.steps();
  for (const std::int64_t part : {32, 16, 16, 16}) {
    rank.lose(3 * ms);
    rank.go_on_for(period);
    EXPECT_EQ(rank.budget.part(), part);
  }
  rank.go_on_for(period);  // it rests after the last loss
  const std::int64_t given = rank.go_on_for(period);
  EXPECT_GE(given, period / 4);
  EXPECT_LE(given, period / 4 + period / 64 + 5 * 20 * us)
      << "a part more after a period without a loss, and chunks at the ends";
}

TEST(help_budget, each_period_without_a_loss_gives_a_little_more_until_it_is_all) {
  helper rank;
  rank.steps();
  rank.lose(3 * ms);
  rank.go_on_for(period);
  std::int64_t part = rank.budget.part();
  ASSERT_EQ(part, help_budget::all / 2);
  for (int periods = 0; part < help_budget::all; ++periods) {
    ASSERT_LT(periods, 100);
    rank.go_on_for(period + 10 * us);
    EXPECT_GE(rank.budget.part(), part);
    EXPECT_LE(rank.budget.part(), part + 1);
    part = rank.budget.part();
  }
  rank.go_on_for(period);  // the last rest
  EXPECT_EQ(rank.go_on_for(s), s);
}

TEST(help_budget, a_chunk_that_is_longer_than_all_that_is_given_is_followed_by_a_rest) {
  helper rank;
  rank.steps();
  rank.lose(3 * ms);
  rank.pass(period);
  rank.steps();
  rank.pass(period);
  ASSERT_FALSE(rank.budget.rests([&] { return rank.now_ns(); }));
  rank.step(20 * us);  // a new period
  ASSERT_FALSE(rank.budget.rests([&] { return rank.now_ns(); }));
  rank.step(period / 2 + 1 * ms);
  EXPECT_TRUE(rank.budget.rests([&] { return rank.now_ns(); }));
  EXPECT_EQ(rank.step(20 * us), 0);
}

TEST(help_budget, a_rest_ends_to_the_nanosecond) {
  helper rank;
  rank.steps();
  rank.lose(3 * ms);
  rank.pass(period);
  rank.steps();
  const std::int64_t until = rank.budget.rests_until_ns();
  EXPECT_TRUE(rank.budget.rests([&] { return until - 1; }));
  EXPECT_FALSE(rank.budget.rests([&] { return until; }));
}

TEST(help_budget, who_has_never_rested_reads_no_clock) {
  const help_budget fresh;
  EXPECT_FALSE(fresh.rests([]() -> std::int64_t {
    ADD_FAILURE();
    return 0;
  }));
}

}  // namespace
}  // namespace help_budgets
}  // namespace pure::core
