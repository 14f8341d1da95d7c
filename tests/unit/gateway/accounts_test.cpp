// What the gateway counts: each bound is reached, one more is refused, and all comes back to zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/open_accounts.hpp"
#include "gateway/gateway.hpp"
#include "gateway/packet_pool.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::loopback_limits;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

std::string accounts_of(two_processes& all, int process) {
  open_accounts accounts;
  all.gateway_of(process).add_open_accounts(accounts);
  return accounts.text();
}

class accounts_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small, large = two_processes::large;

  void expect_settled() {
    two_.settle();
    for (int process = 0; process < two_.world.processes(); ++process) {
      EXPECT_EQ(accounts_of(two_, process), "") << "process " << process;
    }
  }
  [[nodiscard]] bool has_account(int process, const std::string& which) {
    return accounts_of(two_, process).find(which) != std::string::npos;
  }

  two_processes two_{hand_driven()};
};

// ---- rings and packets ----

TEST_F(accounts_test, who_finds_no_room_in_a_ring_asks_for_it_again_and_again) {
  constexpr int many_rings = 300;  // a ring has 64 lines, a message takes 3
  std::vector<test_message> sent;
  for (int i = 0; i < many_rings; ++i) {
    sent.push_back(two_.next(1));
    sent.back().bytes = 150;
    two_.send(0, 1, sent.back());
  }
  for (int i = 0; i < 10 * many_rings; ++i) {
    two_.poll(0);
    two_.gateway_of(1).poll(nullptr);
  }
  EXPECT_EQ(accounts_of(two_, 0), "") << "all have arrived";
  EXPECT_TRUE(has_account(1, "messages without room in their ring"));
  // Nothing is received: the rank takes messages off its ring only because somebody asks for room there. Others are
  // inside the network meanwhile, so that what waits does not come into the ring while the rank is at it.
  for (int i = 0; i < many_rings; ++i) {
    ASSERT_TRUE(two_.gateway_of(1).try_keep_network());
    static_cast<void>(two_.engine(1).advance());
    two_.gateway_of(1).let_network_go();
  }
  EXPECT_FALSE(has_account(1, "messages without room in their ring"));
  expect_settled();
  for (const test_message& each : sent) ASSERT_TRUE(two_.gets(two_.receive(1, 0, each), each));
  expect_settled();
}

TEST_F(accounts_test, no_more_packets_than_there_may_be_are_on_their_way) {
  packet_pool pool(64);
  std::vector<packet*> on_their_way;
  while (packet* const next = pool.first()) {
    on_their_way.push_back(next);
    pool.leaves(pool.take());
    ASSERT_LE(on_their_way.size(), packet_pool::most_on_their_way);
  }
  EXPECT_EQ(on_their_way.size(), packet_pool::most_on_their_way);
  pool.has_left(*on_their_way[7]);
  EXPECT_EQ(pool.on_their_way(), packet_pool::most_on_their_way - 1);
  ASSERT_NE(pool.first(), nullptr) << "one has come back";
  pool.leaves(pool.take());
  EXPECT_EQ(pool.first(), nullptr) << "and is gone again";
  std::set<packet*> all(on_their_way.begin(), on_their_way.end());
  for (packet* const each : all) pool.has_left(*each);
  EXPECT_EQ(pool.on_their_way(), 0U);
}

TEST_F(accounts_test, answers_leave_in_the_order_in_which_they_were_given) {
  const test_message first = two_.next(1, small), second = two_.next(2, small), third = two_.next(3, small);
  test_send& to_be_matched = two_.send(0, 1, first, {.is_synchronous = true});
  test_send& matched_later = two_.send(0, 1, second, {.is_synchronous = true});
  test_send& taken_back = two_.send(0, 1, third, {.is_synchronous = true});
  two_.settle();
  // All packets of process 1 are with the network, so its answers find no room.
  two_.world.hold_sends(1);
  for (std::size_t i = 0; i < packet_pool::most_on_their_way; ++i) two_.send(1, 0, two_.next(4, small));
  EXPECT_TRUE(two_.has(two_.receive(1, 0, first), first));
  EXPECT_TRUE(two_.has(two_.receive(1, 0, second), second));
  two_.poll(1);
  EXPECT_TRUE(has_account(1, "2 answers without room"));
  // There is room, and before anybody looks at the answers that wait, the network brings a question.
  two_.world.hold_messages(0, 1);
  EXPECT_FALSE(two_.engine(0).sender().cancel(taken_back.op));
  two_.poll(0);
  two_.world.hold_sends(1, false);
  two_.world.hold_messages(0, 1, false);
  two_.gateway_of(1).poll(nullptr);
  std::vector<std::uint32_t> answered;
  const test_support::loopback_world::sent_message last = two_.world.last_message(1);
  wire_reader entries(last.bytes.data(), last.bytes.size());
  while (entries.next([&](const auto& what, const std::byte*) {
    if constexpr (requires {
                    what.send_number;
                    what.tail.kind;
                  } &&
                  sizeof what == sizeof(wire_answer))
      answered.push_back(static_cast<std::uint32_t>(what.send_number));
  })) {
  }
  EXPECT_EQ(answered.size(), 3U);
  EXPECT_TRUE(std::is_sorted(answered.begin(), answered.end()));
  EXPECT_TRUE(two_.completes(to_be_matched));
  EXPECT_TRUE(two_.completes(matched_later));
  EXPECT_TRUE(two_.completes(taken_back));
  for (std::size_t i = 0; i < packet_pool::most_on_their_way; ++i) {
    test_receive& posted = two_.receive(0, 1, 4, small);
    ASSERT_TRUE(two_.until([&] { return two_.is_done(posted); }));
  }
  expect_settled();
}

