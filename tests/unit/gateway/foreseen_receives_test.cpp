// Receives that are posted before the envelope of their message is here: a twin for each mutation of
// tests/model/streams.pml (tests/gateway/mutations.py), and what each way has to give in the end.
#include "gateway/foreseen_receives.hpp"

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

/// Ranks 0 and 1, of two processes, and a stream of large messages from 0 to 1 with tag 1. Runs are in runs_test.cpp.
class foreseen_test : public testing::Test {
 protected:
  static constexpr int tag = 1;
  static constexpr std::size_t large = two_processes::large;

  explicit foreseen_test(const std::string& without = "runs") : two_(hand_driven(without)) {}
  void SetUp() override { ASSERT_TRUE(two_.start_stream(0, 1, tag)); }

  /// Posted, and in the network.
  test_receive& expect(int with_tag = tag) {
    const std::size_t before = two_.world.posted(1);
    test_receive& posted = two_.receive(1, 0, with_tag, large);
    EXPECT_EQ(two_.world.posted(1), before + 1) << "the receive expects its message";
    return posted;
  }
  /// Process 0 hears what has been dealt with in process 1.
  void tell() {
    const test_message aside{.tag = 50, .bytes = 8};
    two_.send(1, 0, aside, {.is_synchronous = true});  // in a packet, whatever else may travel bare
    ASSERT_TRUE(two_.gets(two_.receive(0, 1, aside), aside));
  }
  /// The receive of each, one after the other; where the first are posted already, these.
  void receive_all(const std::vector<test_message>& sent, const std::vector<test_receive*>& posted) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      test_receive& its = i < posted.size() ? *posted[i] : two_.receive(1, 0, tag, large);
      EXPECT_TRUE(two_.gets(its, sent[i])) << "message " << i;
    }
  }
  std::vector<test_message> send_some(int count, std::size_t bytes = large) {
    std::vector<test_message> sent;
    for (int i = 0; i < count; ++i) {
      sent.push_back(two_.next(tag, bytes));
      two_.send(0, 1, sent.back());
    }
    return sent;
  }

  two_processes two_;
};

TEST_F(foreseen_test, a_large_message_goes_straight_to_its_receive) {
  test_receive& posted = expect();
  two_.world.hold_messages(0, 1);
  const test_message what = two_.next(tag);
  two_.send(0, 1, what);
  EXPECT_TRUE(two_.gets(posted, what)) << "before its envelope is here";
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_test, a_receive_that_expects_gets_a_short_message_too) {
  test_receive& posted = expect();
  const test_message what = two_.next(tag, 40);
  two_.send(0, 1, what);
  EXPECT_TRUE(two_.gets(posted, what));
  EXPECT_EQ(two_.world.posted(1), 0U);
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_test, one_with_less_room_than_the_longest_does_not_expect) {
  test_receive& posted = two_.receive(1, 0, tag, large - 1);
  EXPECT_EQ(two_.world.posted(1), 0U);
  const test_message what = two_.next(tag, large - 1);
  two_.send(0, 1, what);
  EXPECT_TRUE(two_.gets(posted, what));
}

TEST_F(foreseen_test, one_that_is_withdrawn_leaves_the_message_to_the_next) {
  test_receive& posted = expect();
  EXPECT_TRUE(two_.engine(1).receiver().withdraw(posted.op));
  EXPECT_EQ(two_.world.posted(1), 0U);
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_test, a_longer_message_than_all_before_finds_its_receive) {
  test_receive& posted = two_.receive(1, 0, tag, 3 * large);
  EXPECT_EQ(two_.world.posted(1), 1U);
  const test_message what = two_.next(tag, 3 * large);
  two_.send(0, 1, what);
  EXPECT_TRUE(two_.gets(posted, what));
}

// ---- the mutations of streams.pml ----

TEST_F(foreseen_test, a_tag_is_not_used_again_before_the_message_before_is_dealt_with) {
  test_receive& posted = expect();
  two_.world.hold_messages(0, 1);
  std::vector<test_message> sent = send_some(1, 40);
  for (const test_message& each : send_some(2 * streams::tags_of_each)) sent.push_back(each);
  two_.settle();
  EXPECT_FALSE(two_.is_done(posted)) << "its message is not here";
  two_.world.hold_messages(0, 1, false);
  receive_all(sent, {&posted});
}

TEST_F(foreseen_test, a_packet_is_not_dealt_with_while_a_receive_that_it_ends_is_taken_back) {
  test_receive& posted = expect();
  two_.world.hold_cancels(1);
  std::vector<test_message> sent{two_.next(tag, 40)};
  two_.send(0, 1, sent[0], {.is_synchronous = true});  // not bare
  two_.settle();
  ASSERT_NO_FATAL_FAILURE(tell());
  for (const test_message& each : send_some(2 * streams::tags_of_each)) sent.push_back(each);
  two_.settle();
  EXPECT_FALSE(two_.is_done(posted));
  two_.world.hold_cancels(1, false);
  receive_all(sent, {&posted});
}

