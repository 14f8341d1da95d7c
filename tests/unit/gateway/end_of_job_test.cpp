// The end of a job of several processes, and what a lost process does to the others.
#include "gateway/end_of_job.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gateway/gateway.hpp"
#include "match/unreceived.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

class end_of_job_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small, large = two_processes::large;

  void end_mains() {
    for (int process = 0; process < 2; ++process) two_.gateway_of(process).own_mains_have_returned();
  }
  [[nodiscard]] bool has_ended(int process) { return two_.gateway_of(process).all_mains_have_returned(); }
  [[nodiscard]] bool has_ended() {
    return two_.until([&] { return has_ended(0) && has_ended(1); });
  }
  [[nodiscard]] std::size_t unreceived(int rank) { return two_.engine(rank).unreceived().size(); }

  two_processes two_{hand_driven()};
};

TEST_F(end_of_job_test, comes_when_the_mains_of_all_have_returned) {
  ASSERT_TRUE(two_.exchange(0, 1, two_.next(1)));
  two_.gateway_of(0).own_mains_have_returned();
  two_.settle();
  EXPECT_FALSE(has_ended(0));
  two_.gateway_of(1).own_mains_have_returned();
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(unreceived(0) + unreceived(1), 0U);
}

TEST_F(end_of_job_test, one_process_serves_the_other_until_then) {
  two_.gateway_of(1).own_mains_have_returned();
  const test_message what = two_.next(1);
  test_receive& posted = two_.receive(1, 0, what);  // as of a request that its main has not waited for
  test_send& sent = two_.send(0, 1, what);
  EXPECT_TRUE(two_.gets(posted, what));
  EXPECT_TRUE(two_.completes(sent));
  two_.gateway_of(0).own_mains_have_returned();
  EXPECT_TRUE(has_ended());
}

TEST_F(end_of_job_test, waits_for_messages_that_are_on_their_way) {
  two_.world.hold_messages(0, 1);
  two_.send(0, 1, two_.next(1, small));
  end_mains();
  two_.settle();
  EXPECT_FALSE(has_ended(1));
  two_.world.hold_messages(0, 1, false);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(unreceived(1), 1U);
}

TEST_F(end_of_job_test, waits_for_sends_that_the_network_has_not_taken) {
  two_.world.hold_sends(0);
  two_.send(0, 1, two_.next(1, small));
  end_mains();
  two_.settle();
  EXPECT_FALSE(has_ended(0));
  two_.world.hold_sends(0, false);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(unreceived(1), 1U);
}

TEST_F(end_of_job_test, waits_for_payloads) {
  two_.world.hold_payloads(0, 1);
  test_send& sent = two_.send(0, 1, two_.next(1));
  end_mains();
  two_.settle();
  EXPECT_FALSE(has_ended(0));
  EXPECT_FALSE(has_ended(1));
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(has_ended());
  EXPECT_TRUE(two_.is_done(sent));
}

TEST_F(end_of_job_test, large_messages_that_nobody_has_received_are_dropped) {
  std::vector<test_send*> sent;
  for (int i = 0; i < 20; ++i) sent.push_back(&two_.send(0, 1, two_.next(i, i % 2 == 0 ? large : 10 * large)));
  end_mains();
  EXPECT_TRUE(has_ended());
  for (test_send* const each : sent) EXPECT_TRUE(two_.is_done(*each));
  EXPECT_EQ(two_.world.posted(1), 0U);
}

TEST_F(end_of_job_test, receives_that_expect_are_taken_back) {
  ASSERT_TRUE(two_.start_stream(0, 1, 1));
  test_receive& posted = two_.receive(1, 0, 1, large);
  ASSERT_EQ(two_.world.posted(1), 1U);
  two_.world.hold_cancels(1);
  end_mains();
  two_.settle();
  EXPECT_FALSE(has_ended(1)) << "the network still has its memory";
  two_.world.hold_cancels(1, false);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(two_.world.posted(1), 0U);
  EXPECT_FALSE(two_.is_done(posted));
}

TEST_F(end_of_job_test, messages_of_a_run_arrive_before_it) {
  ASSERT_TRUE(two_.start_run(0, 1, {1}));
  two_.world.hold_payloads(0, 1);
  test_send& sent = two_.send(0, 1, two_.next(1));
  end_mains();
  two_.settle();
  EXPECT_FALSE(has_ended(1)) << "its count is one of all messages";
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(has_ended());
  EXPECT_TRUE(two_.is_done(sent));
  EXPECT_EQ(two_.world.posted(1), 0U);
  EXPECT_EQ(unreceived(1), 1U);
}

TEST_F(end_of_job_test, what_is_left_behind_it_does_not_leave) {
  end_mains();
  ASSERT_TRUE(has_ended());
  const std::size_t packets = two_.world.messages_sent(0);
  two_.gateway_of(0).send_control_message(1, "too late");
  two_.send(0, 1, two_.next(1, small));
  two_.settle();
  EXPECT_EQ(two_.world.messages_sent(0), packets);
  EXPECT_TRUE(two_.gateway_of(1).take_control_messages().empty());
  EXPECT_EQ(unreceived(0), 1U) << "it is in the ring of its sender";
}

// ---- a lost process ----

/// Ranks 0 and 1 in processes that stay, and 2 in one that is lost, with which both have talked.
class lost_process_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small, large = two_processes::large;
  static constexpr int lost = 2;
  void SetUp() override {
    for (const int rank : {0, 1}) {
      ASSERT_TRUE(three_.start_stream(rank, lost, 1));
      ASSERT_TRUE(three_.start_stream(lost, rank, 1));
    }
  }

  two_processes three_{hand_driven(), 3, 3};
};

TEST_F(lost_process_test, the_others_go_on) {
  test_receive& from_lost = three_.receive(0, lost, 1, large);  // expects
  ASSERT_EQ(three_.world.posted(0), 1U);
  three_.world.lose(lost);
  test_send& short_one = three_.send(0, lost, three_.next(2, small));
  test_send& long_one = three_.send(0, lost, three_.next(1));
  test_send& synchronous = three_.send(1, lost, three_.next(2, small), {.is_synchronous = true});
  three_.gateway_of(1).send_control_message(lost, "are you there?");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(three_.exchange(0, 1, three_.next(1, i % 2 == 0 ? small : large)));
    EXPECT_TRUE(three_.exchange(1, 0, three_.next(1, i % 3 == 0 ? small : large)));
  }
  EXPECT_TRUE(three_.is_done(short_one)) << "the network had it";
  EXPECT_FALSE(three_.is_done(long_one));
  EXPECT_FALSE(three_.is_done(synchronous));
  EXPECT_FALSE(three_.is_done(from_lost));
}

TEST_F(lost_process_test, a_run_to_it_stops) {
  ASSERT_TRUE(three_.start_run(0, lost, {1}));
  three_.world.lose(lost);
  for (int i = 0; i < 40; ++i) three_.send(0, lost, three_.next(1));
  three_.settle();
  EXPECT_TRUE(three_.exchange(0, 1, three_.next(1)));
  EXPECT_TRUE(three_.exchange(1, 0, three_.next(1)));
}

TEST_F(lost_process_test, the_job_does_not_end) {
  three_.world.lose(lost);
  for (const int process : {0, 1}) three_.gateway_of(process).own_mains_have_returned();
  three_.settle();
  EXPECT_FALSE(three_.gateway_of(0).all_mains_have_returned());
  EXPECT_TRUE(three_.exchange(0, 1, three_.next(1))) << "and messages still travel";
}

}  // namespace
}  // namespace pure::core
