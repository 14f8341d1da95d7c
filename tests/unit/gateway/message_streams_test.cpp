// What a sender knows of its streams: when messages are alike or come in turn, and which tags are free.
#include "gateway/message_streams.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gateway/outgoing.hpp"

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

TEST(out_streams, a_short_one_of_another_context_is_nothing_to_messages_that_are_alike) {
  const envelope same{.context = 1, .source = 0, .tag = 3}, other{.context = 4, .source = 0, .tag = 3};
  out_streams of;
  of.note(same, 9000, 1);
  of.interrupt_by(other, streams::shortest_of_run_if_fast - 1);
  of.note(same, 9000, 2);
  EXPECT_EQ(of.alike.count(), 2U);
  of.interrupt_by(other, streams::shortest_of_run_if_fast);
  of.note(same, 9000, 3);
  EXPECT_EQ(of.alike.count(), 1U);
  of.interrupt_by(same, 8);
  of.note(same, 9000, 4);
  EXPECT_EQ(of.alike.count(), 1U);
}

/// As of six fields of a grid, whose tags are 10 to 15, and whose lengths are 9000 to 9005.
void add_field(recent_messages& to, std::int32_t field, std::uint32_t unanswered) {
  to.add(10 + field, 9000 + static_cast<std::size_t>(field), unanswered);
}

TEST(recent_messages, find_those_that_come_in_turn) {
  recent_messages of;
  for (std::uint32_t i = 0; i < 40; ++i) {
    add_field(of, static_cast<std::int32_t>(i % 6), i % 6);
    if (i < 6) {
      EXPECT_EQ(of.count(), 0U);
      continue;
    }
    EXPECT_EQ(of.period(), 6U);
    EXPECT_EQ(of.count(), i - 5);
    for (std::uint32_t k = 0; k < 6; ++k) EXPECT_EQ(of.before_last(k).tag, static_cast<std::int32_t>(10 + (i - k) % 6));
  }
}

TEST(recent_messages, one_out_of_turn_begins_anew) {
  recent_messages of;
  for (std::int32_t i = 0; i < 24; ++i) add_field(of, i % 6, 0);
  EXPECT_EQ(of.count(), 18U);
  add_field(of, 3, 0);
  EXPECT_LE(of.count(), 1U);
  for (std::int32_t i = 0; i < 12; ++i) add_field(of, i % 6, 0);
  EXPECT_LE(of.count(), 6U);
}

TEST(recent_messages, one_of_another_length_begins_anew) {
  recent_messages of;
  for (std::int32_t i = 0; i < 18; ++i) add_field(of, i % 6, 0);
  of.add(10, 8000, 0);
  EXPECT_EQ(of.count(), 0U);
}

TEST(recent_messages, more_than_one_turn_without_an_answer_is_a_flood) {
  recent_messages of;
  for (std::uint32_t i = 0; i < 24; ++i) add_field(of, static_cast<std::int32_t>(i % 6), i);
  EXPECT_EQ(of.count(), 0U);
}

TEST(recent_messages, know_no_turns_of_more_than_a_pair_has_streams) {
  recent_messages of;
  constexpr std::int32_t many = streams::most_of_a_pair + 1;
  for (std::int32_t i = 0; i < 5 * many; ++i) add_field(of, i % many, 0);
  EXPECT_EQ(of.count(), 0U);
}

/// The next message of a field of three, the `i`th in all; returns the tags of the run that may begin behind it.
std::vector<std::int32_t> note_field(out_streams& of, std::uint32_t i, const out_stream* its = nullptr) {
  const envelope who{.context = 1, .source = 0, .tag = static_cast<std::int32_t>(10 + i % 3)};
  of.note(who, 9000, i / 3);
  std::vector<std::int32_t> tags;
  for (const stream_of_run& each : of.next_run(its, {who.tag, 9000}, 9000)) tags.push_back(each.tag);
  return tags;
}

TEST(out_streams, a_run_in_turn_begins_with_the_one_whose_turn_it_is) {
  out_streams of;
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_TRUE(note_field(of, i).empty()) << i;
  EXPECT_EQ(note_field(of, 8), (std::vector<std::int32_t>{10, 11, 12}));
  EXPECT_EQ(note_field(of, 9), (std::vector<std::int32_t>{11, 12, 10}));
}

TEST(out_streams, a_long_run_in_turn_begins_again_with_any_of_its_messages) {
  out_streams of;
  packet by(1024);
  for (const std::int32_t tag : {11, 12, 10}) {
    out_stream& its = of.add({.context = 1, .source = 0, .tag = tag}, 1000 + static_cast<std::uint32_t>(tag) * 16);
    its.limit = 9000;
    of.of_run.add(its);
  }
  for (const bool is_long : {false, true}) {
    of.run = &of.of_run.current();
    of.messages_of_run = is_long ? 1000 : 40;
    by.entries.clear();
    by.add_end_of_run({}, of);
    of.alike.interrupt();
    const std::vector<std::int32_t> again = note_field(of, 2, of.find({.context = 1, .source = 0, .tag = 12}));
    EXPECT_EQ(again, is_long ? (std::vector<std::int32_t>{10, 11, 12}) : std::vector<std::int32_t>());
  }
}

TEST(streams_in_turn, come_round) {
  std::array<out_stream, 3> all;
  streams_in_turn<out_stream> of;
  for (out_stream& each : all) of.add(each);
  EXPECT_EQ(&of.current(), all.data());
  for (std::uint32_t i = 1; i < 10; ++i) EXPECT_EQ(&of.advance(), &all[i % 3]);
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

TEST(out_stream, many_shorter_messages_end_a_run_and_lower_the_limit) {
  out_stream of;
  of.limit = 9000;
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_FALSE(of.shortens_run(8000 + i % 2)) << "they are of two lengths";
  EXPECT_FALSE(of.shortens_run(9000));
  for (std::uint32_t i = 1; i < streams::short_before_end; ++i) EXPECT_FALSE(of.shortens_run(8000));
  EXPECT_TRUE(of.shortens_run(8000));
  of.end_run(1);
  EXPECT_EQ(of.limit, 8000U);
  EXPECT_FALSE(of.shortens_run(8000));
  EXPECT_FALSE(of.shortens_run(7000));
  of.end_run(2);
  EXPECT_EQ(of.limit, 8000U) << "one is not many";
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
  of.of_run.add(its);
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
  message_entry same, other;
  same.who = {.context = 1, .source = 0, .tag = 3};
  other.who = {.context = 4, .source = 0, .tag = 2};
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
