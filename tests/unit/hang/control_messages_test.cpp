// What processes tell each other of their ranks: it arrives as it was, and the waits get their durations.
#include "hang/control_messages.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hang/warning_pace.hpp"

namespace pure::core {
namespace {

TEST(hang_messages, the_address_of_a_call_arrives_as_what_its_process_calls_it) {
  static const int somewhere = 0;
  const site_of_call site = site_of_call::returning_to(&somewhere);
  rank_state waits;
  waits.now = rank_state::doing::waiting;
  waits.wait = {.what = call("MPI_Recv", site), .waiting_for = "a message from", .peer = 3, .tag = 7};
  byte_packer to;
  add(to, waits, 5000);
  kept_texts texts;
  const std::string bytes = to.bytes();
  byte_unpacker from(bytes);
  const rank_state arrived = rank_state_in(from, 5000, texts);
  EXPECT_FALSE(arrived.wait.what.site.is_address());
  EXPECT_EQ(to_text(arrived.wait.what.site), to_text(site));
  EXPECT_EQ(describe(2, arrived.wait.reason()), describe(2, waits.wait.reason()));
}

TEST(hang_messages, states_arrive_as_they_were) {
  rank_state waits;
  waits.now = rank_state::doing::waiting;
  waits.rests = true;
  waits.sleep = 14;
  waits.wait = {.what = call("pure_recv_msg", pure_call_site("a.cpp", 12)),
                .waiting_for = "a message from",
                .peer = 3,
                .tag = 7,
                .only_peer = true,
                .acts_for_others = false,
                .since_ns = 1000};
  rank_state locks = waits;
  locks.wait.waiting_for = {"lock {number} of \"{name}\" at", "Unlock it."};
  locks.wait.tag = wait_reason::no_tag;
  locks.wait.subject = {.name = std::make_shared<const std::string>("halo"), .number = 9};
  locks.waits_for_holders = true;
  locks.holders = {{2, "lock at b.cpp:1"}, {5, "lock at b.cpp:2"}};
  rank_state finished;
  finished.now = rank_state::doing::finished;
  finished.rests = true;
  byte_packer to;
  add(to, waits, 5000);  // it has waited for 4 us
  add(to, locks, 5000);
  add(to, finished, 5000);
  add(to, std::vector<sleeper>{{1, 14}, {2, 0}});

  kept_texts texts;
  rank_state first, second, third;
  std::vector<sleeper> sleepers;
  {
    const std::string bytes = to.bytes();  // gone before the states are looked at
    byte_unpacker from(bytes);
    first = rank_state_in(from, 904'000, texts);
    second = rank_state_in(from, 904'000, texts);
    third = rank_state_in(from, 904'000, texts);
    sleepers = sleepers_in(from);
    EXPECT_TRUE(from.is_whole());
  }
  EXPECT_EQ(first.now, waits.now);
  EXPECT_TRUE(first.rests);
  EXPECT_EQ(first.sleep, 14U);
  EXPECT_EQ(describe(2, first.wait.reason()),
            "rank 2 waits in pure_recv_msg for a message from rank 3, tag 7, at a.cpp:12");
  EXPECT_TRUE(first.wait.only_peer);
  EXPECT_EQ(first.wait.since_ns, 900'000);
  EXPECT_FALSE(first.waits_for_holders);
  EXPECT_EQ(describe(2, second.wait.reason()),
            "rank 2 waits in pure_recv_msg for lock 9 of \"halo\" at rank 3, at a.cpp:12");
  EXPECT_STREQ(second.wait.waiting_for.advice, "Unlock it.");
  EXPECT_TRUE(second.waits_for_holders);
  EXPECT_EQ(second.holders, locks.holders);
  EXPECT_EQ(third.now, finished.now);
  EXPECT_TRUE(third.rests);
  EXPECT_EQ(sleepers, (std::vector<sleeper>{{1, 14}, {2, 0}}));
}

TEST(warning_pace, warns_at_the_time_out_and_each_time_that_the_wait_has_doubled) {
  constexpr std::int64_t second_ns = warning_pace::second_ns;
  warning_pace pace;
  std::vector<int> warned_at;
  for (int s = 1; s <= 40; ++s) {
    if (pace.is_time(s * second_ns, 3)) warned_at.push_back(s);
  }
  EXPECT_EQ(warned_at, (std::vector<int>{3, 6, 12, 24}));
  EXPECT_FALSE(pace.is_time(1 * second_ns, 3));  // another wait
  EXPECT_TRUE(pace.is_time(3 * second_ns, 3));
  EXPECT_EQ(pace.next_s(), 6);
  warning_pace unasked;
  EXPECT_FALSE(unasked.is_time(9 * second_ns, 0));
  EXPECT_TRUE(unasked.is_time(10 * second_ns, 0));
}

}  // namespace
}  // namespace pure::core
