// What leaves a rank, part by part: buffers that are pushed, and what a channel does with its own, over a fake of what
// lies above.
#include "aggregation/item_sender.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "aggregation/item_channel.hpp"
#include "support/bare_job.hpp"
#include "support/lone_rank.hpp"

namespace {

using namespace pure::core;
using test_support::lone_rank;

constexpr call sends{"send", {}};

TEST(aggregation_item_sender, what_is_pushed_is_counted_first_and_comes_back) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    item_buffer& buffer = of.sender.take_buffer(8);
    buffer.count = 1;
    buffer.channel = 3;
    of.stage.begin_finish();
    of.stage.end_finish();
    of.sender.push(sends, buffer, 1, 4, {});
    EXPECT_EQ(of.part.counts().of(0).sent(), 1U);
    item_buffer* const there = of.part.at(1).inbox.take();
    ASSERT_EQ(there, &buffer);
    EXPECT_EQ(there->phase, 2U);
    EXPECT_EQ(there->source, 0);
    EXPECT_EQ(there->channel, 3U);
    pure::aggregation_stats stats;
    of.sender.add_to(stats);
    EXPECT_EQ(stats.sent, 1U);
    EXPECT_EQ(stats.room, 4U);
    EXPECT_EQ(stats.partial, 1U);
    EXPECT_NE(of.accounts(), "");
    there->credit->give_back(there->whole_bytes());
    delete_buffer(there);
    EXPECT_EQ(of.accounts(), "");
  });
}

TEST(aggregation_item_sender, what_is_for_the_rank_itself_does_not_go_by_the_inbox) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    of.own.note_channel();
    item_buffer& buffer = of.sender.take_buffer(8);
    buffer.count = 1;
    of.sender.push(sends, buffer, 0, 1, {});
    EXPECT_FALSE(of.part.at(0).inbox.has_some());
    EXPECT_EQ(of.own.next_to_handle(1), &buffer);
    buffer.credit->give_back(buffer.whole_bytes());
    of.spare.give(buffer);
    EXPECT_EQ(of.accounts(), "");
  });
}

TEST(aggregation_item_sender, a_rank_that_has_left_is_sent_nothing) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    of.part.members().leave(1);
    item_buffer& buffer = of.sender.take_buffer(8);
    buffer.count = 2;
    try {
      of.sender.push(sends, buffer, 1, 4, {});
      ADD_FAILURE();
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::state);
      EXPECT_NE(std::string(error.what()).find("2 items for rank 1, which has ended"), std::string::npos);
    }
    EXPECT_EQ(of.sender.sent(), 0U);
    EXPECT_EQ(of.accounts(), "");
  });
}

/// Four items fill a buffer: who sends is told of the first one's opening, and of each push, behind it.
TEST(aggregation_item_channel, says_what_it_has_done_behind_each_buffer) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    const auto channel = of.channel();
    of.send(*channel, 0, 1);
    EXPECT_EQ(of.behind.said, "opened; ");
    for (const std::uint64_t item : {1U, 2U}) of.send(*channel, item, 1);
    EXPECT_EQ(of.behind.said, "opened; ") << "not for each item";
    EXPECT_EQ(channel->waiting(), 3U);
    of.send(*channel, 3, 1);
    EXPECT_EQ(of.behind.said, "opened; pushed 1; ");
    EXPECT_EQ(of.arrived(), (std::vector<std::uint64_t>{0, 1, 2, 3}));
    of.send(*channel, 4, 1);
    EXPECT_TRUE(channel->flush(sends, 1));
    EXPECT_FALSE(channel->flush(sends, 1));
    EXPECT_EQ(of.behind.said, "opened; pushed 1; opened; ") << "who flushes looks after the rest itself";
    EXPECT_EQ(of.arrived(), std::vector<std::uint64_t>{4});
    EXPECT_EQ(of.accounts(), "");
  });
}

TEST(aggregation_item_channel, combines_with_what_waits) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    const auto channel = of.channel(
        {.combine = [](void*, std::byte* waiting, std::size_t count, const std::byte* next) {
          return std::memcmp(waiting + (count - 1) * 8, next, 8) == 0;
        }});
    for (const std::uint64_t item : {7U, 7U, 8U, 7U, 7U}) of.send(*channel, item, 1);
    EXPECT_EQ(channel->waiting(), 3U);
    channel->flush(sends, 1);
    EXPECT_EQ(of.arrived(), (std::vector<std::uint64_t>{7, 8, 7}));
    pure::aggregation_stats stats;
    of.sender.add_to(stats);
    EXPECT_EQ(stats.combined, 2U);
  });
}

/// A channel that ends with items has lost them, and its buffers come back.
TEST(aggregation_item_channel, gives_back_what_is_open_at_its_end) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    lone_rank of(self);
    {
      const auto channel = of.channel();
      of.send(*channel, 1, 0);
      of.send(*channel, 1, 1);
      EXPECT_NE(of.accounts(), "");
    }
    EXPECT_EQ(of.accounts(), "");
    EXPECT_EQ(of.sender.sent(), 0U);
  });
}

}  // namespace
