// Two networks that are one: which of them gets what, in which order they are looked at, and how they fail and sleep.
#include "network/two_level_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "support/environment.hpp"
#include "support/lent_network.hpp"
#include "support/loopback_network.hpp"

namespace pure::core {
namespace {

using test_support::lent_network;
using test_support::loopback_limits;
using test_support::loopback_world;

/// What has come to one process.
class arrivals final : public network_events {
 public:
  struct message {
    int from, tag;
    std::uint32_t number;
  };

  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override {
    ASSERT_EQ(bytes, sizeof(std::uint32_t));
    message& made = messages.emplace_back(message{from_process, tag, 0});
    std::memcpy(&made.number, data, bytes);
  }
  void operation_done(network_operation& done) override { ended.push_back(&done); }
  [[nodiscard]] bool has_ended(const network_operation& which) const {
    return std::find(ended.begin(), ended.end(), &which) != ended.end();
  }

  std::vector<message> messages;
  std::vector<network_operation*> ended;
};

/// Processes 0 to 4: 0 and 2 are near each other, so are 1 and 3, and 4 is alone.
class two_levels : public testing::Test {
 protected:
  static constexpr int processes = 5;
  static constexpr int alone = 4;

  two_levels() {
    for (int process = 0; process < processes; ++process) {
      std::unique_ptr<network> near;
      std::vector<int> group;
      if (process != alone) {
        near = std::make_unique<lent_network>(near_of(process).end(process / 2), near_calls_[index(process)]);
        group = {process % 2, process % 2 + 2};
      }
      nets_.push_back(std::make_unique<two_level_network>(
          std::make_unique<lent_network>(far_.end(process), far_calls_[index(process)]), std::move(near), group, limits,
          failure_, 1'000'000));
    }
  }

  static std::size_t index(int process) { return static_cast<std::size_t>(process); }
  static bool are_near(int a, int b) { return a != alone && b != alone && a % 2 == b % 2; }
  loopback_world& near_of(int process) { return process % 2 == 0 ? even_ : odd_; }
  two_level_network& net(int process) { return *nets_[index(process)]; }
  bool poll(int process) { return net(process).poll(events_[index(process)]); }
  void settle() {
    for (int round = 0; round < 3000; ++round) {
      for (int process = 0; process < processes; ++process) poll(process);
    }
  }
  void send_number(int from, int to, std::uint32_t number) {
    sent_.push_back(std::make_unique<std::pair<network_operation, std::uint32_t>>(network_operation(), number));
    net(from).send_message(sent_.back()->first, to, 7, &sent_.back()->second, sizeof number);
  }

