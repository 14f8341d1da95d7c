// What a waiting rank does for others who want its core, over a clock and a kernel of the test's own.
#include "runtime/courtesy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"

namespace {

using pure::core::courtesy;

constexpr std::int64_t us = 1'000, ms = 1'000'000, s = 1'000'000'000;

/// A rank that looks around every microsecond, and a kernel that gives the core back after `slice_ns`.
class waiting_rank {
 public:
  /// Until it parks, or for this long. True if it has parked.
  bool wait(std::int64_t for_ns, std::int64_t slice_ns) {
    for (const std::int64_t until = now_ns_ + for_ns; now_ns_ < until; now_ns_ += us) {
      if (look(slice_ns)) return true;
    }
    return false;
  }
  bool look(std::int64_t slice_ns) {
    const auto clock = [this] { return now_ns_; };
    const auto yield = [&] {
      ++yields_;
      given_ns_ += slice_ns;
      now_ns_ += slice_ns;
    };
    return courtesy_.offer(now_ns_, clock, yield) == courtesy::next::park;
  }
  void pass(std::int64_t ns) { now_ns_ += ns; }
  void meet(std::int64_t took_ns) { courtesy_.met_stranger(now_ns_, took_ns); }
  [[nodiscard]] std::int64_t now_ns() const noexcept { return now_ns_; }
  [[nodiscard]] int yields() const noexcept { return yields_; }
  [[nodiscard]] std::int64_t given_ns() const noexcept { return given_ns_; }

 private:
  courtesy courtesy_;
  std::int64_t now_ns_ = 5 * s;
  int yields_ = 0;
  std::int64_t given_ns_ = 0;
};

TEST(courtesy, where_nobody_wants_the_core_it_yields_at_every_look) {
  waiting_rank rank;
  EXPECT_FALSE(rank.wait(10 * ms, 400));
  EXPECT_EQ(rank.yields(), 10 * ms / (us + 400) + 1);
}

TEST(courtesy, after_a_long_yield_the_condition_comes_first) {
  waiting_rank rank;
  EXPECT_FALSE(rank.look(3 * ms));
  EXPECT_TRUE(rank.look(3 * ms));
  EXPECT_EQ(rank.yields(), 1);
}

TEST(courtesy, yields_give_a_stranger_a_hundredth_of_the_time) {
  for (const std::int64_t slice : {60 * us, 700 * us, 3 * ms, 8 * ms}) {
    waiting_rank rank;
    const std::int64_t start = rank.now_ns();
    int parks = 0;
    while (rank.now_ns() < start + 30 * s) {  // each wait is a new one
      parks += rank.wait(100 * us, slice) ? 1 : 0;
      rank.pass(20 * us);
    }
    EXPECT_LE(rank.given_ns(), 30 * s / 100 + slice) << slice;
    EXPECT_GE(rank.given_ns(), 30 * s / 110) << slice;
    EXPECT_GT(parks, 1000) << slice;
  }
}

TEST(courtesy, when_the_stranger_has_gone_it_is_as_before) {
  waiting_rank rank;
  EXPECT_TRUE(rank.wait(ms + 3 * ms, 3 * ms));
  rank.pass(290 * ms);
  EXPECT_TRUE(rank.wait(ms, 400));
  EXPECT_EQ(rank.yields(), 1);
  rank.pass(10 * ms);
  EXPECT_FALSE(rank.wait(2 * ms, 400));
  EXPECT_GT(rank.yields(), 1000);
}

TEST(courtesy, how_long_is_long) {
  for (const std::int64_t more : {0, 1}) {
    waiting_rank rank;
    rank.look(courtesy::long_ns + more);
    EXPECT_EQ(rank.look(400), more == 1);
  }
}

TEST(courtesy, a_second_at_most) {
  waiting_rank rank;
  rank.look(60 * s);  // stopped by a debugger, say
  rank.pass(s - 1);
  EXPECT_TRUE(rank.look(400));
  rank.pass(1);
  EXPECT_FALSE(rank.look(400));
}

TEST(courtesy, a_stranger_who_was_met_elsewhere_counts_as_one_of_its_own) {
  waiting_rank rank;
  rank.meet(3 * ms);
  rank.pass(300 * ms - 1);
  EXPECT_TRUE(rank.look(400));
  EXPECT_EQ(rank.yields(), 0);
  rank.pass(1);
  EXPECT_FALSE(rank.look(400));
}

TEST(courtesy, a_hundred_times_as_long_to_the_nanosecond) {
  waiting_rank rank;
  rank.look(ms);
  rank.pass(100 * ms - 1);
  EXPECT_TRUE(rank.look(400));
  rank.pass(1);
  EXPECT_FALSE(rank.look(400));
}

// ---- the wait that asks it ----

/// Whether a rank sleeps in a wait of 20 ms whose core a stranger has taken just before.
bool sleeps_beside_a_stranger(std::int64_t spin_ns) {
  using namespace pure::core;
  std::atomic<bool> is_over{false};
  bool has_slept = false;
  test_support::bare_job ranks(2, {}, {.pauses_per_poll = 0, .yields = false, .spin_ns = spin_ns});
  ranks.run([&](rank_context& self) {
    if (self.number() == 0) {
      self.thread().to_strangers().offer(now_ns() - s, now_ns, [] {});  // it took a second
      const wait_reason why{{"a_test", {}}, "a message from", 1};
      wait_until(self, why, [&] { return is_over.load(); });
      return;
    }
    for (const std::int64_t until = now_ns() + 20 * ms; now_ns() < until && !has_slept;) {
      has_slept = self.owner().at(0).thread().is_parked();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    is_over = true;
    self.owner().at(0).notify();
  });
  return has_slept;
}

TEST(courtesy, a_rank_sleeps_beside_a_stranger_but_not_if_it_is_to_look_for_longer) {
  EXPECT_TRUE(sleeps_beside_a_stranger(pure::core::wait_policy::usual_spin_ns));
  EXPECT_FALSE(sleeps_beside_a_stranger(pure::core::wait_policy::usual_spin_ns + 1));
}

}  // namespace
