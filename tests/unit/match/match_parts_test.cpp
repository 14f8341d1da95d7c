// The parts of the match engine, each without the others: what it counts, and in which order it gives.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "match/message_streams.hpp"
#include "match/offered_sends.hpp"
#include "match/posted_receives.hpp"
#include "match/unexpected_messages.hpp"

namespace pure::core {
namespace {
namespace parts {  // apart from the helpers of other files, which are compiled together with these

envelope of(int source, int tag, std::uint32_t context = 0) { return {context, source, tag}; }

// ---- posted receives ----

class posted_receives_test : public testing::Test {
 protected:
  static receive_op receive(int from, int tag) { return receive_op({}, 0, from, tag); }
  receive_op* first(const envelope& who) {
    return posted_.find(named_, who, [](receive_op&) { return false; }).at.entry;
  }
  posted_receives posted_{false};
  posted_receives::queue named_;
};

TEST_F(posted_receives_test, the_first_of_both_queues_is_the_one_that_was_pushed_first) {
  receive_op older = receive(any_source, 1), named = receive(0, 1), younger = receive(any_source, 1);
  posted_.push_from_any(older);
  posted_.push(named_, named);
  posted_.push_from_any(younger);
  for (receive_op* const expected : {&older, &named, &younger}) {
    const posted_receives::place found = posted_.find(named_, of(0, 1), [](receive_op&) { return false; });
    ASSERT_EQ(found.at.entry, expected);
    EXPECT_EQ(&posted_.take(found), expected);
  }
  EXPECT_EQ(first(of(0, 1)), nullptr);
}

TEST_F(posted_receives_test, one_that_expects_another_message_is_asked) {
  receive_op expecting = receive(0, 1), behind = receive(0, 1);
  int not_looked_at = 0;
  expecting.arriving = reinterpret_cast<arriving_message*>(&not_looked_at);
  posted_.push(named_, expecting);
  posted_.push(named_, behind);
  EXPECT_EQ(first(of(0, 1)), &behind);
  EXPECT_EQ(posted_.find(named_, of(0, 1), [](receive_op&) { return true; }).at.entry, &expecting);
}

TEST_F(posted_receives_test, nobody_is_alone_exactly_while_one_from_any_source_is_posted) {
  receive_op a = receive(any_source, 1), b = receive(any_source, 2), c = receive(any_source, 3), named = receive(0, 1);
  posted_.push(named_, named);
  EXPECT_FALSE(posted_.is_never_alone());
  for (receive_op* const each : {&a, &b, &c}) posted_.push_from_any(*each);
  EXPECT_TRUE(posted_.is_first_from_any(a));
  posted_.pop_first_from_any();
  posted_.take(posted_.find(named_, of(1, 2), [](receive_op&) { return false; }));
  EXPECT_TRUE(posted_.is_never_alone());
  posted_.remove_from_any(c);
  EXPECT_FALSE(posted_.is_never_alone());
  EXPECT_EQ(posted_.size_from_any(), 0U);
  posted_.push_from_any(a);
  posted_.pop_first_from_any();
  EXPECT_FALSE(posted_.is_never_alone());
  posted_.push_from_any(a);
  posted_.close();
  EXPECT_FALSE(posted_.is_never_alone());
  EXPECT_TRUE(posted_receives{true}.is_never_alone()) << "where messages are checked";
}

// ---- unexpected messages ----

class unexpected_queue_test : public testing::Test {
 protected:
  static unexpected_message& message(int tag, send_claim* claim = nullptr) {
    unexpected_message* const made = unexpected_message::make(0);
    made->who = of(0, tag);
    if (claim != nullptr) made->claim = {*claim, false};
    return *made;
  }
  unexpected_total total_{4};
  unexpected_queue queue_{total_}, others_{total_};
};

TEST_F(unexpected_queue_test, a_warning_is_due_at_the_limit_and_then_at_four_times_as_many) {
  std::vector<std::size_t> said;
  for (std::size_t i = 1; i <= 70; ++i) {
    if ((i % 2 == 0 ? queue_ : others_).push(message(0))) said.push_back(i);
  }
  EXPECT_EQ(said, (std::vector<std::size_t>{4, 16, 64}));
  EXPECT_EQ(total_.count(), 70U);
  EXPECT_EQ(queue_.count(), 35U);
}

TEST_F(unexpected_queue_test, counts_are_right_whichever_way_a_message_goes) {
  send_claim cancelled, open;
  cancelled.open();
  open.open();
  ASSERT_TRUE(cancelled.withdraw());
  queue_.push(message(1, &cancelled));
  queue_.push(message(1, &open));
  queue_.push(message(2));
  EXPECT_EQ(queue_.find(0, 7).entry, nullptr);
  EXPECT_EQ(queue_.count(), 3U);
  ASSERT_NE(queue_.find(0, 1).entry, nullptr);
  EXPECT_TRUE(queue_.find(0, 1).entry->claim.is_of(open)) << "the one before was cancelled";
  EXPECT_EQ(queue_.count(), 2U);
  unexpected_message* const taken = queue_.take(0, any_tag);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->who.tag, 1);
  EXPECT_TRUE(open.is_taken());
  EXPECT_TRUE(cancelled.is_disposed());
  unexpected_message::destroy(taken);
  unexpected_message::destroy(&queue_.unlink(queue_.find(0, 2)));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.count(), 0U);
  EXPECT_EQ(total_.count(), 0U);
  EXPECT_EQ(queue_.take(0, any_tag), nullptr);
}

// ---- offered sends ----

TEST(offered_sends, each_knows_its_place_whichever_is_removed) {
  std::array<send_op, 5> ops;
  offered_sends all;
  for (send_op& each : ops) all.add(each);
  for (const std::size_t i : {0U, 4U}) all.remove(ops[i]);
  EXPECT_EQ(all.count(), 3U);
  std::set<const send_op*> left;
  all.look([&](send_op& op) {  // the rendezvous of none is open: all are finished
    left.insert(&op);
    all.remove(op);
  });
  EXPECT_EQ(left, (std::set<const send_op*>{&ops[1], &ops[2], &ops[3]}));
  EXPECT_TRUE(all.empty());
}

TEST(offered_sends, a_look_ends_all_that_are_finished_though_it_is_at_some_only) {
  constexpr std::size_t many = 100;
  std::vector<send_op> ops(many);  // the rendezvous of none is open: all are finished
  offered_sends all;
  for (send_op& each : ops) all.add(each);
  std::size_t ended = 0;
  const auto end = [&](send_op& op) {
    all.remove(op);
    ++ended;
  };
  EXPECT_TRUE(all.look(end));
  EXPECT_EQ(ended, 32U);
  while (all.look(end)) {
  }
  EXPECT_EQ(ended, many);
}

// ---- streams ----

TEST(message_streams, each_is_there_once_and_by_context_and_tag) {
  message_streams streams;
  const auto count = [&](int tag, std::uint32_t context) {
    int found = 0;
    static_cast<void>(streams.any([&](const envelope& each) {
      found += each.tag == tag && each.context == context ? 1 : 0;
      return false;
    }));
    return found;
  };
  EXPECT_TRUE(streams.empty());
  for (int i = 0; i < 2; ++i) {
    streams.note(of(i, 1));
    streams.note(of(i, 2));
    streams.note(of(i, 1, 9));
  }
  EXPECT_EQ(count(1, 0), 1);
  EXPECT_EQ(count(2, 0), 1);
  EXPECT_EQ(count(1, 9), 1);
  EXPECT_EQ(count(2, 9), 0);
}

}  // namespace parts
}  // namespace
}  // namespace pure::core