TEST_F(foreseen_test, nor_is_a_message_without_envelope) {
  const test_message before = two_.next(tag, 40);  // gives the envelope its tag
  ASSERT_TRUE(two_.exchange(0, 1, before));
  test_receive* posted = nullptr;
  for (int i = 0; i < 20 && two_.world.posted(1) == 0; ++i) {  // after one in vain, some expect none
    if (posted != nullptr) {
      const test_message what = two_.next(tag);
      two_.send(0, 1, what);
      ASSERT_TRUE(two_.gets(*posted, what));
    }
    posted = &two_.receive(1, 0, tag, large);
  }
  ASSERT_EQ(two_.world.posted(1), 1U);
  two_.world.hold_cancels(1);
  std::vector<test_message> sent = send_some(1, 40);
  ASSERT_NE(two_.world.last_message(0).tag, envelope_cache::none) << "it travels bare";
  two_.settle();
  ASSERT_NO_FATAL_FAILURE(tell());
  for (const test_message& each : send_some(2 * streams::tags_of_each)) sent.push_back(each);
  two_.settle();
  EXPECT_FALSE(two_.is_done(*posted));
  two_.world.hold_cancels(1, false);
  receive_all(sent, {posted});
}

TEST_F(foreseen_test, a_message_waits_until_its_receive_is_taken_back) {
  test_receive& first = expect();
  test_receive& second = two_.receive(1, 0, tag, large);
  two_.world.hold_cancels(1);
  const std::vector<test_message> sent = send_some(2, 40);
  two_.settle();
  EXPECT_FALSE(two_.is_done(second)) << "before the first";
  two_.world.hold_cancels(1, false);
  EXPECT_TRUE(two_.gets(first, sent[0]));
  EXPECT_TRUE(two_.gets(second, sent[1]));
}

TEST_F(foreseen_test, messages_wait_for_each_of_several_that_are_taken_back) {
  ASSERT_TRUE(two_.start_stream(0, 1, tag + 1));
  test_receive& first = expect();
  test_receive& second = expect(tag + 1);
  two_.world.hold_cancels(1);
  const test_message one = two_.next(tag, 40), other = two_.next(tag + 1, 40);
  two_.send(0, 1, one);
  two_.send(0, 1, other);
  two_.settle();
  EXPECT_FALSE(two_.is_done(first));
  EXPECT_FALSE(two_.is_done(second));
  two_.world.hold_cancels(1, false);
  EXPECT_TRUE(two_.gets(first, one));
  EXPECT_TRUE(two_.gets(second, other));
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_test, a_receive_does_not_expect_while_there_are_messages_for_it) {
  const test_message before{.tag = 9, .bytes = 40, .seed = 99};
  two_.send(0, 1, before);
  const test_message what = two_.next(tag, 40);
  two_.send(0, 1, what);
  two_.settle();  // both are in the ring of the pair
  test_receive& posted = two_.receive(1, 0, tag, large);
  EXPECT_TRUE(two_.gets(posted, what));
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, before), before));
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_test, what_has_come_before_its_envelope_is_counted) {
  two_.world.hold_messages(0, 1);
  for (int i = 0; i < 3; ++i) {
    test_receive& posted = expect();
    const test_message what = two_.next(tag);
    two_.send(0, 1, what);
    EXPECT_TRUE(two_.gets(posted, what)) << "payload " << i << ", without an envelope";
  }
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

/// A receive that is withdrawn when its message has been announced, whose bytes are held: it gets them.
class foreseen_announced_test : public foreseen_test {
 protected:
  test_receive& withdraw_in_vain(const test_message& what) {
    test_receive& posted = expect();
    two_.world.hold_payloads(0, 1);
    two_.world.hold_cancels(1);
    two_.send(0, 1, what);
    EXPECT_FALSE(two_.engine(1).receiver().withdraw(posted.op)) << "its message has been announced";
    return posted;
  }
  void let_all_happen() {
    two_.world.hold_cancels(1, false);
    two_.settle();
    two_.world.hold_payloads(0, 1, false);
  }
};

TEST_F(foreseen_announced_test, its_receive_is_posted_again) {
  const test_message what = two_.next(tag);
  test_receive& posted = withdraw_in_vain(what);
  let_all_happen();
  EXPECT_TRUE(two_.gets(posted, what));
  EXPECT_TRUE(two_.exchange(0, 1, two_.next(tag)));
}

TEST_F(foreseen_announced_test, its_tag_is_not_told_to_be_free_before) {
  std::vector<test_message> sent{two_.next(tag)};
  std::vector<test_receive*> posted{&withdraw_in_vain(sent[0])};
  ASSERT_NO_FATAL_FAILURE(tell());
  for (const test_message& each : send_some(2 * streams::tags_of_each)) sent.push_back(each);
  for (std::size_t i = 1; i < sent.size(); ++i) posted.push_back(&two_.receive(1, 0, tag, large));
  two_.settle();
  let_all_happen();
  receive_all(sent, posted);
}

}  // namespace
}  // namespace pure::core
