// When a message may wait for others: soon after a send that has taken long, until polls have found nothing, or a
// message has come.
#include "match/send_pace.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

constexpr std::int64_t slow_ns = 20'000;  // for a quarter of that the next send is too soon
constexpr int attempts = 200;             // an interrupted one sees nothing

bool slow_send() {
  const std::int64_t end = now_ns() + slow_ns;
  while (now_ns() < end) {
  }
  return true;
}

/// That knows sends to be slow: some of them are measured.
void make_slow(send_pace& pace) {
  for (int i = 0; i < attempts && !pace.is_slow(); ++i) EXPECT_TRUE(pace.measured(slow_send));
}

/// In how many attempts a send just after a slow one, and so many polls in vain, is too soon.
int times_too_soon(int polls_in_vain) {
  send_pace pace;
  make_slow(pace);
  int found = 0;
  for (int i = 0; i < attempts; ++i) {
    EXPECT_TRUE(pace.measured(slow_send));
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
    EXPECT_TRUE(pace.measured(slow_send));
    pace.has_heard();
    EXPECT_FALSE(pace.is_too_soon());
  }
}

TEST(send_pace, the_first_send_may_have_had_to_connect) {
  send_pace pace;
  EXPECT_TRUE(pace.measured(slow_send));
  EXPECT_FALSE(pace.is_slow());
  EXPECT_FALSE(pace.is_too_soon());
}

TEST(send_pace, nothing_is_too_soon_where_sends_are_fast) {
  send_pace pace;
  int slow = 0, soon = 0;
  for (int i = 0; i < attempts; ++i) {
    EXPECT_FALSE(pace.measured([] { return false; }));
    slow += pace.is_slow() ? 1 : 0;
    soon += pace.is_too_soon() ? 1 : 0;
  }
  EXPECT_LT(slow, attempts / 4);  // the clock may have been interrupted
  EXPECT_LT(soon, attempts / 4);
}

}  // namespace
}  // namespace pure::core
