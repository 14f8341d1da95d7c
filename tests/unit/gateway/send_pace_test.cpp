// When a message may wait for others: soon after a send that has taken long, until polls have found nothing, or a
// message has come.
#include "gateway/send_pace.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

constexpr std::int64_t slow_ns = 20'000;  // for a quarter of that the next send is too soon
constexpr int attempts = 200;             // an interrupted one sees nothing

bool send_for(std::int64_t ns) {
  const std::int64_t end = now_ns() + ns;
  while (now_ns() < end) {
  }
  return true;
}

bool slow_send() { return send_for(slow_ns); }

/// Lets the pace know that sends are slow: some of them are measured.
void make_slow(send_pace& pace) {
  for (int i = 0; i < attempts && !pace.is_slow(); ++i) EXPECT_TRUE(pace.measured(8, slow_send));
}

/// In how many attempts a send just after a slow one, and so many polls in vain, is too soon.
int times_too_soon(int polls_in_vain) {
  send_pace pace;
  make_slow(pace);
  int found = 0;
  for (int i = 0; i < attempts; ++i) {
    EXPECT_TRUE(pace.measured(8, slow_send));
    EXPECT_TRUE(pace.is_slow());
    for (int poll = 0; poll < polls_in_vain; ++poll) pace.has_polled_in_vain();
    if (pace.is_too_soon()) ++found;
  }
  return found;
}

TEST(send_pace, a_send_just_after_a_slow_one_is_too_soon) {
  EXPECT_GT(times_too_soon(0), attempts / 4);
  EXPECT_GT(times_too_soon(2), attempts / 4);
}

TEST(send_pace, polls_in_vain_end_that) {
  EXPECT_EQ(times_too_soon(3), 0);
  EXPECT_EQ(times_too_soon(10), 0);
}

TEST(send_pace, a_message_that_has_come_ends_it) {
  send_pace pace;
  make_slow(pace);
  for (int i = 0; i < attempts; ++i) {
    EXPECT_TRUE(pace.measured(8, slow_send));
    pace.has_heard();
    EXPECT_FALSE(pace.is_too_soon());
  }
}

TEST(send_pace, the_first_send_may_have_had_to_connect) {
  send_pace pace;
  EXPECT_TRUE(pace.measured(8, slow_send));
  EXPECT_FALSE(pace.is_slow());
  EXPECT_FALSE(pace.is_too_soon());
}

TEST(send_pace, nothing_is_too_soon_where_sends_are_fast) {
  send_pace pace;
  int slow = 0, soon = 0;
  for (int i = 0; i < attempts; ++i) {
    EXPECT_FALSE(pace.measured(8, [] { return false; }));
    slow += pace.is_slow() ? 1 : 0;
    soon += pace.is_too_soon() ? 1 : 0;
  }
  EXPECT_LT(slow, attempts / 4);  // the clock may have been interrupted
  EXPECT_LT(soon, attempts / 4);
}

/// After how many of the attempts sends of so many bytes, which take so long, are slow.
int times_slow(std::size_t bytes, std::int64_t ns) {
  send_pace pace;
  int slow = 0;
  for (int i = 0; i < attempts; ++i) {
    EXPECT_TRUE(pace.measured(bytes, [ns] { return send_for(ns); }));
    slow += pace.is_slow() ? 1 : 0;
  }
  return slow;
}

TEST(send_pace, the_bytes_take_time_themselves) {
  constexpr std::int64_t ns = 2500;
  EXPECT_GT(times_slow(8, ns), attempts / 2);
  EXPECT_LT(times_slow(4096, ns), attempts / 2);
}

TEST(send_pace, many_bytes_make_no_slow_send_fast) {
  EXPECT_GT(times_slow(4096, 5000), attempts / 2);
  EXPECT_GT(times_slow(16'384, 5000), attempts / 2);
}

}  // namespace
}  // namespace pure::core
