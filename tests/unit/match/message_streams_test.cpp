// What a sender knows of its streams: when messages are alike, and which tags are free.
#include "match/message_streams.hpp"

#include <gtest/gtest.h>

#include "match/outgoing.hpp"

namespace pure::core {
namespace {

TEST(alike_messages, are_counted_while_each_is_answered) {
  alike_messages of;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    of.add(1, 3, 9000, i);
    EXPECT_EQ(of.count(), i);
    EXPECT_EQ(of.unanswered(), 0U);
  }
}

TEST(alike_messages, another_envelope_or_length_begins_anew) {
  alike_messages of;
  of.add(1, 3, 9000, 1);
  of.add(1, 3, 9000, 2);
  of.add(1, 4, 9000, 3);
  EXPECT_EQ(of.count(), 1U);
  of.add(1, 4, 9000, 4);
  EXPECT_EQ(of.count(), 2U);
  of.add(1, 4, 9001, 5);
  EXPECT_EQ(of.count(), 1U);
}

TEST(alike_messages, a_flood_is_not_answered) {
  alike_messages of;
  of.add(1, 3, 9000, 1);
  of.add(1, 3, 9000, 2);
  for (std::uint32_t i = 1; i < 10; ++i) {
    of.add(1, 3, 9000, 2);
    EXPECT_EQ(of.count(), 1U);
    EXPECT_EQ(of.unanswered(), i);
  }
  of.add(1, 3, 9000, 3);
  EXPECT_EQ(of.count(), 2U);
  EXPECT_EQ(of.unanswered(), 0U);
}

TEST(alike_messages, another_message_between_begins_anew) {
  alike_messages of;
  of.add(1, 3, 9000, 1);
  of.add(1, 3, 9000, 2);
  of.interrupt();
  of.add(1, 3, 9000, 3);
  EXPECT_EQ(of.count(), 1U);
}

TEST(alike_messages, a_short_one_of_another_context_between_is_nothing_to_them) {
  const envelope same{.context = 1, .source = 0, .tag = 7}, other{.context = 4, .source = 0, .tag = 3};
  alike_messages of;
  of.add(1, 3, 9000, 1);
  of.interrupt_by(other, streams::shortest_of_run_if_fast - 1);
  of.add(1, 3, 9000, 2);
  EXPECT_EQ(of.count(), 2U);
  of.interrupt_by(other, streams::shortest_of_run_if_fast);
  of.add(1, 3, 9000, 3);
  EXPECT_EQ(of.count(), 1U);
  of.interrupt_by(same, 8);
  of.add(1, 3, 9000, 4);
  EXPECT_EQ(of.count(), 1U);
}

TEST(out_stream, a_tag_is_free_when_the_message_before_has_been_dealt_with) {
  out_stream of;
  for (std::uint64_t packet = 1; packet <= streams::tags_of_each; ++packet) of.add(packet);
  EXPECT_FALSE(of.may_use_next_tag(0));
  EXPECT_TRUE(of.may_use_next_tag(1));  // the first one's
}

TEST(out_stream, a_run_may_begin_before_its_last_messages_have_been_dealt_with) {
  out_stream of;
  for (std::uint64_t packet = 1; packet <= streams::tags_of_each; ++packet) of.add(packet);
  EXPECT_FALSE(of.are_tags_free_for_run(streams::tags_of_each - 3));
  EXPECT_TRUE(of.are_tags_free_for_run(streams::tags_of_each - 2));
  of.leave_next_tag(streams::tags_of_each + 1);
  EXPECT_FALSE(of.are_tags_free_for_run(streams::tags_of_each));
}

TEST(out_stream, a_run_asks_nobody_for_its_own_tags_again) {
  out_stream of;
  for (std::uint32_t i = 0; i < 3 * streams::tags_of_each; ++i) {
    EXPECT_TRUE(of.may_use_next_tag(0));
    of.add_of_run();
  }
  of.leave_next_tag(7);  // the packet in which the run ends
  EXPECT_FALSE(of.may_use_next_tag(6));
  EXPECT_TRUE(of.may_use_next_tag(7));
}

TEST(out_stream, avoids_as_many_runs_as_it_was_told) {
  out_stream of;
  EXPECT_FALSE(of.avoids_run());
  of.without_run = 2;
  EXPECT_TRUE(of.avoids_run());
  EXPECT_TRUE(of.avoids_run());
  EXPECT_FALSE(of.avoids_run());
}

TEST(out_stream, knows_whether_its_last_run_was_long) {
  packet by(1024);
  out_streams of;
  out_stream& its = of.add({.context = 1, .source = 0, .tag = 2}, 1000);
  for (const std::uint32_t messages : {3U, 1000U, 5U}) {
    by.entries.clear();
    of.run = &its;
    of.messages_of_run = messages;
    by.add_end_of_run({}, of);
    EXPECT_EQ(of.run, nullptr);
    EXPECT_EQ(its.had_long_run, messages == 1000);
  }
}

TEST(out_stream, a_run_goes_on_while_short_messages_of_other_contexts_travel) {
  constexpr std::size_t shortest = streams::shortest_of_run_if_fast;
  const wire_envelope same{.who = {.context = 1, .source = 0, .tag = 3}},
      other{.who = {.context = 4, .source = 0, .tag = 2}};
  out_streams of;
  EXPECT_FALSE(of.ends_before(same.who, 8)) << "there is none";
  packet by(1024);
  out_stream& its = of.add({.context = 1, .source = 0, .tag = 2}, 1000);
  of.run = &its;
  EXPECT_TRUE(of.ends_before(same.who, 8));
  EXPECT_TRUE(of.ends_before(other.who, shortest));
  EXPECT_FALSE(of.ends_before(other.who, shortest - 1));
  by.add(other, of);
  EXPECT_EQ(of.run, &its);
  by.add(same, of);
  EXPECT_EQ(of.run, nullptr);
}

TEST(out_stream, tags_come_round) {
  out_stream of;
  of.first_tag = 1000;
  for (std::uint32_t i = 0; i < 2 * streams::tags_of_each; ++i) {
    EXPECT_EQ(of.next_tag(), 1000 + i % streams::tags_of_each);
    of.add_of_run();
  }
}

}  // namespace
}  // namespace pure::core