  static constexpr network_limits limits{1000, 512, 4096};
  std::vector<std::string> reports_;
  std::shared_ptr<shared_failure> failure_ = std::make_shared<shared_failure>(
      [](void* to, const char* text) { static_cast<std::vector<std::string>*>(to)->emplace_back(text); }, &reports_);
  loopback_world far_{processes, {.eager_bytes = 17, .largest_tag = 40'000}};
  loopback_world even_{2}, odd_{2};
  std::array<lent_network::calls, processes> far_calls_, near_calls_;
  std::vector<std::unique_ptr<std::pair<network_operation, std::uint32_t>>> sent_;
  std::vector<std::unique_ptr<two_level_network>> nets_;
  std::array<arrivals, processes> events_;
};

TEST_F(two_levels, what_all_have_is_common_and_who_is_there_says_the_far_one) {
  for (int process = 0; process < processes; ++process) {
    const network_peers& peers = net(process).peers();
    EXPECT_EQ(peers.process, process);
    EXPECT_EQ(peers.processes, processes);
    EXPECT_EQ(peers.largest_tag, 1000);
    EXPECT_EQ(peers.message_bytes, 512u);
    EXPECT_EQ(peers.piece_bytes, 4096u);
    EXPECT_EQ(peers.eager_bytes, process == alone ? 17u : 0u) << "what it costs to reach a process of the machine";
    EXPECT_EQ(peers.library, process == alone ? "loopback" : "loopback and loopback");
  }
  const network_limits small{5, 60, 700}, other{50, 6, 7000};
  const network_limits both = small.common_with(other);
  EXPECT_EQ(both.largest_tag, 5u);
  EXPECT_EQ(both.message_bytes, 6u);
  EXPECT_EQ(both.piece_bytes, 700u);
}

TEST_F(two_levels, messages_of_each_pair_come_in_their_order_over_the_network_of_the_pair) {
  std::mt19937_64 dice(test_support::first_seed());
  for (loopback_world* const each : {&far_, &even_, &odd_}) each->play(dice());
  std::map<std::pair<int, int>, std::uint32_t> sent, come;
  for (int i = 0; i < 2000; ++i) {
    const auto from = static_cast<int>(dice() % processes);
    const auto to = static_cast<int>(dice() % processes);
    if (from == to) continue;
    const int near_before = near_calls_[index(from)].sends;
    send_number(from, to, sent[{from, to}]++);
    EXPECT_EQ(near_calls_[index(from)].sends - near_before, are_near(from, to) ? 1 : 0);
    const auto looking = static_cast<int>(dice() % processes);
    const std::size_t before = events_[index(looking)].messages.size();
    poll(looking);
    EXPECT_LE(events_[index(looking)].messages.size(), before + 1) << "one message a poll";
  }
  settle();
  for (int to = 0; to < processes; ++to) {
    for (const arrivals::message& each : events_[index(to)].messages)
      EXPECT_EQ(each.number, (come[{each.from, to}]++)) << "from " << each.from << " to " << to;
  }
  EXPECT_EQ(come, sent);
}

TEST_F(two_levels, payloads_come_from_whom_they_are_awaited) {
  std::array<std::array<std::uint32_t, processes>, processes> got{};
  std::array<std::array<std::uint32_t, processes>, processes> values{};
  std::array<std::array<network_operation, processes>, processes> in, out;
  for (int a = 0; a < processes; ++a) {
    for (int b = 0; b < processes; ++b) {
      if (a == b) continue;
      std::uint32_t& value = values[index(a)][index(b)];
      value = static_cast<std::uint32_t>(10 * a + b + 1);
      net(b).receive(in[index(a)][index(b)], a, 3, &got[index(a)][index(b)], sizeof value);
      if ((a + b) % 2 == 0)
        net(a).send(out[index(a)][index(b)], b, 3, &value, sizeof value);
      else
        net(a).send_short(out[index(a)][index(b)], b, 3, &value, sizeof value);
    }
  }
  settle();
  EXPECT_EQ(got, values);
  EXPECT_EQ(near_calls_[0].receives, 1);
  EXPECT_EQ(far_calls_[0].receives, 3);
}

TEST_F(two_levels, a_receive_is_taken_back_where_it_was_posted) {
  network_operation near, far;
  std::uint32_t nothing = 0;
  ASSERT_FALSE(net(0).receive(near, 2, 3, &nothing, sizeof nothing));
  ASSERT_FALSE(net(0).receive(far, 1, 3, &nothing, sizeof nothing));
  const bool is_near_done = net(0).cancel(near);
  EXPECT_EQ(near_calls_[0].cancels, 1);
  EXPECT_EQ(far_calls_[0].cancels, 0);
  const bool is_far_done = net(0).cancel(far);
  EXPECT_EQ(near_calls_[0].cancels, 1);
  EXPECT_EQ(far_calls_[0].cancels, 1);
  settle();
  EXPECT_TRUE(is_near_done || events_[0].has_ended(near));
  EXPECT_TRUE(is_far_done || events_[0].has_ended(far));
  EXPECT_TRUE(near.cancelled && far.cancelled);
  // The same operation, now the other way.
  ASSERT_FALSE(net(0).receive(near, 1, 3, &nothing, sizeof nothing));
  net(0).cancel(near);
  EXPECT_EQ(far_calls_[0].cancels, 2);
}

TEST_F(two_levels, neither_keeps_the_other_waiting) {
  send_number(1, 0, 77);
  for (std::uint32_t i = 0; i < 100; ++i) send_number(2, 0, i);
  int polls = 0;
  const auto has_come_from = [&](int process) {
    return std::any_of(events_[0].messages.begin(), events_[0].messages.end(),
                       [&](const arrivals::message& each) { return each.from == process; });
  };
  for (; !has_come_from(1) && polls < 100; ++polls) EXPECT_TRUE(poll(0));
  EXPECT_LE(polls, two_level_network::most_near_in_a_row + 1) << "the far one, while the near one never ends";

  settle();
  events_[0].messages.clear();
  send_number(2, 0, 0);
  for (std::uint32_t i = 0; i < 100; ++i) send_number(1, 0, i);
  for (polls = 0; !has_come_from(2) && polls < 100; ++polls) poll(0);
  EXPECT_LE(polls, 2) << "the near one, while the far one never ends";
}

TEST_F(two_levels, far_is_looked_at_less_often_where_that_takes_long_in_vain) {
  far_calls_[0].poll_ns = 100'000;
  far_calls_[0].polls = near_calls_[0].polls = 0;
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(poll(0));
  EXPECT_EQ(near_calls_[0].polls, 500);
  EXPECT_GT(far_calls_[0].polls, 0);
  EXPECT_LT(far_calls_[0].polls, 250);  // some are longer than others, where cores are lost or ThreadSanitizer watches
  far_calls_[alone].polls = 0;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(poll(alone));
  EXPECT_EQ(far_calls_[alone].polls, 100) << "a process without near ones has nothing else to look at";
}

TEST_F(two_levels, a_failure_of_one_is_that_of_both_and_told_once) {
  shared_failure::has_come(failure_.get(), "the first");
  shared_failure::has_come(failure_.get(), "the second");
  EXPECT_EQ(reports_, std::vector<std::string>{"the first"});
  network_operation op;
  std::uint32_t data = 0;
  const auto sends = [&] { return far_calls_[0].sends + near_calls_[0].sends; };
  const auto others = [&] {
    return far_calls_[0].receives + near_calls_[0].receives + far_calls_[0].cancels + near_calls_[0].cancels +
           far_calls_[0].polls + near_calls_[0].polls;
  };
  for (const int to : {1, 2}) {
    EXPECT_FALSE(net(0).send_message(op, to, 1, &data, sizeof data));
    EXPECT_FALSE(net(0).send(op, to, 1, &data, sizeof data));
    EXPECT_FALSE(net(0).send_short(op, to, 1, &data, sizeof data));
    EXPECT_FALSE(net(0).receive(op, to, 1, &data, sizeof data));
    EXPECT_FALSE(net(0).cancel(op));
  }
  EXPECT_FALSE(poll(0));
  EXPECT_EQ(sends(), 0);
  EXPECT_EQ(others(), 0);
}

TEST(shared_failures, are_told_once_whichever_threads_they_come_from) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> reports{0};
    shared_failure failure([](void* count, const char*) { ++*static_cast<std::atomic<int>*>(count); }, &reports);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { shared_failure::has_come(&failure, "lost"); });
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(failure.is_there());
    EXPECT_EQ(reports, 1);
  }
}

TEST_F(two_levels, none_sleeps_until_it_is_woken_where_some_are_far) {
  near_calls_[0].descriptor = 12;
  far_calls_[0].descriptor = 13;
  EXPECT_EQ(net(0).wake_descriptor(), -1);
  EXPECT_EQ(net(alone).wake_descriptor(), -1);
  net(0).arm();
  net(0).disarm();
  EXPECT_EQ(near_calls_[0].arms + near_calls_[0].disarms, 0);
}

TEST_F(two_levels, the_starter_and_the_end_are_the_far_ones) {
  net(0).look_at_starter();
  EXPECT_EQ(far_calls_[0].looks_at_starter, 1);
  EXPECT_EQ(near_calls_[0].looks_at_starter, 0);
  net(0).finalize(0);
  EXPECT_EQ(far_calls_[0].ends, 1);
  EXPECT_EQ(near_calls_[0].ends, 0);
}

TEST(two_levels_all_near, the_far_one_is_not_looked_at_and_sleep_is_the_near_ones) {
  loopback_world far(2), near(2);
  std::array<lent_network::calls, 2> far_calls, near_calls;
  std::vector<std::unique_ptr<two_level_network>> nets;
  for (int process = 0; process < 2; ++process) {
    const auto at = static_cast<std::size_t>(process);
    nets.push_back(std::make_unique<two_level_network>(
        std::make_unique<lent_network>(far.end(process), far_calls[at]),
        std::make_unique<lent_network>(near.end(process), near_calls[at]), std::vector<int>{0, 1},
        network_limits{1000, 512, 4096}, std::make_shared<shared_failure>(nullptr, nullptr)));
  }
  near_calls[0].descriptor = 12;
  EXPECT_EQ(nets[0]->wake_descriptor(), 12);
  nets[0]->arm();
  EXPECT_EQ(near_calls[0].arms, 1);
  nets[0]->disarm();
  EXPECT_EQ(near_calls[0].disarms, 1);
  network_operation sending;
  const std::uint32_t number = 5;
  nets[1]->send_message(sending, 0, 7, &number, sizeof number);
  arrivals events;
  for (int i = 0; i < 20; ++i) nets[0]->poll(events);
  ASSERT_EQ(events.messages.size(), 1u);
  EXPECT_EQ(events.messages[0].from, 1);
  EXPECT_EQ(far_calls[0].polls, 0);
}

}  // namespace
}  // namespace pure::core
