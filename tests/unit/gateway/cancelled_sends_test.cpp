// Sends that their rank wants back: before they have left, from the ring of their receiver, from behind it, and when
// they have matched. (From behind a run: runs_test.cpp.)
#include <gtest/gtest.h>

#include <vector>

#include "gateway/gateway.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

class cancelled_send_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small, large = two_processes::large;

  /// Both complete, and the next message finds nothing of them.
  void expect_taken_back(test_send& sent) {
    ASSERT_TRUE(two_.completes(sent));
    EXPECT_TRUE(sent.op.is_taken_back);
    expect_next();
  }
  void expect_next() {
    const test_message next = two_.next(1);
    two_.send(0, 1, next);
    EXPECT_TRUE(two_.gets(two_.receive(1, 0, any_tag, large), next)) << "and nothing before it";
    two_.settle();
    EXPECT_EQ(two_.world.posted(1), 0U);
  }

  two_processes two_{hand_driven()};
};

TEST_F(cancelled_send_test, before_it_has_left) {
  for (const std::size_t bytes : {small, large}) {
    ASSERT_TRUE(two_.gateway_of(0).try_keep_network());
    test_send& sent = two_.send(0, 1, two_.next(1, bytes), {.is_synchronous = true});
    EXPECT_TRUE(two_.engine(0).sender().cancel(sent.op)) << "nobody has to be asked";
    two_.gateway_of(0).let_network_go();
    expect_next();
  }
}

TEST_F(cancelled_send_test, after_it_has_come) {
  for (const std::size_t bytes : {small, large}) {
    test_send& sent = two_.send(0, 1, two_.next(1, bytes), {.is_synchronous = true});
    two_.settle();
    EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op));
    expect_taken_back(sent);
  }
}

TEST_F(cancelled_send_test, a_large_one_that_nobody_waits_for) {
  test_send& sent = two_.send(0, 1, two_.next(1));
  two_.settle();
  EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op));
  EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op)) << "it is asked back once";
  expect_taken_back(sent);
}

TEST_F(cancelled_send_test, when_it_has_matched) {
  for (const std::size_t bytes : {small, large}) {
    const test_message what = two_.next(1, bytes);
    test_send& sent = two_.send(0, 1, what, {.is_synchronous = true});
    two_.world.hold_messages(1, 0);  // its sender does not hear of it
    test_receive& posted = two_.receive(1, 0, what);
    EXPECT_TRUE(two_.gets(posted, what));
    EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op));
    two_.world.hold_messages(1, 0, false);
    ASSERT_TRUE(two_.completes(sent));
    EXPECT_FALSE(sent.op.is_taken_back);
    expect_next();
  }
}

TEST_F(cancelled_send_test, one_that_waits_for_room_at_its_receiver) {
  for (const std::size_t bytes : {small, large}) {
    std::vector<test_message> before;
    for (int i = 0; i < 30; ++i) {
      before.push_back(two_.next(2, 250));
      two_.send(0, 1, before.back());
    }
    test_send& sent = two_.send(0, 1, two_.next(1, bytes), {.is_synchronous = true});
    for (int i = 0; i < 60; ++i) two_.gateway_of(1).poll(nullptr);  // its rank takes nothing off its ring
    EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op));
    for (int i = 0; i < 60; ++i) {
      two_.gateway_of(1).poll(nullptr);
      two_.gateway_of(0).poll(nullptr);
    }
    EXPECT_TRUE(two_.is_done(sent));
    EXPECT_TRUE(sent.op.is_taken_back);
    for (const test_message& each : before) EXPECT_TRUE(two_.gets(two_.receive(1, 0, each), each));
    expect_next();
  }
}

TEST_F(cancelled_send_test, while_its_envelope_is_on_its_way) {
  for (const std::size_t bytes : {small, large}) {
    two_.world.hold_messages(0, 1);
    test_send& sent = two_.send(0, 1, two_.next(1, bytes), {.is_synchronous = true});
    EXPECT_FALSE(two_.engine(0).sender().cancel(sent.op));
    two_.settle();
    EXPECT_FALSE(two_.is_done(sent)) << "it is not decided";
    two_.world.hold_messages(0, 1, false);
    expect_taken_back(sent);
  }
}

/// A send completes before anybody has looked that it is wanted back, and the next one has its claim.
TEST_F(cancelled_send_test, none_but_the_one_that_was_asked_back) {
  for (const std::size_t bytes : {small, large}) {
    const test_message what = two_.next(1, bytes);
    test_send& sent = two_.send(0, 1, what, {.is_synchronous = true});
    EXPECT_TRUE(two_.gets(two_.receive(1, 0, what), what));
    send_claim* const claim = sent.op.claim;
    const claimed_send asked_back = claim->of_now();
    ASSERT_TRUE(two_.completes(sent));
    const test_message next = two_.next(2, bytes);
    test_send& not_cancelled = two_.send(0, 1, next, {.is_synchronous = true});
    ASSERT_EQ(not_cancelled.op.claim, claim) << "the claim is not used again: this shows nothing";
    two_.gateway_of(0).ask_back(two_.rank(0), asked_back);  // is only seen now
    two_.settle();
    EXPECT_TRUE(two_.gets(two_.receive(1, 0, next), next)) << "it was taken back";
    EXPECT_TRUE(two_.completes(not_cancelled));
    EXPECT_FALSE(not_cancelled.op.is_taken_back);
    expect_next();
  }
}

TEST_F(cancelled_send_test, one_of_many) {
  std::vector<test_message> messages;
  std::vector<test_send*> sent;
  for (int i = 0; i < 12; ++i) {
    messages.push_back(two_.next(1, i % 2 == 0 ? small : large));
    sent.push_back(&two_.send(0, 1, messages.back(), {.is_synchronous = true}));
  }
  two_.settle();
  for (std::size_t i = 0; i < sent.size(); i += 3) EXPECT_FALSE(two_.engine(0).sender().cancel(sent[i]->op));
  two_.settle();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const bool is_cancelled = i % 3 == 0;
    if (!is_cancelled) {
      EXPECT_TRUE(two_.gets(two_.receive(1, 0, 1, large), messages[i])) << i;
    }
    EXPECT_TRUE(two_.completes(*sent[i])) << i;
    EXPECT_EQ(sent[i]->op.is_taken_back, is_cancelled) << i;
  }
}

}  // namespace
}  // namespace pure::core
