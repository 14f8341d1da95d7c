// Runs, messages without envelopes: a twin for each mutation of tests/model/runs.pml (tests/gateway/mutations.py), and
// the ways in which a run's messages are received.
#include "gateway/run_receiver.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

/// Ranks 0 and 1, of two processes. A run goes from 0 to 1, of the tags 1, or 1 and 2.
class runs_test : public testing::Test {
 protected:
  static constexpr int tag = 1, second_tag = 2, other_tag = 8;
  static constexpr std::size_t large = two_processes::large, small = two_processes::small;

  [[nodiscard]] test_message another(int with_tag = other_tag) { return two_.next(with_tag, small); }
  test_receive& receive_anything() { return two_.receive(1, 0, any_tag, large); }
  /// The gateway has posted a receive of its own.
  void wait_for_kept() {
    ASSERT_TRUE(two_.until([&] { return two_.world.posted(1) == 1; }));
  }
  void tell() {
    const test_message aside{.tag = 50, .bytes = 8};
    two_.send(1, 0, aside, {.is_synchronous = true});
    ASSERT_TRUE(two_.gets(two_.receive(0, 1, aside), aside));
  }

  two_processes two_{hand_driven()};
};

TEST_F(runs_test, messages_that_are_alike_and_answered_come_without_packets) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  const std::size_t packets = two_.world.messages_sent(0), payloads = two_.world.payloads_sent(0);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(two_.exchange(0, 1, two_.next(tag))) << i;
  EXPECT_EQ(two_.world.messages_sent(0), packets);
  EXPECT_EQ(two_.world.payloads_sent(0), payloads + 40);
}

TEST_F(runs_test, messages_of_several_pieces_are_in_none) {
  two_processes with_small_pieces(hand_driven(), 2, 2, {}, {.piece_bytes = large - 1});
  EXPECT_FALSE(with_small_pieces.start_run(0, 1, {tag}));
  two_processes with_large_enough_ones(hand_driven(), 2, 2, {}, {.piece_bytes = large});
  EXPECT_TRUE(with_large_enough_ones.start_run(0, 1, {tag}));
}

TEST_F(runs_test, so_do_messages_of_several_streams_in_turn) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag, second_tag, 3}));
  const std::size_t packets = two_.world.messages_sent(0);
  for (int i = 0; i < 40; ++i) {
    for (const int each : {tag, second_tag, 3}) ASSERT_TRUE(two_.exchange(0, 1, two_.next(each))) << i;
  }
  EXPECT_EQ(two_.world.messages_sent(0), packets);
}

TEST_F(runs_test, all_receives_of_a_turn_may_be_posted_before) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag, second_tag}));
  for (int i = 0; i < 20; ++i) {
    const test_message first = two_.next(tag), second = two_.next(second_tag);
    test_receive& of_second = two_.receive(1, 0, second);
    test_receive& of_first = two_.receive(1, 0, first);
    two_.send(0, 1, first);
    two_.send(0, 1, second);
    ASSERT_TRUE(two_.gets(of_first, first)) << i;
    ASSERT_TRUE(two_.gets(of_second, second)) << i;
    ASSERT_TRUE(two_.answer(0, 1));
  }
}

TEST_F(runs_test, a_flood_ends_a_run) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  std::vector<test_message> sent;
  const std::size_t packets = two_.world.messages_sent(0);
  for (int i = 0; i < 40; ++i) {
    sent.push_back(two_.next(tag));
    two_.send(0, 1, sent.back());
  }
  two_.poll(0);
  EXPECT_GT(two_.world.messages_sent(0), packets);
  for (const test_message& each : sent) EXPECT_TRUE(two_.gets(two_.receive(1, 0, each), each));
}

TEST_F(runs_test, messages_with_another_context_do_not_end_one) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  two_.world.hold_payloads(0, 1);
  const test_message of_run = two_.next(tag);
  test_message aside = another();
  aside.context = 3;
  two_.send(0, 1, of_run);
  two_.send(0, 1, aside);
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, aside), aside)) << "they have no order between them";
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(receive_anything(), of_run));
  const std::size_t packets = two_.world.messages_sent(0);
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
  EXPECT_EQ(two_.world.messages_sent(0), packets) << "the run goes on";
}

