// The match engine by itself: two or three ranks whose engines one thread drives by hand, so that every interleaving
// is exactly the one that the test names.
#include "match/match_engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

settings small_rings() {
  settings values;
  values.eager_limit_bytes = 256;
  values.ring_bytes = 4096;
  return values;
}

class match_engine_test : public testing::Test {
 protected:
  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }

  static envelope from(int rank, int tag, std::uint32_t context = 0) { return {context, rank, tag}; }

  /// An eager message of one int.
  bool send_now(int sender, int receiver, int tag, int value) {
    return engine(sender).sender().try_send_now(receiver, from(sender, tag), &value, sizeof value);
  }

  struct posted {
    std::vector<char> data;
    receive_op op{{}, 0, any_source, any_tag};
    [[nodiscard]] int value() const {
      int v = 0;
      std::memcpy(&v, data.data(), sizeof v);
      return v;
    }
  };
  void post(posted& r, int receiver, int source, int tag, std::size_t bytes = sizeof(int), std::uint32_t context = 0) {
    r.data.assign(bytes, '?');
    r.op = receive_op({r.data.data(), bytes, nullptr}, context, source, tag);
    engine(receiver).receiver().start(r.op);
  }

  void start(send_op& op, int sender, int receiver, int tag, const std::vector<char>& data) {
    op.data = data.data();
    op.bytes = data.size();
    op.who = from(sender, tag);
    op.to = receiver;
    engine(sender).sender().start(op);
  }

  job job_{small_rings(), std::vector<wait_policy>(3), failure_action::throw_to_caller, attach_services};
};

TEST_F(match_engine_test, a_message_completes_a_receive_that_waits) {
  posted r;
  post(r, 1, 0, 5);
  EXPECT_FALSE(engine(1).receiver().test(r.op));
  EXPECT_TRUE(send_now(0, 1, 5, 42));
  EXPECT_TRUE(engine(1).receiver().test(r.op));
  EXPECT_EQ(r.value(), 42);
  EXPECT_EQ(r.op.result.source, 0);
  EXPECT_EQ(r.op.result.tag, 5);
  EXPECT_EQ(r.op.result.bytes, sizeof(int));
}

TEST_F(match_engine_test, a_receive_finds_a_message_that_waits) {
  send_now(0, 1, 5, 42);
  posted r;
  post(r, 1, 0, 5);
  EXPECT_TRUE(r.op.done) << "at once";
  EXPECT_EQ(r.value(), 42);
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), 0U) << "straight from the ring";
}

// receive_now() is for what comes from another process: here rank 0 plays that, whose ring to rank 1 it is.
TEST_F(match_engine_test, what_comes_past_the_ring_goes_to_the_first_posted_receive) {
  ring& way = engine(1).receiver().mail().connect(0);
  const auto arrives = [&](int tag, int value, std::uint32_t context = 0) {
    std::byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return engine(1).receiver().receive_now(way, from(0, tag, context), bytes, sizeof bytes);
  };
  EXPECT_FALSE(arrives(5, 1)) << "nobody has ever received from there";
  posted other, any, named;
  post(other, 1, 2, any_tag);
  post(any, 1, any_source, 5);
  post(named, 1, 0, any_tag);
  EXPECT_FALSE(arrives(5, 1, 7)) << "of another communicator";
  EXPECT_TRUE(arrives(5, 41)) << "the one that was posted first";
  EXPECT_TRUE(any.op.done);
  EXPECT_EQ(any.value(), 41);
  EXPECT_EQ(any.op.result.source, 0);
  EXPECT_EQ(any.op.result.tag, 5);
  EXPECT_EQ(any.op.result.bytes, sizeof(int));
  EXPECT_TRUE(arrives(6, 42));
  EXPECT_TRUE(engine(1).receiver().test(named.op));
  EXPECT_EQ(named.value(), 42);
  EXPECT_FALSE(arrives(5, 43)) << "no receive is left for it";
  EXPECT_FALSE(other.op.done);
  post(named, 1, 0, any_tag);
  EXPECT_TRUE(arrives(8, 44)) << "the list is as it should be";
  EXPECT_EQ(named.value(), 44);
}

