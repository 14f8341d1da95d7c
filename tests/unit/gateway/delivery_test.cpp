// Messages of every kind from one process to another: what arrives is what was sent, in the order of sending, whichever
// way it has taken and wherever there is no room.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <pure/detail/archive.hpp>

#include "gateway/gateway.hpp"
#include "support/scattered_bytes.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::scattered_bytes;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

const std::vector<std::size_t> delivered_sizes{0, 1, 8, 40, 41, 256, 257, 700, 900, 976, 977, 1024, 5000, 100'000};
/// With everything; and each special way left out, which must change nothing.
const std::vector<std::string> delivery_without{
    "", "direct", "bare", "foreseen", "runs", "given", "direct,bare,foreseen,runs,given"};

class delivery_test : public testing::Test {
 protected:
  static constexpr std::size_t small = two_processes::small, large = two_processes::large;
  two_processes two_{hand_driven()};
};

TEST_F(delivery_test, every_size_by_every_way) {
  for (const std::string& without : delivery_without) {
    SCOPED_TRACE(without);
    two_processes two(hand_driven(without), 4);
    for (const bool is_synchronous : {false, true}) {
      for (const std::size_t bytes : delivered_sizes) {
        SCOPED_TRACE(bytes);
        for (const bool is_posted_before : {true, false}) {
          const test_message what = two.next(3, bytes);
          test_receive* posted = is_posted_before ? &two.receive(3, 0, what) : nullptr;
          test_send& sent = two.send(0, 3, what, {.is_synchronous = is_synchronous});
          two.settle(2);
          if (posted == nullptr) {
            EXPECT_FALSE(is_synchronous && two.is_done(sent)) << "nothing has matched";
            posted = &two.receive(3, 0, what);
          }
          ASSERT_TRUE(two.gets(*posted, what));
          ASSERT_TRUE(two.completes(sent));
        }
      }
    }
  }
}

TEST_F(delivery_test, messages_keep_their_order_whatever_way_each_takes) {
  for (const std::string& without : delivery_without) {
    SCOPED_TRACE(without);
    two_processes two(hand_driven(without));
    std::vector<test_message> sent;
    for (int i = 0; i < 60; ++i) {
      const std::size_t bytes = delivered_sizes[static_cast<std::size_t>(i * 5 + i / 7) % delivered_sizes.size()];
      sent.push_back(two.next(i % 4, bytes));
      two.send(0, 1, sent.back(), {.is_synchronous = i % 6 == 5});
      if (i % 9 == 0) two.poll(1);
    }
    for (const test_message& each : sent) {
      ASSERT_TRUE(two.gets(two.receive(1, 0, any_tag, 100'000), each));
    }
  }
}

TEST_F(delivery_test, a_buffer_that_is_lent_is_free_when_the_network_is_done) {
  const test_message first = two_.next(1), second = two_.next(1), third = two_.next(1);
  for (const test_message& each : {first, second}) ASSERT_TRUE(two_.exchange(0, 1, each));
  two_.world.hold_sends(0);
  test_send& sent = two_.send(0, 1, third);
  two_.settle();
  EXPECT_FALSE(two_.is_done(sent));
  two_.world.hold_sends(0, false);
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, third), third));
  EXPECT_TRUE(two_.completes(sent));
}

TEST_F(delivery_test, a_call_that_blocks_lends_its_buffer) {
  const test_message what{.tag = 1, .bytes = 700, .seed = 1};
  ASSERT_TRUE(two_.exchange(0, 1, what));  // its envelope has a tag from now on
  two_.world.hold_sends(0);
  const std::vector<std::byte> data = what.data();
  const envelope who{0, 0, what.tag};
  ASSERT_EQ(two_.engine(0).sender().try_send_elsewhere(1, who, data.data(), data.size()),
            message_sender::instant_send::lent);
  EXPECT_FALSE(two_.engine(0).sender().has_own_buffer());
  two_.world.hold_sends(0, false);
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, what), what));
  EXPECT_TRUE(two_.until([&] { return two_.engine(0).sender().has_own_buffer(); }));
}

TEST_F(delivery_test, laid_out_at_both_ends) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{800}, large}) {
    scattered_bytes from(bytes, 24), to(bytes, 16);
    const auto value = [](std::size_t i) { return static_cast<std::byte>(i * 3 + i / 256); };
    for (std::size_t i = 0; i < bytes; ++i) from[i] = value(i);
    const receive_sink into{.container = to.data(),
                            .make_room = nullptr,
                            .takes = nullptr,
                            .adopt = nullptr,
                            .form = to.form(),
                            .capacity = bytes};
    const layout in_place = from.form()->repeated(bytes / 8, from.form()->extent());
    const layout there = to.form()->repeated(bytes / 8, to.form()->extent());
    receive_sink laid_out = into;
    laid_out.form = &there;
    send_op sent;
    sent.data = from.data();
    sent.bytes = bytes;
    sent.form = &in_place;
    sent.who = {0, 0, 4};
    sent.to = 1;
    two_.engine(0).sender().start(sent);
    receive_op received({nullptr, 0, &laid_out}, 0, 0, 4);
    two_.engine(1).receiver().start(received);
    ASSERT_TRUE(two_.until([&] {
      return two_.engine(1).receiver().test(received) && two_.engine(0).sender().test(sent);
    })) << bytes;
    EXPECT_TRUE(to.holds(value)) << bytes;
  }
}