// ---- large messages that come before anybody has asked for them ----

class unrequested_test : public accounts_test {
 protected:
  unrequested_test() {
    settings values = hand_driven();
    values.async_progress_bytes = 2 * large;
    tight_ = std::make_unique<two_processes>(values);
  }
  two_processes& two() { return *tight_; }
  void look() {  // several: a look takes what was there at the one before
    for (int i = 0; i < 200; ++i) {
      two().gateway_of(1).poll_for_busy_ranks();
      two().gateway_of(0).poll(nullptr);
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
  }
  [[nodiscard]] bool has_bytes(std::size_t bytes) {
    open_accounts accounts;
    two().gateway_of(1).add_open_accounts(accounts);
    return accounts.text().find(std::to_string(bytes) + " unrequested bytes") != std::string::npos;
  }
  void expect_none() {
    two().settle();
    EXPECT_EQ(accounts_of(two(), 1), "");
  }

  std::unique_ptr<two_processes> tight_;
};

TEST_F(unrequested_test, there_are_no_more_than_are_allowed) {
  std::vector<test_message> sent;
  for (int i = 0; i < 3; ++i) {
    sent.push_back(two().next(i));
    two().send(0, 1, sent.back());
  }
  look();
  EXPECT_TRUE(has_bytes(2 * large)) << "as many as are allowed, and not one more: " << accounts_of(two(), 1);
  EXPECT_TRUE(two().gets(two().receive(1, 0, sent[0]), sent[0]));
  look();
  EXPECT_TRUE(has_bytes(2 * large)) << "the bytes of one that was received are given back";
  for (const test_message* each : {&sent[1], &sent[2]}) EXPECT_TRUE(two().gets(two().receive(1, 0, *each), *each));
  expect_none();
}

TEST_F(unrequested_test, those_that_are_asked_for_on_their_way_are_given_back) {
  const test_message what = two().next(1);
  two().send(0, 1, what);
  two().world.hold_payloads(0, 1);
  look();
  EXPECT_TRUE(has_bytes(large));
  test_receive& posted = two().receive(1, 0, what);
  two().settle();
  two().world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two().gets(posted, what));
  expect_none();
}

TEST_F(unrequested_test, so_are_those_that_their_sender_takes_back) {
  for (const bool have_come : {true, false}) {
    test_send& sent = two().send(0, 1, two().next(1), {.is_synchronous = true});
    two().world.hold_payloads(0, 1, !have_come);
    look();
    EXPECT_TRUE(has_bytes(large));
    EXPECT_FALSE(two().engine(0).sender().cancel(sent.op));
    two().settle();
    two().world.hold_payloads(0, 1, false);
    EXPECT_TRUE(two().completes(sent));
    EXPECT_TRUE(sent.op.is_taken_back);
    two().settle();
    EXPECT_FALSE(has_bytes(large)) << (have_come ? "they had come" : "they were on their way");
  }
  const test_message next = two().next(1);
  two().send(0, 1, next);
  EXPECT_TRUE(two().gets(two().receive(1, 0, next), next));
  expect_none();
}

// ---- tags ----

TEST(tags_of_streams, there_are_more_pairs_than_the_network_has_tags_for) {
  constexpr int largest_tag = 1025, ranks = 6;  // the last one is no stream's
  ASSERT_EQ(streams::most_pairs(largest_tag), 2U);
  two_processes two(hand_driven(), ranks, 2, {}, loopback_limits{.largest_tag = largest_tag});
  for (int round = 0; round < 6; ++round) {
    for (int from = 0; from < ranks / 2; ++from) {
      for (int to = ranks / 2; to < ranks; ++to) ASSERT_TRUE(two.exchange(from, to, two.next(1)));
    }
  }
  std::set<int> own;
  for (const int tag : two.world.payload_tags(0)) {
    EXPECT_LE(tag, largest_tag);
    if (tag >= static_cast<int>(streams::first_tag(largest_tag))) own.insert(tag);
  }
  EXPECT_FALSE(own.empty()) << "some have streams";
  EXPECT_LE(own.size(), 2 * streams::tags_of_each);
}

TEST(tags_of_streams, a_pair_has_no_more_streams_than_it_may_have) {
  two_processes two(hand_driven());
  for (std::uint32_t tag = 0; tag <= streams::most_of_a_pair; ++tag) {
    ASSERT_TRUE(two.start_stream(0, 1, static_cast<int>(tag)));
  }
  std::set<std::uint32_t> used;
  const std::uint32_t first = streams::first_tag(loopback_limits{}.largest_tag);
  for (const int tag : two.world.payload_tags(0)) {
    if (static_cast<std::uint32_t>(tag) >= first)
      used.insert((static_cast<std::uint32_t>(tag) - first) / streams::tags_of_each);
  }
  EXPECT_EQ(used.size(), streams::most_of_a_pair);
}

}  // namespace
}  // namespace pure::core
