// Thousands of receives and messages in one rank's queues: the engine looks at a few for each, whatever their order.
// Not times are compared, but how many receives and messages it has looked at.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

#include "base/settings.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

class long_queues : public testing::Test {
 protected:
  static constexpr int many = 4000;
  static constexpr std::uint64_t few = 100;  // for each

  struct posted {
    posted(std::uint32_t context, int source, int tag) : op({&value, sizeof value, nullptr}, context, source, tag) {}
    long value = -1;
    receive_op op;
  };

  static settings plain() {
    settings values;
    values.check = false;
    values.eager_limit_bytes = 256;
    values.ring_bytes = 4096;
    return values;
  }
  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }
  message_receiver& receiver() { return engine(1).receiver(); }
  static envelope from(int rank, int tag, std::uint32_t context = 0) { return {context, rank, tag}; }

  posted& post(int source, int tag, std::uint32_t context = 0) {
    posted& made = posted_.emplace_back(context, source, tag);
    receiver().start(made.op);
    return made;
  }
  /// A message whose value is `value`, to rank 1, which takes it out of the ring at once.
  void send(int sender, int tag, long value, std::uint32_t context = 0) {
    ASSERT_TRUE(engine(sender).sender().try_send_now(1, from(sender, tag, context), &value, sizeof value));
    receiver().probe(context, sender, 1 << 30, [](const status&) {});
  }
  long receive(int source, int tag, std::uint32_t context = 0) {
    posted r(context, source, tag);
    receiver().start(r.op);
    EXPECT_TRUE(receiver().test(r.op)) << "tag " << tag;
    if (!r.op.done) receiver().withdraw(r.op);
    return r.value;
  }
  void expect_few_steps() { EXPECT_LE(receiver().match_steps() / many, few); }

  job job_{plain(), std::vector<wait_policy>(3), failure_action::throw_to_caller, attach_services};
  std::deque<posted> posted_;
};

TEST_F(long_queues, receives_whose_messages_come_in_reverse) {
  for (int i = 0; i < many; ++i) post(0, i);
  for (int i = many; i-- > 0;) send(0, i, i);
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(posted_[static_cast<std::size_t>(i)].op.done);
    ASSERT_EQ(posted_[static_cast<std::size_t>(i)].value, i);
  }
  expect_few_steps();
}

TEST_F(long_queues, receives_from_any_source_and_from_one_go_in_their_order) {
  for (int i = 0; i < many; ++i) post(i % 3 == 0 ? any_source : i % 3 == 1 ? 0 : 2, i / 6);
  std::vector<int> of_sender[3];
  for (int tag = many / 6; tag-- > 0;) {
    for (const int sender : {2, 0, 2, 0, 0, 2}) send(sender, tag, sender);
  }
  for (int i = 0; i < many / 6 * 6; ++i) {
    const posted& each = posted_[static_cast<std::size_t>(i)];
    ASSERT_TRUE(each.op.done) << i;
    if (each.op.from != any_source) {
      ASSERT_EQ(each.value, each.op.from);
    } else {  // the first of a tag is posted before all others, the second in their midst
      ASSERT_EQ(each.value, i % 6 == 0 ? 2 : 0) << i;
    }
  }
  expect_few_steps();
}

TEST_F(long_queues, receives_of_any_tag_keep_their_place) {
  for (int i = 0; i < many; ++i) post(0, i % 2 == 0 ? i : any_tag, i % 2 == 0 ? 0 : 1);
  for (int i = many; i-- > 0;) send(0, i, i, i % 2 == 0 ? 0 : 1);
  for (int i = 0; i < many; ++i) {
    const posted& each = posted_[static_cast<std::size_t>(i)];
    ASSERT_EQ(each.value, i % 2 == 0 ? i : many - i) << "of one context by tag, of the other in the order of coming";
  }
  expect_few_steps();
}

TEST_F(long_queues, unexpected_messages_that_are_received_in_reverse) {
  for (int i = 0; i < many; ++i) send(0, i, i);
  ASSERT_EQ(receiver().unexpected_messages(), static_cast<std::size_t>(many));
  for (int i = many; i-- > 0;) ASSERT_EQ(receive(i % 2 == 0 ? 0 : any_source, i), i);
  EXPECT_EQ(receiver().unexpected_messages(), 0U);
  expect_few_steps();
}

TEST_F(long_queues, any_tag_behind_the_messages_of_another_communicator) {
  for (int i = 0; i < many; ++i) send(0, i % 5, i, i < many / 2 ? 0 : 1);
  for (int i = many / 2; i < many; ++i) ASSERT_EQ(receive(0, any_tag, 1), i);
  for (int i = 0; i < many / 2; ++i) ASSERT_EQ(receive(any_source, any_tag), i);
  expect_few_steps();
}

