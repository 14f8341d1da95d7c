// What a rank's end of an aggregation counts and keeps, each part by itself: its stages, the accounts of memory and
// credit, and the queues of what has come.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "aggregation/arrival_queues.hpp"
#include "aggregation/memory_account.hpp"
#include "aggregation/pair_credits.hpp"
#include "aggregation/rank_stage.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/open_accounts.hpp"

namespace {

using namespace pure::core;

// ---- stages ---------------------------------------------------------------------------------------------------------

TEST(aggregation_rank_stage, a_finish_ends_a_phase_and_nothing_else_does) {
  rank_stage of;
  EXPECT_TRUE(of.is(rank_stage::stage::open));
  EXPECT_EQ(of.phase(), 1U);
  of.begin_finish();
  EXPECT_TRUE(of.moves_items());
  for (int i = 0; i < 3; ++i) {
    of.become_quiet();
    EXPECT_FALSE(of.moves_items());
    of.become_active();
  }
  EXPECT_EQ(of.phase(), 1U);
  of.end_finish();
  EXPECT_TRUE(of.is(rank_stage::stage::open));
  EXPECT_EQ(of.phase(), 2U);
}

TEST(aggregation_rank_stage, what_has_failed_is_not_closed) {
  rank_stage of;
  of.begin_finish();
  of.fail();
  EXPECT_FALSE(of.moves_items());
  of.close();
  EXPECT_TRUE(of.is(rank_stage::stage::failed));
  rank_stage other;
  other.close();
  EXPECT_TRUE(other.is(rank_stage::stage::closed));
  EXPECT_FALSE(other.moves_items());
}

// ---- memory and credit ----------------------------------------------------------------------------------------------

constexpr std::size_t largest = item_buffer::bytes_with_head(item_buffer::classes - 1);

TEST(aggregation_memory_account, counts_from_opening_to_coming_back) {
  const std::atomic<std::size_t> waiting{0};
  memory_account of(2 * largest, waiting);
  of.open_buffer(600);
  of.open_buffer(300);
  of.open_packet(1000);
  EXPECT_EQ(of.in_use(), 1900U);
  EXPECT_TRUE(of.has_open());
  of.drop_buffer(300);
  of.push_buffer();
  EXPECT_EQ(of.open_buffers(), 0U);
  EXPECT_TRUE(of.has_open()) << "the packet";
  of.push_packet(1000);
  EXPECT_FALSE(of.has_open());
  EXPECT_EQ(of.in_use(), 600U) << "until it is handled";
  of.come_back(600);
  open_accounts open;
  of.add_open_accounts(open);
  EXPECT_EQ(open.text(), "");
}

TEST(aggregation_memory_account, has_room_for_one_of_the_largest_and_not_for_a_byte_more) {
  std::atomic<std::size_t> waiting{0};
  memory_account of(largest + 100, waiting);
  of.open_buffer(100);
  EXPECT_TRUE(of.has_room_for_another());
  waiting = 1;
  EXPECT_FALSE(of.has_room_for_another()) << "packets that wait for the network count";
  waiting = largest - 1;
  EXPECT_FALSE(of.is_at_cap());
  waiting = largest;
  EXPECT_TRUE(of.is_at_cap());
}

/// What has come back, and nobody has looked at, is no peak.
TEST(aggregation_memory_account, has_its_peak_behind_a_look_at_what_has_come_back) {
  const std::atomic<std::size_t> waiting{0};
  memory_account of(500, waiting);
  int looks = 0;
  const auto note = [&](std::size_t back) {
    of.note_peak([&] {
      ++looks;
      of.come_back(back);
    });
  };
  of.open_buffer(400);
  note(100);
  EXPECT_EQ(of.peak_bytes(), 300U);
  EXPECT_EQ(of.over_cap_bytes(), 0U);
  of.drop_buffer(100);
  note(0);
  EXPECT_EQ(looks, 1) << "only where it may be higher";
  of.open_buffer(301);
  note(0);
  EXPECT_EQ(of.peak_bytes(), 501U);
  EXPECT_EQ(of.over_cap_bytes(), 1U);
}

struct credits_of_two {
  std::atomic<std::size_t> waiting{0};
  memory_account memory{1 << 20, waiting};
  std::array<pair_credit, 2> given_back;
  pair_credits of{2, given_back.data(), memory};
  item_buffer buffer;