TEST_F(delivery_test, an_object_arrives_with_its_type) {
  for (const std::size_t bytes : {std::size_t{0}, small, large}) {
    const std::vector<std::byte> content = test_message{.bytes = bytes, .seed = 6}.data();
    const std::string long_name(bytes == large ? 2000 : 10, 'T');        // longer than a packet: told in parts
    alignas(detail::archive) std::byte object[sizeof(detail::archive)];  // the moved value destroys what is in it
    ::new (static_cast<void*>(object)) detail::archive{detail::archive_bytes(content), long_name.c_str()};
    send_op sent;
    sent.is_moved = true;
    sent.object = moved_value(detail::operations_of_archive, object);
    sent.who = {0, 0, 4};
    sent.to = 1;
    two_.engine(0).sender().start(sent);
    detail::archive come;
    const receive_sink into{.container = &come,
                            .make_room = nullptr,
                            .takes = detail::is_archive,
                            .adopt = [](void* to, void* from) noexcept {
                              *static_cast<detail::archive*>(to) = std::move(*static_cast<detail::archive*>(from));
                            }};
    receive_op received({nullptr, 0, &into}, 0, 0, 4);
    two_.engine(1).receiver().start(received);
    ASSERT_TRUE(two_.until([&] { return two_.engine(1).receiver().test(received); })) << bytes;
    EXPECT_EQ(std::vector<std::byte>(come.bytes.begin(), come.bytes.end()), content);
    ASSERT_NE(come.type, nullptr);
    EXPECT_EQ(come.type, long_name);
    ASSERT_TRUE(two_.until([&] { return two_.engine(0).sender().test(sent); }));
  }
}

TEST_F(delivery_test, messages_wait_for_room_in_the_ring_of_their_receiver) {
  std::vector<test_message> sent;
  for (int i = 0; i < 200; ++i) {
    sent.push_back(two_.next(i % 3, i % 10 == 0 ? large : 200));
    two_.send(0, 1, sent.back());
    two_.poll(1);
  }
  for (const test_message& each : sent) ASSERT_TRUE(two_.gets(two_.receive(1, 0, any_tag, large), each));
}

TEST_F(delivery_test, messages_wait_for_packets) {
  constexpr int more_than_there_are = 400;
  two_.world.hold_sends(0);
  std::vector<test_message> sent;
  for (int i = 0; i < more_than_there_are; ++i) {
    sent.push_back(two_.next(i % 3, i % 50 == 0 ? large : small));
    two_.send(0, 1, sent.back(), {.is_synchronous = i % 20 == 3});
  }
  two_.settle();
  EXPECT_LE(two_.world.messages_sent(0), 256U);
  two_.world.hold_sends(0, false);
  for (const test_message& each : sent) ASSERT_TRUE(two_.gets(two_.receive(1, 0, any_tag, large), each));
}

TEST_F(delivery_test, what_ranks_have_left_together_travels_together) {
  two_processes two(hand_driven(), 4);
  ASSERT_TRUE(two.gateway_of(0).try_keep_network());
  std::vector<std::pair<int, test_message>> sent;
  for (int i = 0; i < 6; ++i) {
    sent.emplace_back(i % 2, two.next(i));
    sent.back().second.bytes = 40;
    two.send(i % 2, 2, sent.back().second);
  }
  two.gateway_of(0).let_network_go();
  EXPECT_EQ(two.world.messages_sent(0), 1U);
  for (const auto& [from, each] : sent) EXPECT_TRUE(two.gets(two.receive(2, from, each), each));
}

TEST_F(delivery_test, a_rank_that_computes_gets_its_large_messages_all_the_same) {
  const test_message what = two_.next(1);
  test_send& sent = two_.send(0, 1, what);
  const auto is_sent = [&] {
    two_.gateway_of(1).poll_for_busy_ranks();
    two_.gateway_of(0).poll(nullptr);
    return two_.is_done(sent);
  };
  EXPECT_TRUE(two_.until(is_sent)) << "nobody has posted a receive";
  EXPECT_TRUE(two_.gets(two_.receive(1, 0, what), what));
}

}  // namespace
}  // namespace pure::core
