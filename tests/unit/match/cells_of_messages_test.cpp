// Messages through cells, in an engine that one thread drives by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "layout/layout.hpp"
#include "match/match_engine.hpp"
#include "match/short_path.hpp"
#include "match/stored_message.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"
#include "support/scattered_bytes.hpp"
#include "transport/cells.hpp"

namespace pure::core {
namespace messages_in_cells {  // of its own, for files are compiled together
namespace {

settings with_cells(std::size_t eager_limit) {
  settings values;
  values.eager_limit_bytes = eager_limit;
  values.ring_bytes = std::max(values.ring_bytes, smallest_ring_bytes(eager_limit));
  values.cells = "on";
  return values;
}

class cells_of_messages : public testing::Test {
 protected:
  explicit cells_of_messages(const settings& values = with_cells(1024))
      : job_(values, std::vector<wait_policy>(2), failure_action::throw_to_caller, attach_services) {}

  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }

  static std::vector<std::byte> message(std::size_t bytes, int seed) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      made[i] = static_cast<std::byte>(i * 11 + i / 253 + static_cast<std::size_t>(seed));
    return made;
  }
  /// A send that is complete at once.
  bool is_sent_at_once(int from, const std::vector<std::byte>& what, int tag = 0) {
    auto op = std::make_unique<send_op>();
    op->data = what.data();
    op->bytes = what.size();
    op->who = {0, from, tag};
    op->to = 1 - from;
    engine(from).sender().start(*op);
    const bool is_done = op->now == send_op::stage::done;
    open_.push_back(std::move(op));
    return is_done;
  }
  /// What the next message of `from` with that tag is; empty: none has come.
  std::vector<std::byte> received(int from, std::size_t capacity, int tag = 0) {
    std::vector<std::byte> into(capacity);
    receive_op op({into.data(), capacity, nullptr}, 0, from, tag);
    engine(1 - from).receiver().start(op);
    for (int i = 0; i < 10 && !engine(1 - from).receiver().test(op); ++i) engine(from).advance();
    last_ = op.result;
    if (!op.done) {
      engine(1 - from).receiver().withdraw(op);
      return {};
    }
    into.resize(op.result.bytes);
    return into;
  }

  job job_;
  status last_;
  std::vector<std::unique_ptr<send_op>> open_;
};

TEST_F(cells_of_messages, leave_at_once_up_to_all_cells_of_an_end) {
  for (const std::size_t bytes : {std::size_t{1025}, cell_bytes, cell_bytes + 1, most_bytes_in_cells}) {
    for (int round = 0; round < 3; ++round) {
      const std::vector<std::byte> sent = message(bytes, round);
      EXPECT_TRUE(is_sent_at_once(0, sent)) << bytes;
      EXPECT_EQ(received(0, bytes), sent) << bytes;
    }
  }
  const std::vector<std::byte> longer = message(most_bytes_in_cells + 1, 1);
  EXPECT_FALSE(is_sent_at_once(0, longer));
  EXPECT_EQ(received(0, longer.size()), longer);
}

TEST_F(cells_of_messages, come_in_order_where_there_are_not_enough_cells) {
  std::vector<std::vector<std::byte>> sent;
  int at_once = 0;
  for (int i = 0; i < 20; ++i) sent.push_back(message(2 * cell_bytes + 1, i));
  for (const auto& each : sent) at_once += is_sent_at_once(0, each) ? 1 : 0;
  EXPECT_EQ(at_once, static_cast<int>(cells_of_an_end / 3));
  for (const auto& each : sent) EXPECT_EQ(received(0, each.size()), each);
  EXPECT_TRUE(is_sent_at_once(0, sent[0])) << "they have come back";
}

TEST_F(cells_of_messages, that_nobody_has_a_receive_for_give_their_cells_up) {
  const std::vector<std::byte> first = message(most_bytes_in_cells, 1), second = message(100, 2);
  EXPECT_TRUE(is_sent_at_once(0, first, 1));
  EXPECT_TRUE(is_sent_at_once(0, second, 2));
  EXPECT_EQ(received(0, second.size(), 2), second);
  EXPECT_EQ(engine(1).receiver().unexpected_messages(), 1U);
  const std::vector<std::byte> third = message(most_bytes_in_cells, 3);
  EXPECT_TRUE(is_sent_at_once(0, third, 3)) << "all cells are free";
  EXPECT_EQ(received(0, third.size(), 3), third);
  EXPECT_EQ(received(0, first.size(), 1), first);
}

TEST_F(cells_of_messages, longer_than_their_receive_are_cut_and_lose_no_cell) {
  const std::vector<std::byte> sent = message(most_bytes_in_cells, 5);
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(is_sent_at_once(0, sent));
    const std::vector<std::byte> part = received(0, cell_bytes + 7);
    EXPECT_EQ(part, std::vector<std::byte>(sent.begin(), sent.begin() + cell_bytes + 7));
    EXPECT_EQ(last_.error, errc::truncate);
    EXPECT_EQ(last_.sent_bytes, sent.size());
  }
}