TEST_F(runs_test, a_longer_message_ends_one) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag, 2 * large)));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(two_.exchange(0, 1, two_.next(tag))) << i;
}

TEST_F(runs_test, shorter_messages_of_a_run_have_their_lengths) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  for (int i = 0; i < 10; ++i) {
    const test_message shorter = two_.next(tag, large - 40 - static_cast<std::size_t>(i));
    test_receive& posted = two_.receive(1, 0, tag, large);
    two_.send(0, 1, shorter);
    ASSERT_TRUE(two_.gets(posted, shorter)) << i;
    ASSERT_TRUE(two_.answer(0, 1));
  }
}

TEST_F(runs_test, a_receive_of_a_run_can_be_withdrawn) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  test_receive& posted = two_.receive(1, 0, tag, large);
  ASSERT_EQ(two_.world.posted(1), 1U);
  EXPECT_TRUE(two_.engine(1).receiver().withdraw(posted.op));
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(runs_test, a_message_behind_one_can_be_asked_back) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  two_.world.hold_payloads(0, 1);
  const test_message of_run = two_.next(tag);
  two_.send(0, 1, of_run);
  test_send& behind = two_.send(0, 1, another(), {.is_synchronous = true});
  two_.settle();
  EXPECT_FALSE(two_.engine(0).sender().cancel(behind.op)) << "the other process has to be asked";
  two_.settle();
  EXPECT_FALSE(two_.is_done(behind)) << "and answers when the run has come";
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(receive_anything(), of_run));
  EXPECT_TRUE(two_.completes(behind));
  EXPECT_TRUE(behind.op.is_taken_back);
}

// ---- the mutations of runs.pml ----

TEST_F(runs_test, a_tag_is_used_again_only_when_it_is_free) {
  test_message last;
  test_receive* its = nullptr;
  ASSERT_TRUE(two_.almost_start_run(0, 1, {tag}, last, its));  // the packet is held, and its receive expects
  std::vector<test_message> sent;
  for (std::uint32_t i = 0; i < 2 * streams::tags_of_each; ++i) {
    sent.push_back(two_.next(tag));
    two_.send(0, 1, sent.back());
    ASSERT_TRUE(two_.answer(0, 1));
  }
  two_.settle();
  EXPECT_FALSE(two_.is_done(*its)) << "its message is in the packet";
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(two_.gets(*its, last));
  for (const test_message& each : sent) EXPECT_TRUE(two_.gets(two_.receive(1, 0, each), each));
}

TEST_F(runs_test, another_message_of_the_pair_waits_for_those_of_the_run) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  two_.world.hold_payloads(0, 1);
  const test_message of_run = two_.next(tag), behind = another();
  two_.send(0, 1, of_run);
  two_.send(0, 1, behind);
  test_receive &first = receive_anything(), &second = receive_anything();
  two_.settle();
  EXPECT_FALSE(two_.is_done(first));
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(first, of_run));
  EXPECT_TRUE(two_.gets(second, behind));
}

TEST_F(runs_test, so_do_all_that_come_after_it) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  two_.world.hold_payloads(0, 1);
  const test_message of_run = two_.next(tag), behind = another(), last = another(9);
  two_.send(0, 1, of_run);
  two_.send(0, 1, behind);
  two_.settle();
  two_.send(0, 1, last);
  test_receive &first = receive_anything(), &second = receive_anything(), &third = receive_anything();
  two_.settle();
  EXPECT_FALSE(two_.is_done(first));
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(first, of_run));
  EXPECT_TRUE(two_.gets(second, behind));
  EXPECT_TRUE(two_.gets(third, last));
}

TEST_F(runs_test, the_gateways_own_receive_goes_when_the_run_ends) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  ASSERT_NO_FATAL_FAILURE(wait_for_kept());
  EXPECT_TRUE(two_.exchange(0, 1, another()));
  EXPECT_EQ(two_.world.posted(1), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(runs_test, its_tag_is_not_free_before_it_has_gone) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  ASSERT_NO_FATAL_FAILURE(wait_for_kept());
  two_.world.hold_cancels(1);
  const test_message end = another(), next = two_.next(tag);
  two_.send(0, 1, end);
  two_.settle();
  ASSERT_NO_FATAL_FAILURE(tell());
  two_.send(0, 1, next);
  two_.settle();
  two_.world.hold_cancels(1, false);
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, end), end));
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, next), next));
}

