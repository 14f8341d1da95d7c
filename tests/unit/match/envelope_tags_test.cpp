// Which tags a pair of ranks gives its envelopes: always the same to one, never one to two, few at a time.
#include "match/envelope_tags.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pure::core {
namespace {

constexpr auto of_a_pair = static_cast<int>(envelope_tags::of_a_pair);

envelope numbered(int number) {
  return {.context = static_cast<std::uint32_t>(number / 7), .source = number % 3, .tag = number % 7 - 2};
}

TEST(envelope_tags, what_has_none_is_not_found) {
  envelope_tags tags;
  EXPECT_FALSE(tags.has_any());
  EXPECT_EQ(tags.find({}), envelope_tags::none);
  tags.set_pair(0);
  EXPECT_TRUE(tags.has_any());
  EXPECT_EQ(tags.find({}), envelope_tags::none);
}

TEST(envelope_tags, each_part_of_an_envelope_counts) {
  envelope_tags tags;
  tags.set_pair(0);
  const int tag = tags.give({.context = 5, .source = 1, .tag = -2});
  EXPECT_EQ(tags.find({.context = 5, .source = 1, .tag = -2}), tag);
  EXPECT_EQ(tags.find({.context = 6, .source = 1, .tag = -2}), envelope_tags::none);
  EXPECT_EQ(tags.find({.context = 5, .source = 0, .tag = -2}), envelope_tags::none);
  EXPECT_EQ(tags.find({.context = 5, .source = 1, .tag = 2}), envelope_tags::none);
}

TEST(envelope_tags, pairs_have_tags_of_their_own) {
  const std::uint32_t pairs = envelope_tags::most_pairs(32767);
  std::map<int, std::uint32_t> pair_of;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    envelope_tags tags;
    tags.set_pair(pair);
    for (int i = 0; i < of_a_pair; ++i) {
      const int tag = tags.give(numbered(i));
      EXPECT_GT(tag, envelope_tags::none);
      EXPECT_LE(tag, 32767);
      EXPECT_TRUE(pair_of.emplace(tag, pair).second) << tag;
    }
  }
  EXPECT_EQ(pairs, 32767U / envelope_tags::of_a_pair);
}

/// What a receiver understands that hears of the tags as they are given.
TEST(envelope_tags, a_tag_means_what_was_said_last) {
  std::mt19937 dice(1);
  envelope_tags tags;
  tags.set_pair(3);
  std::map<int, envelope> heard;
  int bare = 0;
  for (int i = 0; i < 20'000; ++i) {
    const bool is_one_of_few = i % 1000 < 700;
    const envelope who = numbered(static_cast<int>(dice() % (is_one_of_few ? envelope_tags::of_a_pair : 40U)));
    const int tag = tags.find(who);
    if (tag == envelope_tags::none) {
      heard[tags.give(who)] = who;
      continue;
    }
    ++bare;
    ASSERT_TRUE(heard.contains(tag));
    EXPECT_EQ(heard[tag].context, who.context);
    EXPECT_EQ(heard[tag].source, who.source);
    EXPECT_EQ(heard[tag].tag, who.tag);
  }
  EXPECT_EQ(heard.size(), envelope_tags::of_a_pair);
  EXPECT_GT(bare, 13'000);
}

TEST(envelope_tags, those_in_use_keep_their_tags) {
  envelope_tags tags;
  tags.set_pair(0);
  const int often[] = {tags.give(numbered(0)), tags.give(numbered(1)), tags.give(numbered(2))};
  for (int i = 0; i < 1000; ++i) {
    for (int each = 0; each < 3; ++each) EXPECT_EQ(tags.find(numbered(each)), often[each]);
    const envelope once = numbered(100 + i);
    ASSERT_EQ(tags.find(once), envelope_tags::none);
    tags.give(once);
  }
}

}  // namespace
}  // namespace pure::core
