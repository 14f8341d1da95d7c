// The parts of an aggregation: buffers and their classes, the inbox, counts of a phase, waves, the end of a rank's
// part.
#include "aggregation/aggregation_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "aggregation/item_inbox.hpp"
#include "aggregation/phase_counts.hpp"
#include "aggregation/spare_buffers.hpp"
#include "aggregation/termination_waves.hpp"
#include "support/simulated_processes.hpp"

namespace {

using namespace pure::core;

TEST(aggregation_parts, classes_of_buffers_hold_what_is_asked_for) {
  for (std::size_t bytes = 1; bytes <= item_buffer::most_bytes; ++bytes) {
    const std::uint8_t number = item_buffer::class_for(bytes);
    ASSERT_LT(number, item_buffer::classes);
    ASSERT_GE(item_buffer::bytes_of_class(number), bytes);
    if (number > 0) {
      ASSERT_LT(item_buffer::bytes_of_class(number - 1U), bytes);
    }
  }
  EXPECT_EQ(sizeof(items_for_rank) + item_buffer::most_bytes, most_packet_bytes);
  EXPECT_EQ(packet_items(packet_kind::ww, 8), 2168U);
}

TEST(aggregation_parts, spare_buffers_come_round) {
  common_buffers common;
  spare_buffers sender(common), receiver(common);
  std::vector<item_buffer*> all;
  for (int i = 0; i < 100; ++i) all.push_back(&sender.take(2));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
  for (item_buffer* const each : all) receiver.give(*each);
  int known = 0;
  std::vector<item_buffer*> again;
  for (int i = 0; i < 84; ++i) {  // but for the 16 that the receiver keeps
    again.push_back(&sender.take(2));
    known += std::binary_search(all.begin(), all.end(), again.back()) ? 1 : 0;
  }
  EXPECT_EQ(known, 84) << "a flow in one direction allocates nothing, once it flows";
  for (item_buffer* const each : again) sender.give(*each);
}

TEST(aggregation_parts, the_inbox_keeps_the_order_of_each_sender) {
  constexpr std::uint32_t senders = 3, pushes = 20'000;
  item_inbox inbox;
  std::vector<std::vector<item_buffer*>> made(senders);  // before: so that pushes meet
  for (std::uint32_t sender = 0; sender < senders; ++sender) {
    for (std::uint32_t i = 0; i < pushes; ++i) {
      made[sender].push_back(new_buffer(0));
      made[sender].back()->source = static_cast<std::int32_t>(sender);
      made[sender].back()->count = i;
    }
  }
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> ready{0}, at_work{senders};
  for (std::uint32_t sender = 0; sender < senders; ++sender) {
    threads.emplace_back([&, sender] {
      ++ready;
      while (ready < senders) std::this_thread::yield();
      for (std::size_t i = 0; i < made[sender].size(); ++i) {
        inbox.push(*made[sender][i]);                // it is the receiver's from here on
        if (i % 64 == 0) std::this_thread::yield();  // so that it is taken from meanwhile
      }
      --at_work;
    });
  }
  std::vector<std::uint32_t> next(senders);
  std::uint32_t taken = 0;
  for (bool is_last = false; !is_last;) {
    is_last = at_work == 0;
    item_buffer* const first = inbox.take();
    if (first == nullptr) std::this_thread::yield();
    for (item_buffer* each = first; each != nullptr; each = each->next, ++taken)
      EXPECT_EQ(each->count, next[static_cast<std::size_t>(each->source)]++);
    delete_buffers(first);
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(taken, senders * pushes) << "none is lost";
  EXPECT_FALSE(inbox.has_some());
}

TEST(aggregation_parts, a_phase_ends_when_all_are_quiet_and_all_is_handled) {
  phase_counts counts(3);
  std::size_t first_active = 0;
  EXPECT_FALSE(counts.look(1, first_active));
  counts.of(0).publish_sent(4);
  counts.of(0).publish_quiet(1, 0);
  counts.of(1).publish_quiet(1, 3);
  EXPECT_FALSE(counts.look(1, first_active));
  EXPECT_EQ(first_active, 2U);
  counts.of(2).publish_quiet(1, 0);
  ASSERT_TRUE(counts.look(1, first_active));
  EXPECT_FALSE(counts.look(1, first_active)->are_equal()) << "one is under way";
  counts.of(2).publish_active();
  EXPECT_FALSE(counts.look(1, first_active));
  counts.of(2).publish_quiet(1, 1);
  EXPECT_TRUE(counts.look(1, first_active)->are_equal());
  EXPECT_FALSE(counts.look(2, first_active)) << "that is of the phase before";
}

/// One item is always under way. Read in the other order, what is handled would be as much as what is sent, or more.
TEST(aggregation_parts, what_is_handled_is_read_before_what_is_sent) {
  phase_counts counts(1);
  rank_counts& rank = counts.of(0);
  rank.publish_sent(1);
  rank.publish_quiet(1, 0);
  std::atomic<bool> is_over{false};
  std::thread busy([&] {
    for (std::uint64_t items = 1; !is_over; ++items) {
      rank.publish_sent(items + 1);
      rank.publish_quiet(1, items);
    }
  });
  std::size_t first_active = 0;
  int mistakes = 0;
  for (int looks = 0; looks < 1'000'000; ++looks) {
    const auto found = counts.look(1, first_active);
    mistakes += found->handled >= found->sent ? 1 : 0;
  }
  is_over = true;
  busy.join();
  EXPECT_EQ(mistakes, 0);
}

TEST(aggregation_parts, the_first_wave_never_decides) {
  termination_waves zero(0, 2), one(1, 2);
  const auto round = [&](const phase_counts::sums& at_zero, const phase_counts::sums& at_one) {
    termination_waves::step step = zero.quiet(1, at_zero);
    if (!step.pass_on) return step.has_ended;
    one.receive(*step.pass_on);
    step = one.quiet(1, at_one);
    zero.receive(*step.pass_on);
    return false;
  };
  EXPECT_FALSE(round({.handled = 1, .sent = 1}, {.handled = 1, .sent = 1}));
  EXPECT_FALSE(round({1, 1}, {1, 1})) << "the second wave begins";
  EXPECT_TRUE(round({1, 1}, {1, 1}));
  EXPECT_FALSE(one.quiet(2, {1, 1}).pass_on) << "no token of phase 2 is here";
  EXPECT_TRUE(zero.quiet(2, {1, 1}).pass_on);
}

TEST(aggregation_parts, waves_do_not_end_a_phase_with_items_under_way) {
  termination_waves zero(0, 2), one(1, 2);
  const auto wave = [&](const phase_counts::sums& at_zero, const phase_counts::sums& at_one) {
    termination_waves::step step = zero.quiet(1, at_zero);
    if (!step.pass_on) return step.has_ended;
    one.receive(*step.pass_on);
    zero.receive(*one.quiet(1, at_one).pass_on);
    return false;
  };
  // Process 1 has sent an item that process 0 handles between the waves, and its handler sends another one.
  EXPECT_FALSE(wave({0, 0}, {0, 1}));
  EXPECT_FALSE(wave({1, 1}, {0, 1}));
  EXPECT_FALSE(wave({1, 1}, {1, 1}));
  EXPECT_FALSE(wave({1, 1}, {1, 1}));
  EXPECT_TRUE(wave({1, 1}, {1, 1}));
}

TEST(aggregation_parts, pushed_buffers_that_nobody_takes_are_freed) {
  test_support::bare_job one(1);
  auto* const part = new aggregation_part({{0, 0}}, 0, std::vector{0}, {.name = "left"}, nullptr);
  part->at(0).inbox.push(*new_buffer(1));
  part->leave(0);  // the last reference: under the address sanitizer nothing is lost
}

}  // namespace