TEST_F(runs_test, a_message_that_ends_one_waits_until_its_receive_is_taken_back) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  test_receive& first = two_.receive(1, 0, tag, large);
  ASSERT_EQ(two_.world.posted(1), 1U);
  test_receive& second = two_.receive(1, 0, tag, large);
  two_.world.hold_cancels(1);
  const test_message end = another(tag), after = another(tag);
  two_.send(0, 1, end, {.is_synchronous = true});  // a plain one would be of the run
  two_.send(0, 1, after);
  two_.settle();
  EXPECT_FALSE(two_.is_done(second)) << "before the first";
  two_.world.hold_cancels(1, false);
  EXPECT_TRUE(two_.gets(first, end));
  EXPECT_TRUE(two_.gets(second, after));
}

TEST_F(runs_test, a_message_for_which_no_receive_is_posted_comes_all_the_same) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  for (int i = 0; i < 20; ++i) {
    const test_message what = two_.next(tag);
    two_.send(0, 1, what);
    ASSERT_TRUE(two_.gets(receive_anything(), what)) << i << ", with a receive that names no tag";
    ASSERT_TRUE(two_.answer(0, 1));
  }
}

TEST_F(runs_test, no_receive_of_the_gateway_is_posted_after_the_end) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  test_receive& posted = two_.receive(1, 0, tag, large);
  ASSERT_EQ(two_.world.posted(1), 1U);
  const test_message end = another(tag);
  two_.send(0, 1, end, {.is_synchronous = true});
  EXPECT_TRUE(two_.gets(posted, end));
  two_.settle();
  EXPECT_EQ(two_.world.posted(1), 0U);
}

TEST_F(runs_test, messages_of_several_streams_come_in_the_order_of_sending) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag, second_tag}));
  two_.world.hold_payloads(0, 1);
  const test_message first = two_.next(tag), second = two_.next(second_tag);
  two_.send(0, 1, first);
  two_.send(0, 1, second);
  test_receive &one = receive_anything(), &other = receive_anything();
  two_.settle();
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(one, first));
  EXPECT_TRUE(two_.gets(other, second));
}

TEST_F(runs_test, what_comes_before_the_packet_in_which_it_begins_is_counted) {
  test_message last;
  test_receive* its = nullptr;
  for (const int each : {tag, second_tag}) ASSERT_TRUE(two_.start_stream(0, 1, each));
  ASSERT_TRUE(two_.almost_start_run(0, 1, {tag, second_tag}, last, its));
  const test_message early = two_.next(last.tag == tag ? second_tag : tag);
  test_receive& posted = two_.receive(1, 0, early);
  two_.send(0, 1, early);
  EXPECT_TRUE(two_.gets(posted, early)) << "before the packet";
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(two_.gets(*its, last));
  ASSERT_TRUE(two_.answer(0, 1));
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(two_.exchange(0, 1, two_.next(i % 2 == 0 ? last.tag : early.tag))) << i;
  }
  EXPECT_TRUE(two_.exchange(0, 1, another())) << "the end of the run says how many they were";
}

TEST_F(runs_test, the_next_tags_are_left_alone_when_it_ends) {
  ASSERT_TRUE(two_.start_run(0, 1, {tag}));
  test_receive& posted = two_.receive(1, 0, tag, large);
  ASSERT_EQ(two_.world.posted(1), 1U);
  two_.world.hold_messages(0, 1);
  const test_message end = another(), next = two_.next(tag);
  two_.send(0, 1, end);
  two_.send(0, 1, next);
  two_.settle();
  EXPECT_FALSE(two_.is_done(posted)) << "its envelope is behind the end, which is held";
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(two_.gets(posted, next));
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, end), end));
}

}  // namespace
}  // namespace pure::core
