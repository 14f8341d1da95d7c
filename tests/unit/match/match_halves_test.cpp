// The two halves of the match engine, each over rings, without the other, and the channels of the receiving one.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "match/message_content.hpp"
#include "match/short_receive.hpp"
#include "match/short_send.hpp"
#include "match/unreceived.hpp"
#include "runtime/job.hpp"
#include "transport/ring_memory.hpp"

namespace pure::core {
namespace {
namespace halves {  // apart from the helpers of other files, which are compiled together with these

envelope of(int source, int tag, std::uint32_t context = 0) { return {context, source, tag}; }

/// Of a job whose ranks have no services: whoever needs another part fails.
settings small_rings() {
  settings values;
  values.eager_limit_bytes = 256;
  values.ring_bytes = 4096;
  return values;
}
struct bare_ranks {
  job all{small_rings(), std::vector<wait_policy>(3), failure_action::throw_to_caller, [](rank_context&) {}};
  [[nodiscard]] static message_terms terms() { return {.eager_limit_bytes = 256, .short_path_end = 257}; }
};

// ---- channels ----

class in_channels_test : public testing::Test {
 protected:
  bare_ranks ranks_;
  in_channels from_{ranks_.all.at(0)};
};

TEST_F(in_channels_test, every_sender_is_asked_in_turn) {
  for (const int sender : {0, 1, 2}) from_.mail().connect(sender);
  from_.adopt_announced();
  ASSERT_EQ(from_.count(), 3U);
  std::vector<int> asked;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(from_.any([&](in_channel& each) {
      asked.push_back(each.from->source());
      return true;
    }));
  }
  EXPECT_NE(asked[0], asked[1]);
  EXPECT_NE(asked[1], asked[2]);
  EXPECT_NE(asked[0], asked[2]);
  EXPECT_EQ(asked[0], asked[3]);
}

TEST_F(in_channels_test, a_sender_has_one_channel_whoever_comes_first) {
  in_channel& own = from_.from(1);
  EXPECT_EQ(from_.find(2), nullptr);
  ring& announced = from_.mail().connect(2);
  EXPECT_EQ(&from_.mail().connect(1), own.from);
  in_channel& before_it_is_adopted = from_.from(2);
  EXPECT_EQ(before_it_is_adopted.from, &announced);
  from_.mail().connect(0);
  from_.adopt_announced();
  EXPECT_EQ(&from_.from(1), &own);
  EXPECT_EQ(&from_.known(2), &before_it_is_adopted);
  EXPECT_EQ(from_.count(), 3U);
}

TEST_F(in_channels_test, a_closed_rank_sees_no_message_of_anybody) {
  const auto put = [&](int sender) {
    ring& way = from_.mail().connect(sender);
    record* const place = way.try_reserve(1);
    ASSERT_NE(place, nullptr);
    place->bytes = 0;
    way.publish(*place, 1, record_kind::eager);
  };
  put(1);
  EXPECT_NE(from_.from(1).from->front(), nullptr);
  from_.close();
  put(2);
  EXPECT_EQ(from_.from(1).from->front(), nullptr);
  EXPECT_EQ(from_.from(2).from->front(), nullptr);
}

// ---- the sender's idle rings ----

class idle_rings_test : public testing::Test {
 protected:
  idle_rings_test() {
    for (int to = 0; to < 3; ++to)
      ways_[static_cast<std::size_t>(to)] = std::make_unique<ring>(0, bytes, nullptr, &memory_);
  }
  static ring& way_to(const rank_context& to, int) { return *ways_[static_cast<std::size_t>(to.number())]; }