TEST_F(long_queues, probes_in_reverse) {
  for (int i = 0; i < many; ++i) send(0, i, i);
  for (int i = many; i-- > 0;) {
    status seen;
    ASSERT_TRUE(receiver().probe(0, i % 2 == 0 ? 0 : any_source, i, [&](const status& found) { seen = found; }));
    ASSERT_EQ(seen.tag, i);
    if (i % 2 == 0) continue;
    unexpected_message* const taken = receiver().take(0, 0, i);
    ASSERT_NE(taken, nullptr);
    posted r(0, 0, i);
    receiver().receive(*taken, r.op);
    ASSERT_EQ(r.value, i);
  }
  for (int i = 0; i < many; i += 2) ASSERT_EQ(receive(0, any_tag), i);
  expect_few_steps();
}

TEST_F(long_queues, receives_are_withdrawn_in_reverse) {
  for (int i = 0; i < many; ++i) post(i % 2 == 0 ? 0 : any_source, i % 8 < 4 ? 1 : i);
  for (int i = many; i-- > 1;) ASSERT_TRUE(receiver().withdraw(posted_[static_cast<std::size_t>(i)].op));
  send(0, 1, 7);
  EXPECT_EQ(posted_.front().value, 7);
  expect_few_steps();
}

TEST_F(long_queues, large_messages_in_reverse_and_cancelled_ones) {
  std::vector<char> large(1000, 'L');
  std::deque<send_op> sends(many);
  for (int i = 0; i < many; ++i) {
    send_op& op = sends[static_cast<std::size_t>(i)];
    op.data = large.data();
    op.bytes = large.size();
    op.who = from(0, i);
    op.to = 1;
    engine(0).sender().start(op);
    receiver().probe(0, 0, 1 << 30, [](const status&) {});
  }
  for (int i = many; i-- > 0;) {
    if (i % 3 == 0) {
      ASSERT_TRUE(engine(0).sender().cancel(sends[static_cast<std::size_t>(i)]));
    }
  }
  std::vector<char> room(large.size());
  for (int i = many; i-- > 0;) {
    if (i % 3 == 0) continue;
    receive_op op({room.data(), room.size(), nullptr}, 0, 0, i);
    receiver().start(op);
    ASSERT_TRUE(op.done);
    ASSERT_TRUE(engine(0).sender().test(sends[static_cast<std::size_t>(i)]));
  }
  bool is_one_left = receiver().probe(0, 0, any_tag, [](const status&) {});
  EXPECT_FALSE(is_one_left) << "the others were cancelled";
  EXPECT_EQ(receiver().unexpected_messages(), 0U);
  expect_few_steps();
}

TEST_F(long_queues, sends_that_wait_for_room_are_cancelled_in_reverse) {
  const long value = 0;
  std::deque<send_op> sends(many);
  for (send_op& op : sends) {
    op.data = &value;
    op.bytes = sizeof value;
    op.who = from(0, 0);
    op.to = 1;
    engine(0).sender().start(op);
  }
  int cancelled = 0;
  for (int i = many; i-- > 0;) cancelled += engine(0).sender().cancel(sends[static_cast<std::size_t>(i)]) ? 1 : 0;
  EXPECT_GT(cancelled, many / 2);
  for (int i = 0; i < many - cancelled; ++i) EXPECT_EQ(receive(0, 0), 0);
  EXPECT_FALSE(receiver().probe(0, 0, any_tag, [](const status&) {}));
}

TEST_F(long_queues, freed_requests_all_end) {
  requests& table = requests::of(job_.at(1));
  std::vector<long> values(many, -1);
  for (int i = 0; i < many; ++i) {
    handle made = table.start_receive({"irecv", {}}, {&values[static_cast<std::size_t>(i)], sizeof(long), nullptr}, 0,
                                      0, i);
    table.free_request({"free", {}}, made);
  }
  for (int i = many; i-- > 0;) send(0, i, i);
  for (int i = 0; i < many; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
  int calls = 0;
  while (table.advance()) ++calls;
  EXPECT_GE(calls, many / 64) << "a few at a time";
}

TEST_F(long_queues, a_closed_engine_forgets_indexed_queues) {
  for (int i = 0; i < many; ++i) post(i % 2 == 0 ? 0 : any_source, i);
  send(0, many - 2, 1);
  engine(1).close();
  for (posted& each : posted_) EXPECT_TRUE(receiver().withdraw(each.op));
  engine(0).close();
}

}  // namespace
}  // namespace pure::core
