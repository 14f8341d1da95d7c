// A watch that looks all the time, at ranks that sleep whenever they wait: it never reports a job that goes on, and
// always one of which some ranks are stuck while another computes.
#include <gtest/gtest.h>
#include <pure.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "hang/watch.hpp"
#include "runtime/wait.hpp"
#include "start/services.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/pauses.hpp"

namespace pure::core {
namespace {

using test_support::announced_seed;
using test_support::bare_job;

/// Runs body on every rank, under a watch that does nothing but look.
template <class Body>
void run_watched(bare_job& job, Body body) {
  hang_watch watch(*job);
  std::atomic<bool> stop{false};
  std::thread watcher([&] {
    while (!stop.load()) {
      watch.look();
      std::this_thread::yield();
    }
  });
  job.run(body);
  stop = true;
  watcher.join();
}

constexpr pure_comm world = PURE_COMM_WORLD;

class hang_watch_stress : public testing::TestWithParam<int> {
 protected:
  const int ranks_ = GetParam();
  const std::vector<char> large_ = std::vector<char>(100'000);

  void send(int to, bool is_large, int tag = 0) const {
    pure_send_msg(large_.data(), is_large ? 100'000 : 4, PURE_CHAR, to, tag, world);
  }
  void receive(int from) const {
    std::vector<char> to(100'000);
    pure_recv_msg(to.data(), 100'000, PURE_CHAR, from, 0, world);
  }
};
INSTANTIATE_TEST_SUITE_P(ranks, hang_watch_stress, testing::Values(2, 3, 7), testing::PrintToStringParamName());

// All ranks but one wait for a certain one, nearly always: a cycle with one message in it.
TEST_P(hang_watch_stress, leaves_a_token_alone) {
  const std::uint64_t seed = announced_seed();
  const int rounds = test_support::repetitions(6000 / ranks_);
  bare_job job(ranks_, {}, test_support::impatient, attach_services);
  run_watched(job, [&](rank_context& self) {
    const int me = self.number();
    test_support::pauses pauses(seed * 100 + static_cast<std::uint64_t>(me));
    for (int round = 0; round < rounds; ++round) {
      if (me != 0) receive((me + ranks_ - 1) % ranks_);
      pauses.maybe();
      send((me + 1) % ranks_, pauses.number() % 4 == 0);
      if (me == 0) receive(ranks_ - 1);
    }
    job->wait_for_all_mains(self);
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

// Any mixture of waits for one and waits for all, blocking or behind requests.
TEST_P(hang_watch_stress, leaves_exchanges_and_collectives_alone) {
  const std::uint64_t seed = announced_seed();
  const int rounds = test_support::repetitions(3000 / ranks_);
  bare_job job(ranks_, {}, test_support::impatient, attach_services);
  run_watched(job, [&](rank_context& self) {
    const int me = self.number();
    test_support::pauses pauses(seed * 100 + static_cast<std::uint64_t>(me));
    test_support::pauses common(seed);  // the same numbers at all ranks
    for (int round = 0; round < rounds; ++round) {
      pauses.maybe();
      const int distance = 1 + static_cast<int>(common.number() % static_cast<unsigned>(ranks_));
      const int to = (me + distance) % ranks_, from = (me + 2 * ranks_ - distance) % ranks_;
      int x = me, sum = 0;
      pure_request all;
      switch (common.number() % 4) {
        case 0: pure_barrier(world); break;
        case 1: pure_allreduce(&x, &sum, 1, PURE_INT, PURE_SUM, world); break;
        default: break;
      }
      const bool has_request = common.number() % 2 == 0;
      if (has_request) pure_ibarrier(world, &all);
      std::vector<char> in(100'000);
      pure_request receiving;
      const int source = pauses.number() % 2 == 0 ? from : PURE_ANY_SOURCE;
      pure_irecv_msg(in.data(), 100'000, PURE_CHAR, source, round, world, &receiving);
      send(to, common.number() % 2 == 0, round);
      pure_wait(&receiving);
      if (has_request) pure_wait(&all);
    }
    job->wait_for_all_mains(self);
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

TEST_P(hang_watch_stress, finds_ranks_that_are_stuck_while_one_goes_on) {
  const std::uint64_t seed = announced_seed();
  const int jobs = test_support::repetitions(300 / ranks_);
  for (int j = 0; j < jobs; ++j) {
    bare_job job(ranks_ + 1, {}, test_support::impatient, attach_services);
    const bool one_returns = j % 2 == 0;  // else all ranks but the last wait in a circle
    run_watched(job, [&](rank_context& self) {
      const int me = self.number();
      test_support::pauses pauses(seed * 10'000 + static_cast<std::uint64_t>(j * ranks_ + me));
      if (me == ranks_) {
        while (!job->ending()) pauses.maybe();
        return;
      }
      for (int round = 0; round < 5; ++round) {
        send((me + 1) % ranks_, false);
        receive((me + ranks_ - 1) % ranks_);
        pauses.maybe();
      }
      if (!one_returns || me != 0) receive((me + ranks_ - 1) % ranks_);
      job->wait_for_all_mains(self);
    });
    ASSERT_TRUE(job->ending());
    const std::string cause = one_returns ? "rank 1 waits for rank 0, whose main has returned"
                                          : "cycle: rank 0 waits for";
    ASSERT_NE(job->failure_text().find(cause), std::string::npos) << "job " << j << ":\n" << job->failure_text();
    ASSERT_NE(job->failure_text().find("for ever"), std::string::npos) << job->failure_text();
  }
}

}  // namespace
}  // namespace pure::core
