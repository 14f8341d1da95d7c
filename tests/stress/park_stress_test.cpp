// Ranks that park whenever they wait, and are woken by each other: no wake-up is lost, no deadlock is seen where there
// is none, and every deadlock is reported. A lost wake-up shows as a deadlock report, or the watchdog finds it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cache_line.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/pauses.hpp"

namespace pure::core {
namespace {

using test_support::announced_seed;
using test_support::bare_job;
using test_support::by_a_test;

struct alignas(pair_bytes) counter {
  std::atomic<std::uint64_t> value{0};
};

std::uint64_t parks(bare_job& job) {
  std::uint64_t all = 0;
  for (int i = 0; i < job->size(); ++i) all += job->at(i).thread().times_parked();
  return all;
}

void expect_a_good_end(bare_job& job) {
  EXPECT_FALSE(job->ending()) << job->failure_text();
  EXPECT_EQ(job->ranks_alive().read().parked, 0U);
  EXPECT_EQ(job->ranks_alive().read().live, 0U);
}

class park_stress : public testing::TestWithParam<int> {
 protected:
  const int ranks_ = GetParam();
  [[nodiscard]] std::size_t after(int rank, int distance = 1) const {
    return static_cast<std::size_t>((rank + distance) % ranks_);
  }
};
INSTANTIATE_TEST_SUITE_P(ranks, park_stress, testing::Values(2, 3, 9), testing::PrintToStringParamName());

TEST_P(park_stress, a_token_goes_round) {
  const std::uint64_t seed = announced_seed();
  const auto rounds = static_cast<std::uint64_t>(test_support::repetitions(60'000 / ranks_));
  bare_job job(ranks_);
  std::vector<counter> tokens(static_cast<std::size_t>(ranks_));  // by receiver: how often it has come
  std::uint64_t handed_over = 0;                                  // no atomic: whoever has the token has it
  job.run([&](rank_context& self) {
    const int me = self.number();
    test_support::pauses pauses(seed * 100 + static_cast<std::uint64_t>(me));
    const wait_reason why{by_a_test, "the token"};
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (me != 0 || round > 1) {
        const std::uint64_t expected = me == 0 ? round - 1 : round;
        wait_until(self, why, [&] {
          return tokens[static_cast<std::size_t>(me)].value.load(std::memory_order_acquire) >= expected;
        });
      }
      ++handed_over;
      pauses.maybe();
      tokens[after(me)].value.fetch_add(1, std::memory_order_release);
      job->at(static_cast<int>(after(me))).notify();
    }
  });
  expect_a_good_end(job);
  EXPECT_EQ(handed_over, rounds * static_cast<std::uint64_t>(ranks_));
  EXPECT_GT(parks(job), 0U);
}

TEST_P(park_stress, everybody_waits_for_everybody) {  // many notify one at the same time
  const std::uint64_t seed = announced_seed();
  const auto rounds = static_cast<std::uint64_t>(test_support::repetitions(30'000 / ranks_));
  bare_job job(ranks_);
  std::vector<counter> arrived(static_cast<std::size_t>(ranks_));
  job.run([&](rank_context& self) {
    const int me = self.number();
    test_support::pauses pauses(seed * 100 + static_cast<std::uint64_t>(me));
    const wait_reason why{by_a_test, "the others"};
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      pauses.maybe();
      arrived[static_cast<std::size_t>(me)].value.store(round, std::memory_order_release);
      for (int i = 1; i < ranks_; ++i) job->at(static_cast<int>(after(me, i))).notify();
      wait_until(self, why, [&] {
        for (const counter& each : arrived) {
          if (each.value.load(std::memory_order_acquire) < round) return false;
        }
        return true;
      });
    }
  });
  expect_a_good_end(job);
  EXPECT_GT(parks(job), 0U);
}

TEST_P(park_stress, random_messages_until_all_are_stuck) {  // each rank has a number of messages for each other one
  const std::uint64_t seed = announced_seed();
  const int jobs = test_support::repetitions(3000 / ranks_);
  for (int j = 0; j < jobs; ++j) {
    bare_job job(ranks_);
    std::vector<counter> messages(static_cast<std::size_t>(ranks_));  // by receiver
    std::atomic<int> left{0};
    const bool one_returns = j % 3 == 0;  // and sees the deadlock, perhaps
    job.run([&](rank_context& self) {
      const int me = self.number();
      test_support::pauses pauses(seed * 10'000 + static_cast<std::uint64_t>(j * ranks_ + me));
      if (one_returns && me == 0) return;
      const wait_reason why{by_a_test, "a message"};
      auto& mine = messages[static_cast<std::size_t>(me)].value;
      std::uint64_t received = 0;
      try {
        for (std::uint64_t credit = 1 + pauses.number() % 4;;) {
          for (; credit > 0; --credit) {
            const std::size_t to = after(me, 1 + static_cast<int>(pauses.number() % static_cast<unsigned>(ranks_ - 1)));
            if (pauses.number() % 8 == 0) continue;  // it is lost: in the end, all are
            messages[to].value.fetch_add(1, std::memory_order_release);
            job->at(static_cast<int>(to)).notify();
          }
          wait_until(self, why, [&] { return mine.load(std::memory_order_acquire) > received; });
          ++received;
          ++credit;
          pauses.maybe();
        }
      } catch (const job_ended&) {
        EXPECT_EQ(mine.load(), received) << "it was no deadlock: rank " << me << " had a message";
        ++left;
        throw;
      }
    });
    const int stuck = ranks_ - (one_returns ? 1 : 0);
    ASSERT_EQ(left, stuck);
    ASSERT_TRUE(job->ending());
    for (int i = ranks_ - stuck; i < ranks_; ++i) {
      const std::string line = "rank " + std::to_string(i) + " waits in a_test for a message";
      ASSERT_NE(job->failure_text().find(line), std::string::npos) << "job " << j << ":\n" << job->failure_text();
    }
    ASSERT_EQ(job->ranks_alive().read().parked, 0U);
  }
}

}  // namespace
}  // namespace pure::core
