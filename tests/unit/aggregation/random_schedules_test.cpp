// Aggregations of 2 to 16 ranks in 1 to 4 processes, by a thousand seeds: handlers that are late, and send on; ranks
// that send nothing; a transport that refuses. A rank that leaves a phase finds all its items handled, once.
#include "aggregation/aggregation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "support/environment.hpp"
#include "support/oracle/dice.hpp"
#include "support/simulated_processes.hpp"

namespace {

using namespace pure::core;
using oracle::dice;

constexpr std::size_t phases_of_seed = 2;

struct sent_on {
  std::uint16_t left;
  std::uint16_t phase;
};

void be_late(dice& random) {
  const auto way = random.below(40);
  if (way == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
  if (way < 4) std::this_thread::yield();
}

void run_seed(std::uint64_t seed) {
  dice shared(seed);
  const int processes = shared.between(1, 4);
  const int each = shared.between(processes == 1 ? 2 : 1, 16 / processes);
  const auto scheme = shared.pick(std::vector<item_scheme>{item_scheme::automatic, item_scheme::ww, item_scheme::wps,
                                                           item_scheme::wsp, item_scheme::pp});
  const auto buffer_bytes = shared.pick(std::vector<std::size_t>{0, 4, 40});
  const auto refused = static_cast<unsigned>(shared.pick(std::vector<int>{0, 0, 30}));
  test_support::simulated_processes simulated(
      processes, each, {.buffer_bytes = buffer_bytes, .scheme = scheme, .name = "seed"}, refused);
  std::array<std::atomic<std::uint64_t>, phases_of_seed> made{}, handled{};
  simulated.run([&](aggregation& items) {
    dice random(seed * 1000 + static_cast<std::uint64_t>(items.rank()));
    item_channel* channel = nullptr;
    const auto send = [&](const sent_on& item) {
      ++made[item.phase];
      test_support::send(*channel, item, random.below(items.size()));
    };
    auto handle = [&](const sent_on& item, int) {
      be_late(random);
      for (int i = random.below(3); item.left > 0 && i > 0; --i)
        send({static_cast<std::uint16_t>(item.left - 1), item.phase});
      ++handled[item.phase];
    };
    channel = &test_support::make_channel<sent_on>(items, handle);
    const int most = random.chance(30) ? 0 : 8;  // some ranks only get items
    for (std::uint16_t phase = 0; phase < phases_of_seed; ++phase) {
      for (int i = random.below(most + 1); i > 0; --i) send({5, phase});
      be_late(random);
      items.finish({"finish", {}}, nullptr, nullptr);
      EXPECT_EQ(made[phase], handled[phase]) << "rank " << items.rank() << " has left early";
    }
  });
}

TEST(aggregation_random_schedules, a_phase_ends_when_all_of_it_is_handled) {
  const std::uint64_t first = test_support::first_seed();
  const auto seeds = static_cast<std::uint64_t>(test_support::repetitions(1000));
  for (std::uint64_t seed = first; seed < first + seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("PURETEST_SEED=" + std::to_string(seed));
    run_seed(seed);
  }
}

}  // namespace