TEST_F(cells_of_messages, are_seen_by_probes) {
  const std::vector<std::byte> sent = message(5000, 1);
  EXPECT_TRUE(is_sent_at_once(0, sent, 7));
  std::size_t seen = 0;
  EXPECT_TRUE(engine(1).receiver().probe(0, 0, 7, [&](const status& found) { seen = found.bytes; }));
  EXPECT_EQ(seen, sent.size());
  EXPECT_EQ(received(0, sent.size(), 7), sent);
}

TEST_F(cells_of_messages, to_the_own_rank_need_none) {
  const std::vector<std::byte> sent = message(700, 1);
  std::vector<std::byte> into(sent.size());
  ASSERT_TRUE(engine(0).sender().try_send_now(0, {0, 0, 0}, sent.data(), sent.size()));
  receive_op op({into.data(), into.size(), nullptr}, 0, 0, 0);
  engine(0).receiver().start(op);
  EXPECT_TRUE(op.done);
  EXPECT_EQ(into, sent);
}

TEST_F(cells_of_messages, come_to_where_a_layout_puts_them_also_if_it_is_too_short) {
  constexpr std::size_t sizes[] = {700, 2 * cell_bytes + 100, most_bytes_in_cells};
  for (const std::size_t bytes : sizes) {
    for (const std::size_t room : {bytes, bytes - 9}) {
      const std::vector<std::byte> sent = message(bytes, 3);
      EXPECT_TRUE(is_sent_at_once(0, sent));
      test_support::scattered_bytes into(room, 24);
      const receive_sink sink{.container = into.data(),
                              .make_room = nullptr,
                              .takes = nullptr,
                              .adopt = nullptr,
                              .form = into.form(),
                              .capacity = room};
      receive_op op({nullptr, 0, &sink}, 0, 0, 0);
      engine(1).receiver().start(op);
      EXPECT_TRUE(op.done);
      EXPECT_TRUE(into.holds([&](std::size_t at) { return sent[at]; })) << room << " of " << bytes;
      EXPECT_EQ(op.result.error, room < bytes ? errc::truncate : errc::success);
    }
  }
}

TEST_F(cells_of_messages, that_a_full_ring_has_no_room_for_take_no_cell) {
  int sent = 0;
  while (engine(0).sender().try_send_now(1, {0, 0, 1}, &sent, sizeof sent)) ++sent;
  const std::vector<std::byte> later = message(700, 1);
  for (std::uint32_t i = 0; i <= cells_of_an_end; ++i) {
    EXPECT_FALSE(engine(0).sender().try_send_now(1, {0, 0, 0}, later.data(), later.size()));
  }
  for (int i = 0; i < sent; ++i) received(0, sizeof sent, 1);
  const std::vector<std::byte> all = message(most_bytes_in_cells, 2);
  EXPECT_TRUE(is_sent_at_once(0, all));
  EXPECT_EQ(received(0, all.size()), all);
}

struct cells_of_long_eager_messages : cells_of_messages {
  cells_of_long_eager_messages() : cells_of_messages(with_cells(200'000)) {}
};

TEST_F(cells_of_long_eager_messages, longer_than_cells_hold_go_through_the_ring) {
  for (const std::size_t bytes : {most_bytes_in_cells, most_bytes_in_cells + 1, std::size_t{200'000}}) {
    const std::vector<std::byte> sent = message(bytes, 1);
    ASSERT_TRUE(engine(0).sender().try_send_now(1, {0, 0, 0}, sent.data(), sent.size())) << bytes;
    EXPECT_EQ(received(0, bytes), sent) << bytes;
  }
}

TEST_F(cells_of_long_eager_messages, longer_ones_do_so_also_where_an_end_has_more_cells_than_its_own) {
  const std::vector<std::byte> of_three = message(3 * cell_bytes, 1);
  for (int from : {0, 1}) {  // what rank 0 has sent is on its way back, and it has got as many
    ASSERT_TRUE(engine(from).sender().try_send_now(1 - from, {0, from, 0}, of_three.data(), of_three.size()));
    EXPECT_EQ(received(from, of_three.size()), of_three);
  }
  const std::vector<std::byte> of_nine = message(most_bytes_in_cells + 1, 2);
  ASSERT_TRUE(engine(0).sender().try_send_now(1, {0, 0, 0}, of_nine.data(), of_nine.size()));
  EXPECT_EQ(received(0, of_nine.size()), of_nine);
}

}  // namespace
}  // namespace messages_in_cells
}  // namespace pure::core