TEST_F(match_engine_test, what_comes_past_the_ring_overtakes_nothing) {
  ring& way = engine(1).receiver().mail().connect(0);
  const std::byte bytes[sizeof(int)]{};
  posted first, second;
  post(first, 1, 0, any_tag);
  post(second, 1, 0, any_tag);
  send_now(0, 1, 9, 1);  // in the ring
  EXPECT_FALSE(engine(1).receiver().receive_now(way, from(0, 5), bytes, sizeof bytes));
  EXPECT_TRUE(engine(1).receiver().test(first.op));
  EXPECT_EQ(first.op.result.tag, 9);
  EXPECT_TRUE(engine(1).receiver().receive_now(way, from(0, 5), bytes, sizeof bytes));
  EXPECT_TRUE(engine(1).receiver().test(second.op));
  EXPECT_EQ(second.op.result.tag, 5);
}

TEST_F(match_engine_test, what_comes_past_the_ring_is_not_cut) {
  ring& way = engine(1).receiver().mail().connect(0);
  const std::byte bytes[sizeof(int)]{};
  posted small;
  post(small, 1, 0, 5, 2);
  EXPECT_FALSE(engine(1).receiver().receive_now(way, from(0, 5), bytes, sizeof bytes));
  EXPECT_FALSE(small.op.done);
  EXPECT_EQ(small.data, std::vector<char>(2, '?'));
}

TEST_F(match_engine_test, messages_before_the_wanted_one_are_set_aside) {
  for (int tag = 0; tag < 5; ++tag) send_now(0, 1, tag, 100 + tag);
  posted r;
  post(r, 1, 0, 3);
  EXPECT_TRUE(engine(1).receiver().test(r.op));
  EXPECT_EQ(r.value(), 103);
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), 3U) << "tag 4 is still in the ring";
  for (const int tag : {any_tag, 4, 2, any_tag}) {
    post(r, 1, 0, tag);
    EXPECT_TRUE(engine(1).receiver().test(r.op));
    EXPECT_EQ(r.op.result.tag, r.value() - 100);
  }
  EXPECT_EQ(r.value(), 101) << "the oldest that was left";
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), 0U);
}

TEST_F(match_engine_test, early_messages_come_before_those_in_the_ring) {
  send_now(0, 1, 7, 1);
  send_now(0, 1, 8, 2);
  posted r;
  post(r, 1, 0, 8);  // sets tag 7 aside
  ASSERT_TRUE(engine(1).receiver().test(r.op));
  send_now(0, 1, 7, 3);
  post(r, 1, 0, 7);
  ASSERT_TRUE(r.op.done);
  EXPECT_EQ(r.value(), 1);
  post(r, 1, any_source, any_tag);
  ASSERT_TRUE(r.op.done);
  EXPECT_EQ(r.value(), 3);
}

TEST_F(match_engine_test, receives_are_satisfied_in_the_order_of_posting) {
  std::array<posted, 4> r;
  post(r[0], 1, any_source, 5);
  post(r[1], 1, 0, any_tag);
  post(r[2], 1, 0, 5);
  post(r[3], 1, any_source, any_tag);
  for (int i = 0; i < 4; ++i) send_now(0, 1, 5, i);
  for (posted& each : r) EXPECT_TRUE(engine(1).receiver().test(each.op));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(r[static_cast<std::size_t>(i)].value(), i);
}

TEST_F(match_engine_test, an_older_receive_that_does_not_match_is_passed_over) {
  std::array<posted, 3> r;
  post(r[0], 1, 2, any_tag);  // another source
  post(r[1], 1, any_source, 6);
  post(r[2], 1, any_source, any_tag);
  send_now(0, 1, 5, 50);
  EXPECT_TRUE(engine(1).receiver().test(r[2].op));
  EXPECT_FALSE(engine(1).receiver().test(r[0].op));
  EXPECT_FALSE(engine(1).receiver().test(r[1].op));
  send_now(0, 1, 6, 60);
  send_now(2, 1, 6, 61);
  EXPECT_TRUE(engine(1).receiver().test(r[0].op));
  EXPECT_TRUE(engine(1).receiver().test(r[1].op));
  EXPECT_EQ(r[0].value(), 61);
  EXPECT_EQ(r[1].value(), 60);
}