  static constexpr std::size_t bytes = 64 * 1024;
  static inline std::array<std::unique_ptr<ring>, 3> ways_;
  ring_memory memory_{bytes};
  bare_ranks ranks_;
  message_sender its_{ranks_.all.at(0), bare_ranks::terms(), {way_to, nullptr}};
};

TEST_F(idle_rings_test, give_their_memory_back_all_at_once) {
  const double value = 5;
  for (const int to : {0, 1, 2}) ASSERT_TRUE(its_.try_send_now(to, of(0, 7), &value, sizeof value));
  EXPECT_FALSE(its_.give_back_unused()) << "they have just been used";
  for (const auto& each : ways_) {
    each->pop(*each->front());
    each->tell_if_idle();
    each->tell_if_idle();
  }
  EXPECT_TRUE(its_.give_back_unused());
  for (const auto& each : ways_) EXPECT_FALSE(each->give_back_unused()) << "it is given back";
  EXPECT_FALSE(its_.give_back_unused());
}

// ---- the sender, into a ring that nobody's engine reads ----

class message_sender_test : public testing::Test {
 protected:
  static ring& way_to(const rank_context& to, int from) {
    EXPECT_EQ(to.number(), 1);
    EXPECT_EQ(from, 0);
    return *way_;
  }
  static void start(message_sender& by, send_op& op, int tag, std::size_t bytes) {
    static const std::vector<char> data(1000, 'x');
    op.data = data.data();
    op.bytes = bytes;
    op.who = of(0, tag);
    op.to = 1;
    by.start(op);
  }
  /// The tag of the next message, which is released; -1: none.
  static int next() {
    record* const arrived = way_->front();
    if (arrived == nullptr) return -1;
    const int tag = arrived->who.tag;
    way_->pop(*arrived);
    return tag;
  }
  void SetUp() override { way_ = &ring_; }

