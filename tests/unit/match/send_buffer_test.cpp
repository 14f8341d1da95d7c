// A send buffer's account: what is kept is counted with its overhead, to the byte, and given back when it has gone.
#include "match/send_buffer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/settings.hpp"
#include "match/match_engine.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

class send_buffer_test : public testing::Test {
 protected:
  static constexpr std::size_t large = 1000;  // above the eager limit: it waits for its receiver

  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }
  bool send(int tag, std::size_t bytes = large) {
    const std::vector<char> data(bytes, static_cast<char>(tag));
    return buffer_.send(1, {0, 0, tag}, data.data(), bytes, 0);
  }
  /// The next message, whose tag this is.
  void expect_received(int tag, std::size_t bytes = large) {
    std::vector<char> data(bytes);
    receive_op op({data.data(), bytes, nullptr}, 0, 0, tag);
    engine(1).receiver().start(op);
    for (int i = 0; i < 100 && !engine(1).receiver().test(op); ++i) buffer_.advance();
    ASSERT_TRUE(op.done) << tag;
    EXPECT_EQ(op.result.bytes, bytes);
    EXPECT_EQ(data, std::vector<char>(bytes, static_cast<char>(tag)));
  }

  static settings small_rings() {
    settings values;
    values.eager_limit_bytes = 256;
    values.ring_bytes = 4096;
    values.cells = "off";
    return values;
  }
  job job_{small_rings(), std::vector<wait_policy>(2), failure_action::throw_to_caller, attach_services};
  send_buffer buffer_{engine(0).sender()};
};

TEST_F(send_buffer_test, keeps_what_fits_to_the_byte) {
  constexpr std::size_t of_one = large + send_buffer::overhead;
  for (const std::size_t room : {2 * of_one - 1, 2 * of_one, 2 * of_one + 1}) {
    buffer_.attach(nullptr, room);
    EXPECT_TRUE(send(1));
    EXPECT_EQ(buffer_.in_use(), of_one);
    const bool is_kept = send(2);
    EXPECT_EQ(is_kept, room >= 2 * of_one) << room;
    EXPECT_FALSE(send(3)) << "there is no room for it";
    EXPECT_EQ(buffer_.in_use(), is_kept ? 2 * of_one : of_one);
    expect_received(1);
    if (is_kept) expect_received(2);
    buffer_.advance();
    EXPECT_TRUE(buffer_.all_sent());
    EXPECT_EQ(buffer_.in_use(), 0U) << "all is given back";
    buffer_.detach();
  }
}

TEST_F(send_buffer_test, has_all_its_room_again_however_often_it_was_full) {
  buffer_.attach(nullptr, large + send_buffer::overhead);
  for (int round = 0; round < 50; ++round) {
    EXPECT_TRUE(send(round)) << round;
    EXPECT_FALSE(send(100, 300)) << "one at a time";
    expect_received(round);
  }
  buffer_.advance();
  EXPECT_EQ(buffer_.in_use(), 0U);
}

TEST_F(send_buffer_test, counts_nothing_that_can_go_at_once) {
  buffer_.attach(nullptr, 0);
  EXPECT_TRUE(send(1, 8));
  EXPECT_EQ(buffer_.in_use(), 0U);
  EXPECT_FALSE(send(2)) << "this one has to be kept";
  expect_received(1, 8);
}

TEST_F(send_buffer_test, small_ones_wait_for_room_in_the_ring_and_are_counted_too) {
  buffer_.attach_automatic();
  constexpr int many = 100;  // more than the ring has lines
  for (int tag = 0; tag < many; ++tag) EXPECT_TRUE(send(tag, 200));
  EXPECT_GT(buffer_.in_use(), 0U);
  EXPECT_EQ(buffer_.in_use() % (200 + send_buffer::overhead), 0U);
  for (int tag = 0; tag < many; ++tag) expect_received(tag, 200);
  buffer_.advance();
  EXPECT_EQ(buffer_.in_use(), 0U);
  EXPECT_TRUE(buffer_.all_sent());
}

TEST_F(send_buffer_test, has_room_wherever_the_one_is_that_has_gone) {
  constexpr int many = 50;
  buffer_.attach(nullptr, many * (large + send_buffer::overhead));
  for (int tag = 0; tag < many; ++tag) ASSERT_TRUE(send(tag));
  ASSERT_FALSE(send(many));
  for (int tag = many; tag-- > 1;) {
    expect_received(tag);
    EXPECT_TRUE(send(many + tag)) << tag;
  }
}

}  // namespace
}  // namespace pure::core