TEST_F(match_engine_test, contexts_never_meet) {
  posted other, same;
  post(other, 1, any_source, any_tag, sizeof(int), 7);
  post(same, 1, any_source, any_tag);
  send_now(0, 1, 5, 42);
  EXPECT_FALSE(engine(1).receiver().test(other.op));
  EXPECT_TRUE(engine(1).receiver().test(same.op));
}

TEST_F(match_engine_test, any_source_starves_nobody) {
  std::array<int, 3> served{};
  for (int i = 0; i < 100; ++i) {
    if (i == 0) {
      for (int k = 0; k < 10; ++k) {
        for (const int sender : {0, 2}) send_now(sender, 1, 0, sender);
      }
    }
    posted r;
    post(r, 1, any_source, any_tag);
    ASSERT_TRUE(engine(1).receiver().test(r.op));
    ++served[static_cast<std::size_t>(r.value())];
    send_now(r.value(), 1, 0, r.value());  // whoever was served sends again: the other must still get its turn
  }
  EXPECT_GE(served[0], 30);
  EXPECT_GE(served[2], 30);
}

TEST_F(match_engine_test, a_withdrawn_receive_matches_nothing) {
  std::array<posted, 3> r;
  post(r[0], 1, 0, 5);
  post(r[1], 1, any_source, 5);
  post(r[2], 1, 0, 5);
  engine(1).receiver().withdraw(r[0].op);
  engine(1).receiver().withdraw(r[1].op);
  send_now(0, 1, 5, 1);
  EXPECT_TRUE(engine(1).receiver().test(r[2].op));
  EXPECT_EQ(r[2].value(), 1);
  EXPECT_FALSE(r[0].op.done);
  EXPECT_FALSE(r[1].op.done);
  post(r[0], 1, 0, 5);  // the lists are whole
  engine(1).receiver().withdraw(r[0].op);
  post(r[1], 1, 0, 5);
  send_now(0, 1, 5, 2);
  EXPECT_TRUE(engine(1).receiver().test(r[1].op));
}

TEST_F(match_engine_test, a_full_ring_refuses_then_queues_in_order) {
  int accepted = 0;
  while (send_now(0, 1, 0, accepted)) ++accepted;
  EXPECT_GT(accepted, 32);
  EXPECT_LT(accepted, 64) << "4 KiB hold 64 lines";

  std::vector<std::vector<char>> data;
  std::array<send_op, 100> queued;
  for (int i = 0; i < 100; ++i) {
    const int value = accepted + i;
    data.emplace_back(sizeof value);
    std::memcpy(data.back().data(), &value, sizeof value);
  }
  for (std::size_t i = 0; i < queued.size(); ++i) start(queued[i], 0, 1, 0, data[i]);
  EXPECT_FALSE(engine(0).sender().test(queued[0]));
  posted r;
  for (int i = 0; i < 10; ++i) {
    post(r, 1, 0, 0);
    ASSERT_TRUE(engine(1).receiver().test(r.op));
    EXPECT_EQ(r.value(), i);
  }
  EXPECT_FALSE(send_now(0, 1, 0, -1)) << "nothing overtakes the queue, even if there is room again";
  for (int i = 10; i < accepted + 100; ++i) {
    engine(0).advance();
    post(r, 1, 0, 0);
    ASSERT_TRUE(engine(1).receiver().test(r.op)) << i;
    EXPECT_EQ(r.value(), i);
  }
  for (send_op& each : queued) EXPECT_TRUE(engine(0).sender().test(each));
  EXPECT_TRUE(send_now(0, 1, 0, 0));
}

TEST_F(match_engine_test, a_sender_that_waits_gets_room_though_nothing_is_received) {
  int sent = 0;
  while (send_now(0, 1, 1, sent)) ++sent;
  const std::vector<char> last(100, 'z');
  send_op op;
  start(op, 0, 1, 2, last);
  EXPECT_FALSE(engine(0).sender().test(op));
  engine(1).advance();  // the receiver waits for something else
  EXPECT_TRUE(engine(0).sender().test(op));
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), static_cast<std::size_t>(sent));
  posted r;
  post(r, 1, 0, 2, 100);
  EXPECT_TRUE(engine(1).receiver().test(r.op));
  EXPECT_EQ(r.data, last);
  for (int i = 0; i < sent; ++i) {
    post(r, 1, 0, 1);
    ASSERT_TRUE(r.op.done);
    EXPECT_EQ(r.value(), i);
  }
}