  bare_ranks ranks_;
  ring ring_{0, 8 * line_bytes};
  static inline ring* way_ = nullptr;
  message_sender sender_{ranks_.all.at(0), bare_ranks::terms(), {way_to, nullptr}};
};

TEST_F(message_sender_test, what_waits_for_room_stays_in_front_of_what_comes_later) {
  int sent = 0;
  while (sender_.try_send_now(1, of(0, sent), &sent, sizeof sent)) ++sent;
  std::array<send_op, 3> ops;
  for (std::size_t i = 0; i < ops.size(); ++i) start(sender_, ops[i], sent + static_cast<int>(i), 4);
  EXPECT_TRUE(sender_.has_waiting());
  EXPECT_TRUE(sender_.cancel(ops[1]));
  for (int i = 0; i < sent; ++i) EXPECT_EQ(next(), i);
  EXPECT_FALSE(sender_.try_send_now(1, of(0, 99), &sent, sizeof sent)) << "others wait for the room";
  send_op late;
  start(sender_, late, 98, 4);
  EXPECT_TRUE(sender_.advance());
  EXPECT_TRUE(sender_.test(ops[0]) && sender_.test(ops[2]) && sender_.test(late));
  EXPECT_EQ(next(), sent);
  EXPECT_EQ(next(), sent + 2);
  EXPECT_EQ(next(), 98);
  EXPECT_EQ(next(), -1);
  EXPECT_FALSE(sender_.has_waiting());
  EXPECT_TRUE(sender_.try_send_now(1, of(0, 99), &sent, sizeof sent));
}

TEST_F(message_sender_test, cancelling_all_that_waits_leaves_nothing_waiting) {
  int sent = 0;
  while (sender_.try_send_now(1, of(0, sent), &sent, sizeof sent)) ++sent;
  std::array<send_op, 2> ops;
  for (send_op& each : ops) start(sender_, each, 50, 4);
  std::vector<unreceived_message> unsent;
  sender_.add_unsent(unsent);
  EXPECT_EQ(unsent.size(), 2U);
  EXPECT_TRUE(sender_.cancel(ops[1]));
  EXPECT_TRUE(sender_.has_waiting());
  EXPECT_TRUE(sender_.cancel(ops[0]));
  EXPECT_FALSE(sender_.has_waiting());
  while (next() >= 0) {
  }
  EXPECT_FALSE(sender_.advance());
  EXPECT_EQ(next(), -1);
}

TEST_F(message_sender_test, a_large_send_is_over_when_its_receiver_gives_it_back) {
  send_op op;
  start(sender_, op, 3, 1000);
  EXPECT_FALSE(sender_.test(op));
  record* const arrived = ring_.front();
  ASSERT_NE(arrived, nullptr);
  ASSERT_EQ(arrived->kind(), record_kind::rendezvous);
  const message_offer offer = offer_in(*arrived);
  EXPECT_EQ(offer.bytes, 1000U);
  ASSERT_TRUE(offer.claim.take());
  ring_.pop(*arrived);
  EXPECT_FALSE(sender_.cancel(op)) << "a receive has it";
  offer.source.here->rendezvous.give_back();
  EXPECT_TRUE(sender_.has_waiting());
  EXPECT_TRUE(sender_.advance());
  EXPECT_EQ(op.now, send_op::stage::done);
  open_accounts accounts;
  sender_.add_open_accounts(accounts);
  EXPECT_TRUE(accounts.empty()) << accounts.text();
}

TEST_F(message_sender_test, a_closed_sender_has_nothing_waiting) {
  int sent = 0;
  while (sender_.try_send_now(1, of(0, sent), &sent, sizeof sent)) ++sent;
  send_op op;
  start(sender_, op, 50, 4);
  sender_.close();
  EXPECT_TRUE(sender_.is_closed());
  EXPECT_FALSE(sender_.has_waiting());
  while (next() >= 0) {
  }
  EXPECT_FALSE(sender_.advance());
  EXPECT_EQ(next(), -1) << "its data may be gone";
}

// ---- the receiver, from a ring into which no engine writes ----

class message_receiver_test : public testing::Test {
 protected:
  void put(int sender, int tag, int value) {
    ring& way = receiver_.mail().connect(sender);
    record* const place = way.try_reserve(1);
    ASSERT_NE(place, nullptr);
    place->bytes = sizeof value;
    place->who = of(sender, tag);
    place->number = 0;
    std::memcpy(payload_of(*place), &value, sizeof value);
    way.publish(*place, 1, record_kind::eager);
  }
  bare_ranks ranks_;
  message_receiver receiver_{ranks_.all.at(1), bare_ranks::terms()};
};

TEST_F(message_receiver_test, a_message_that_nobody_waits_for_stays_in_its_ring_until_its_sender_needs_the_room) {
  put(0, 1, 11);
  int value = 0;
  receive_op other({&value, sizeof value, nullptr}, 0, 2, 1);
  receiver_.start(other);
  EXPECT_FALSE(receiver_.advance());
  EXPECT_EQ(receiver_.unexpected_messages(), 0U);
  receiver_.mail().connect(0).ask_for_room();
  EXPECT_TRUE(receiver_.advance());
  EXPECT_EQ(receiver_.unexpected_messages(), 1U);
  receive_op op({&value, sizeof value, nullptr}, 0, 0, 1);
  receiver_.start(op);
  EXPECT_TRUE(op.done);
  EXPECT_EQ(value, 11);
  EXPECT_EQ(receiver_.unexpected_messages(), 0U);
  EXPECT_TRUE(receiver_.withdraw(other));
  open_accounts accounts;
  receiver_.add_open_accounts(accounts);
  EXPECT_TRUE(accounts.empty()) << accounts.text();
}

TEST_F(message_receiver_test, what_is_left_is_told_once) {
  put(0, 1, 11);
  put(0, 2, 12);
  put(2, 3, 13);
  int value = 0;
  receive_op op({&value, sizeof value, nullptr}, 0, 0, 2);
  receiver_.start(op);
  EXPECT_TRUE(receiver_.test(op)) << "the first is unexpected now";
  EXPECT_EQ(value, 12);
  std::vector<unreceived_message> left;
  receiver_.add_unreceived(left);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].who.tag + left[1].who.tag, 1 + 3);
  EXPECT_EQ(left[0].to, 1);
}

}  // namespace halves
}  // namespace
}  // namespace pure::core