  void push(std::size_t receiver) {
    memory.open_buffer(buffer.whole_bytes());
    memory.push_buffer();
    of.push(receiver, buffer);
  }
};

TEST(aggregation_pair_credits, four_are_all_and_five_are_too_many) {
  credits_of_two credits;
  for (int i = 0; i < 3; ++i) credits.push(1);
  EXPECT_FALSE(credits.of.are_all_used(1));
  credits.push(1);
  EXPECT_TRUE(credits.of.are_all_used(1));
  EXPECT_FALSE(credits.of.are_overdrawn(1));
  credits.push(1);
  EXPECT_TRUE(credits.of.are_overdrawn(1));
  EXPECT_FALSE(credits.of.are_all_used(0)) << "of another receiver";
  credits.given_back[1].give_back(credits.buffer.whole_bytes());
  EXPECT_FALSE(credits.of.are_overdrawn(1));
  EXPECT_TRUE(credits.of.are_all_used(1));
}

TEST(aggregation_pair_credits, what_is_handled_comes_back_to_the_account) {
  credits_of_two credits;
  const std::size_t bytes = credits.buffer.whole_bytes();
  for (const std::size_t receiver : {std::size_t{0}, std::size_t{1}, std::size_t{1}}) {
    credits.push(receiver);
    EXPECT_EQ(credits.buffer.credit, &credits.given_back[receiver]) << "where it is said";
  }
  credits.given_back[1].give_back(bytes);
  EXPECT_EQ(credits.memory.in_use(), 3 * bytes) << "nobody has looked";
  credits.of.look_at_all();
  EXPECT_EQ(credits.memory.in_use(), 2 * bytes);
  open_accounts open;
  credits.of.add_open_accounts(open);
  EXPECT_EQ(open.text(), "1 buffers of a pair under way, 1 buffers of a pair under way");
  for (pair_credit& each : credits.given_back) each.give_back(bytes);
  credits.of.look_at_all();
  EXPECT_EQ(credits.memory.in_use(), 0U);
  EXPECT_EQ(credits.of.under_way(0) + credits.of.under_way(1), 0U);
}

// ---- what has come --------------------------------------------------------------------------------------------------

struct arriving {
  arrival_queues queues;

  /// The number goes by `source`.
  void comes(int number, std::uint32_t channel, std::uint64_t phase, bool is_urgent = false) {
    item_buffer& made = *new_buffer(0);
    made.source = number;
    made.channel = channel;
    made.phase = phase;
    made.is_urgent = is_urgent;
    queues.accept(made);
  }
  std::vector<int> handled(std::uint64_t phase) {
    std::vector<int> numbers;
    while (item_buffer* const each = queues.next_to_handle(phase)) {
      numbers.push_back(each->source);
      delete_buffer(each);
    }
    return numbers;
  }
};

TEST(aggregation_arrival_queues, urgent_ones_first_each_in_its_order) {
  arriving of;
  of.queues.note_channel();
  for (const int number : {1, 2, 3, 4}) of.comes(number, 0, 1, number % 2 == 0);
  EXPECT_EQ(of.queues.count(), 4U);
  EXPECT_EQ(of.handled(1), (std::vector<int>{2, 4, 1, 3}));
  EXPECT_EQ(of.queues.count(), 0U);
  EXPECT_TRUE(of.queues.empty());
}

TEST(aggregation_arrival_queues, the_next_phase_waits_and_what_is_behind_it) {
  arriving of;
  of.queues.note_channel();
  of.comes(1, 0, 1);
  of.comes(2, 0, 2);
  of.comes(3, 0, 2, true);
  EXPECT_TRUE(of.queues.has_some_of(1));
  EXPECT_EQ(of.handled(1), std::vector<int>{1});
  EXPECT_FALSE(of.queues.has_some_of(1));
  EXPECT_FALSE(of.queues.empty());
  EXPECT_EQ(of.handled(2), (std::vector<int>{3, 2}));
}

TEST(aggregation_arrival_queues, channels_that_are_not_made_wait_in_their_order) {
  arriving of;
  of.comes(1, 1, 2);
  of.comes(2, 0, 1);
  of.comes(3, 1, 1);
  EXPECT_EQ(of.queues.count(), 0U);
  EXPECT_TRUE(of.queues.has_early_of(1));
  EXPECT_FALSE(of.queues.has_early_of(0));
  of.queues.note_channel();
  EXPECT_EQ(of.handled(1), std::vector<int>{2});
  EXPECT_TRUE(of.queues.has_early_of(1));
  of.queues.note_channel();
  EXPECT_FALSE(of.queues.has_early_of(2));
  EXPECT_EQ(of.handled(2), (std::vector<int>{1, 3}));
}

}  // namespace