TEST_F(match_engine_test, a_large_message_keeps_its_place_among_small_ones) {
  const std::vector<char> large(100'000, 'L');
  send_now(0, 1, 5, 1);
  send_op op;
  start(op, 0, 1, 5, large);
  send_now(0, 1, 5, 3);
  EXPECT_FALSE(engine(0).sender().test(op));
  posted r;
  post(r, 1, 0, 5);
  ASSERT_TRUE(r.op.done);
  EXPECT_EQ(r.value(), 1);
  // One thread plays both ends: only what the receiver copies alone ends here, so it asks for less than is shared.
  post(r, 1, 0, 5, 1000);
  ASSERT_TRUE(r.op.done);
  EXPECT_EQ(r.op.result.error, errc::truncate);
  EXPECT_EQ(r.op.result.sent_bytes, large.size());
  EXPECT_EQ(r.data, std::vector<char>(1000, 'L'));
  EXPECT_TRUE(engine(0).sender().test(op)) << "its buffer is free";
  post(r, 1, 0, 5);
  ASSERT_TRUE(r.op.done);
  EXPECT_EQ(r.value(), 3);
}

TEST_F(match_engine_test, large_messages_can_be_set_aside) {
  const std::vector<char> first(10'000, '1'), second(20'000, '2');
  send_op a, b;
  start(a, 0, 1, 1, first);
  start(b, 0, 1, 2, second);
  posted r;
  post(r, 1, any_source, 2, 20'000);
  EXPECT_TRUE(engine(1).receiver().test(r.op));
  EXPECT_EQ(r.data, second);
  EXPECT_TRUE(engine(0).sender().test(b));
  EXPECT_FALSE(engine(0).sender().test(a));
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), 1U);
  post(r, 1, 0, any_tag, 10'000);
  EXPECT_TRUE(r.op.done);
  EXPECT_EQ(r.data, first);
  EXPECT_TRUE(engine(0).sender().test(a));
}

TEST_F(match_engine_test, a_rank_sends_to_itself) {
  const std::vector<char> large(300'000, 'S');
  send_op op;
  start(op, 1, 1, 0, large);
  send_now(1, 1, 1, 7);
  posted r;
  post(r, 1, any_source, 1);
  EXPECT_TRUE(engine(1).receiver().test(r.op));
  post(r, 1, 1, 0, large.size());
  EXPECT_TRUE(r.op.done);
  EXPECT_EQ(r.data, large);
  EXPECT_TRUE(engine(1).sender().test(op));
}

TEST_F(match_engine_test, many_early_messages_are_warned_of_once_with_their_senders) {
  settings values = small_rings();
  values.unexpected_warn = 10;
  job warned{values, std::vector<wait_policy>(2), failure_action::throw_to_caller, attach_services};
  message_sender& sender = match_engine::of(warned.at(0)).sender();
  message_receiver& receiver = match_engine::of(warned.at(1)).receiver();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(sender.try_send_now(1, from(0, i), &i, sizeof i));
  int last = -1;
  receive_op op({&last, sizeof last, nullptr}, 0, 0, 24);
  receiver.start(op);
  EXPECT_TRUE(receiver.test(op));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("rank 1 holds 10 messages"), std::string::npos) << said;
  EXPECT_NE(said.find("10 from rank 0"), std::string::npos) << said;
  EXPECT_EQ(said.find("holds"), said.rfind("holds")) << said;
  EXPECT_EQ(receiver.unexpected_messages(), 24U);
}

TEST_F(match_engine_test, a_closed_engine_delivers_nothing) {
  posted r;
  post(r, 1, 0, 5);
  send_now(0, 1, 5, 42);
  engine(1).close();
  engine(1).advance();
  EXPECT_FALSE(r.op.done);
  EXPECT_EQ(r.data, std::vector<char>(sizeof(int), '?'));
  engine(0).close();
}

}  // namespace
}  // namespace pure::core
