// What all processes do together, over a network inside this one: any number of processes, in any order of events.
#include "network/process_collective.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "support/environment.hpp"
#include "support/loopback_network.hpp"

namespace pure::core {
namespace {

using test_support::loopback_world;

class process {
 public:
  explicit process(network& its) : net_(its), together_(its, this) {}

  [[nodiscard]] process_collective& together() { return together_; }
  [[nodiscard]] std::uint64_t number() const { return static_cast<std::uint64_t>(net_.peers().process); }
  void poll() { net_.poll(events_); }

 private:
  struct ends_of_steps final : network_events {
    explicit ends_of_steps(process& of) : of_(of) {}
    void message_arrived(int, int, const std::byte*, std::size_t) override { ADD_FAILURE() << "a message"; }
    void operation_done(network_operation& done) override {
      EXPECT_EQ(done.owner, &of_);
      of_.together_.one_is_done();
    }
    process& of_;
  };

  network& net_;
  process_collective together_;
  ends_of_steps events_{*this};
};

class processes_together : public testing::TestWithParam<int> {
 protected:
  processes_together() {
    for (int i = 0; i < GetParam(); ++i) all_.emplace_back(world_.end(i));
  }

  /// All start, in any order; polls of them come between. `may_end_early`: before all have started.
  template <class Start>
  void run(Start start, bool may_end_early = false) {
    std::vector<process*> waiting;
    for (process& each : all_) waiting.push_back(&each);
    std::shuffle(waiting.begin(), waiting.end(), dice_);
    std::vector<process*> started;
    while (!waiting.empty()) {
      process& next = *waiting.back();
      waiting.pop_back();
      const bool is_done = start(next);
      EXPECT_EQ(is_done, !next.together().is_under_way());
      started.push_back(&next);
      for (std::size_t i = 0; i < 2 * all_.size(); ++i) started[dice_() % started.size()]->poll();
      if (waiting.empty() || may_end_early) continue;
      for (process* const each : started) EXPECT_TRUE(each->together().is_under_way()) << "not all have come";
    }
    const auto is_any_under_way = [&] {
      return std::any_of(all_.begin(), all_.end(), [](process& each) { return each.together().is_under_way(); });
    };
    for (int turns = 0; is_any_under_way() && turns < 100'000; ++turns) {
      for (process& each : all_) each.poll();
    }
    ASSERT_FALSE(is_any_under_way());
  }

  loopback_world world_{GetParam(), {.piece_bytes = 4096}};
  std::deque<process> all_;
  std::mt19937_64 dice_{test_support::first_seed()};
};

TEST_P(processes_together, nobody_leaves_a_barrier_before_all_have_come) {
  world_.play(dice_());
  for (int round = 0; round < 5; ++round) run([](process& each) { return each.together().start_barrier(); });
}

TEST_P(processes_together, sums) {
  world_.play(dice_());
  for (std::size_t count = 0; count < 4; ++count) {
    std::vector<std::vector<std::uint64_t>> values(all_.size());
    std::vector<std::uint64_t> sums(count);
    for (auto& each : values) {
      for (std::size_t i = 0; i < count; ++i) {
        each.push_back(dice_());  // also beyond 64 bits, as counts of unsigned integers do
        sums[i] += each.back();
      }
    }
    run([&](process& each) { return each.together().start_sum(values[each.number()]); });
    for (const auto& each : values) EXPECT_EQ(each, sums);
  }
}

TEST_P(processes_together, blocks_are_gathered_in_the_order_of_processes) {
  world_.play(dice_());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{24}, std::size_t{100'000}}) {
    std::vector<std::uint8_t> expected;
    std::vector<std::vector<std::uint8_t>> mine, all(all_.size(), std::vector<std::uint8_t>(bytes * all_.size()));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      mine.emplace_back(bytes, static_cast<std::uint8_t>(i + 1));
      expected.insert(expected.end(), bytes, static_cast<std::uint8_t>(i + 1));
    }
    run([&](process& each) {
      return each.together().start_all_gather(mine[each.number()].data(), bytes, all[each.number()].data());
    });
    for (const auto& each : all) EXPECT_EQ(each, expected);
  }
}

TEST_P(processes_together, process_0_tells_the_others) {
  world_.play(dice_());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100'000}}) {
    std::vector<std::vector<std::uint8_t>> data(all_.size(), std::vector<std::uint8_t>(bytes));
    std::fill(data[0].begin(), data[0].end(), std::uint8_t{77});
    run([&](process& each) { return each.together().start_broadcast(data[each.number()].data(), bytes); }, true);
    for (const auto& each : data) EXPECT_EQ(each, data[0]);
  }
}

// The next one starts in some processes while others are still in the one before.
TEST_P(processes_together, one_after_the_other_without_waiting_for_all) {
  world_.play(dice_());
  constexpr std::uint64_t rounds = 50;
  struct state {
    std::uint64_t round = 0;
    std::vector<std::uint64_t> values;
  };
  std::vector<state> states(all_.size());
  const std::uint64_t last = all_.size() - 1;
  const auto next = [&](process& each) {
    state& its = states[each.number()];
    if (its.round > 0) {
      EXPECT_EQ(its.values.at(0), its.round * last * (last + 1) / 2);
    }
    if (its.round++ == rounds) return;
    its.values = {its.round * each.number()};
    each.together().start_sum(its.values);
  };
  const auto has_ended = [&] {
    return std::all_of(states.begin(), states.end(), [](const state& each) { return each.round > rounds; });
  };
  for (int turns = 0; !has_ended() && turns < 1'000'000; ++turns) {
    process& each = all_[dice_() % all_.size()];
    each.poll();
    if (!each.together().is_under_way() && states[each.number()].round <= rounds) next(each);
  }
  EXPECT_TRUE(has_ended());
}

INSTANTIATE_TEST_SUITE_P(of_each_number, processes_together, testing::Values(1, 2, 3, 4, 5, 7, 8, 13));

}  // namespace
}  // namespace pure::core
