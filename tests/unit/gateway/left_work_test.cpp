// Work that ranks leave for whoever is inside the network: none is missed. A twin for each mutation of
// tests/model/network_lock.pml that is no matter of memory order (tests/gateway/mutations.py).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/thread_sanitizer.hpp"
#include "gateway/gateway.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_receive;
using test_support::two_processes;

/// Ranks 0 and 1 here, 2 and 3 in the other process. Whatever rank 1 does during a send of rank 0 finds the network
/// taken, and is left; the test looks whether it has left when the call of rank 0 returns.
class left_work_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small;

  [[nodiscard]] std::size_t packets() { return two_.world.messages_sent(0); }
  void send_meanwhile() {
    two_.world.during_next_send(0, [this] { two_.send(1, 3, meanwhile_); });
  }
  void expect_both(const test_message& first) {
    EXPECT_TRUE(two_.gets(two_.receive(2, 0, first), first));
    EXPECT_TRUE(two_.gets(two_.receive(3, 1, meanwhile_), meanwhile_));
  }

  two_processes two_{hand_driven(), 4};
  const test_message first_{.tag = 1, .bytes = small, .seed = 1};
  const test_message meanwhile_{.tag = 2, .bytes = small, .seed = 2};
};

TEST_F(left_work_test, a_message_that_is_left_during_a_send_past_the_ring) {
  send_meanwhile();
  two_.send(0, 2, first_);
  EXPECT_EQ(packets(), 2U);
  expect_both(first_);
}

TEST_F(left_work_test, a_message_that_is_left_while_another_rank_does_its_own) {
  send_meanwhile();
  two_.send(0, 2, first_, {.is_synchronous = true});  // by the ring
  EXPECT_EQ(packets(), 2U);
  expect_both(first_);
}

TEST_F(left_work_test, a_message_that_is_left_while_all_work_is_done) {
  send_meanwhile();
  two_.gateway_of(0).send_control_message(1, "something to do");
  EXPECT_EQ(packets(), 2U);
  EXPECT_TRUE(two_.gets(two_.receive(3, 1, meanwhile_), meanwhile_));
}

TEST_F(left_work_test, a_message_that_is_left_by_a_rank_that_has_been_looked_at) {
  constexpr std::size_t most_of_a_packet = 700;
  const test_message second{.tag = 3, .bytes = most_of_a_packet, .seed = 3};
  const test_message third{.tag = 4, .bytes = most_of_a_packet, .seed = 4};
  const test_message late{.tag = 5, .bytes = small, .seed = 5};
  two_.world.during_next_send(0, [&] {
    two_.send(1, 3, second);
    two_.send(1, 3, third);
    two_.world.during_next_send(0, [&] { two_.send(0, 2, late); });  // for the third, the second's packet leaves
  });
  two_.send(0, 2, first_);
  EXPECT_EQ(packets(), 4U);
  EXPECT_TRUE(two_.gets(two_.receive(2, 0, first_), first_));
  EXPECT_TRUE(two_.gets(two_.receive(2, 0, late), late));
  EXPECT_TRUE(two_.gets(two_.receive(3, 1, second), second));
  EXPECT_TRUE(two_.gets(two_.receive(3, 1, third), third));
}

TEST_F(left_work_test, a_receive_that_is_posted_during_a_send_is_an_ordinary_one) {
  const test_message back{.tag = 6, .bytes = small, .seed = 6};
  test_receive* posted = nullptr;
  two_.world.during_next_send(0, [&] { posted = &two_.receive(1, 2, back); });
  two_.send(0, 2, first_);
  ASSERT_NE(posted, nullptr);
  two_.send(2, 1, back);
  EXPECT_TRUE(two_.gets(*posted, back));
}

TEST_F(left_work_test, the_network_can_be_kept) {
  ASSERT_TRUE(two_.gateway_of(0).try_keep_network());
  EXPECT_FALSE(two_.gateway_of(0).try_keep_network()) << "somebody has it";
  const std::size_t before = packets();
  two_.send(0, 2, first_);
  two_.send(1, 3, meanwhile_);
  EXPECT_EQ(packets(), before);
  EXPECT_TRUE(two_.gateway_of(0).is_work_left());
  two_.gateway_of(0).let_network_go();
  EXPECT_EQ(packets(), before + 1) << "both travel together";
  expect_both(first_);
}

/// A rank that leaves some messages, while another thread takes off what it finds, and receives it.
TEST(left_work_by_threads, every_message_leaves_without_a_further_call_of_its_sender) {
  constexpr auto duration = std::chrono::milliseconds(400);
  constexpr auto too_long = std::chrono::seconds(10);
  constexpr std::size_t most_at_once = 4;
  two_processes two(hand_driven("direct"), 2);
  std::atomic<bool> is_over{false};
  std::atomic<std::size_t> received{0};
  std::thread other([&] {
    while (!is_over.load()) {
      two.gateway_of(0).poll(nullptr);
      test_receive& next = two.receive(1, 0, any_tag, sizeof(int));
      while (!two.is_done(next) && !is_over.load()) {
        two.gateway_of(0).poll(nullptr);
        two.gateway_of(1).poll(&two.rank(1));
      }
      received.fetch_add(1);
    }
  });
  const int value = 7;
  std::size_t sent = 0, bursts = 0;
  bool is_missed = false;
  const auto end = std::chrono::steady_clock::now() + duration;
  while (!is_missed && std::chrono::steady_clock::now() < end) {
    const std::size_t at_once = 1 + ++bursts % most_at_once;
    for (std::size_t i = 0; i < at_once; ++i) {
      for (const auto pause = std::chrono::steady_clock::now() + std::chrono::nanoseconds(300 * (bursts % 7));
           std::chrono::steady_clock::now() < pause;) {
      }
      if (two.engine(0).sender().try_send_now(1, {0, 0, 1}, &value, sizeof value)) ++sent;
    }
    const auto latest = std::chrono::steady_clock::now() + too_long;
    while (received.load() < sent && !is_missed) is_missed = std::chrono::steady_clock::now() > latest;
  }
  is_over = true;
  other.join();
  EXPECT_FALSE(is_missed) << "after " << sent << " messages, one stays in its ring";
}

/// Where sends take long, a message that follows soon is left for the watch, which an alarm wakes; it looks twice a
/// second without one.
TEST(left_for_later, an_alarm_comes_for_it) {
  constexpr int most_sends = 3000, wanted = 8;
  settings values = hand_driven();
  values.net_without = "";  // with pacing
  two_processes two(values, 2);
  two.world.take_time(0, std::chrono::microseconds(30));
  job& here = two.job_of(0);
  std::thread watch([&] { here.wait_for_ranks(); });
  const int value = 7;
  int left = 0;
  std::chrono::steady_clock::duration waited{};
  for (int i = 0; i < most_sends && left < wanted; ++i) {
    const std::size_t before = two.world.messages_sent(0);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(two.engine(0).sender().try_send_now(1, {0, 0, 1}, &value, sizeof value));
    if (two.world.messages_sent(0) > before) continue;
    ++left;
    while (two.world.messages_sent(0) == before) {
    }
    waited += std::chrono::steady_clock::now() - start;
  }
  here.rank_returned(two.rank(0));
  watch.join();
  // ThreadSanitizer is slow: the next send may never come within the microseconds in which it would be left.
  if (!runs_under_thread_sanitizer()) {
    EXPECT_EQ(left, wanted);
  }
  EXPECT_LT(waited, std::chrono::seconds(2));
}

}  // namespace
}  // namespace pure::core
