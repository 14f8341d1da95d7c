// Which tags a pair of ranks gives its envelopes: always the same to one, never one to two, few at a time.
#include "gateway/envelope_cache.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pure::core {
namespace {

constexpr auto of_a_pair = static_cast<int>(envelope_cache::envelopes);

envelope numbered(int number) {
  return {.context = static_cast<std::uint32_t>(number / 7), .source = number % 3, .tag = number % 7 - 2};
}

TEST(envelope_cache, what_has_none_is_not_found) {
  envelope_cache tags;
  EXPECT_FALSE(tags.has_any());
  EXPECT_EQ(tags.find({}), envelope_cache::none);
  tags.set_pair(0);
  EXPECT_TRUE(tags.has_any());
  EXPECT_EQ(tags.find({}), envelope_cache::none);
}

TEST(envelope_cache, each_part_of_an_envelope_counts) {
  envelope_cache tags;
  tags.set_pair(0);
  const int tag = tags.give({.context = 5, .source = 1, .tag = -2});
  EXPECT_EQ(tags.find({.context = 5, .source = 1, .tag = -2}), tag);
  EXPECT_EQ(tags.find({.context = 6, .source = 1, .tag = -2}), envelope_cache::none);
  EXPECT_EQ(tags.find({.context = 5, .source = 0, .tag = -2}), envelope_cache::none);
  EXPECT_EQ(tags.find({.context = 5, .source = 1, .tag = 2}), envelope_cache::none);
}

TEST(envelope_cache, pairs_have_tags_of_their_own) {
  const std::uint32_t pairs = envelope_cache::most_pairs(32767);
  std::map<int, std::uint32_t> pair_of;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    envelope_cache tags;
    tags.set_pair(pair);
    for (int i = 0; i < of_a_pair; ++i) {
      const int tag = tags.give(numbered(i));
      EXPECT_GT(tag, envelope_cache::none);
      EXPECT_LT(tag, 32767);
      EXPECT_FALSE(envelope_cache::is_of_next(tag));
      EXPECT_TRUE(envelope_cache::is_of_next(tag + 1));
      EXPECT_EQ(envelope_cache::as_given(tag + 1), tag);
      EXPECT_EQ(envelope_cache::number_of(tag + 1), envelope_cache::number_of(tag));
      EXPECT_TRUE(pair_of.emplace(tag, pair).second) << tag;
    }
  }
  EXPECT_EQ(pairs, 32766U / (2 * envelope_cache::envelopes));
}

TEST(envelope_cache, the_next_of_a_row_has_the_second_tag) {
  envelope_cache tags;
  tags.set_pair(2);
  envelope who{.context = 5, .source = 1, .tag = 100};
  const int tag = tags.give(who);
  for (int i = 0; i < 100; ++i) {
    who.tag += envelope_cache::stride;
    EXPECT_EQ(tags.find(who), tag + 1);
    EXPECT_EQ(tags.find(who), tag + 1) << "it has not left";
    tags.leaves(tag + 1, who);
    EXPECT_EQ(tags.find(who), tag);
  }
  who.tag += 2 * envelope_cache::stride;
  EXPECT_EQ(tags.find(who), envelope_cache::none);
}

TEST(envelope_cache, an_envelope_that_has_a_tag_is_not_the_next_of_another_one) {
  envelope_cache tags;
  tags.set_pair(0);
  const envelope first{.context = 5, .source = 1, .tag = 0},
      second{.context = 5, .source = 1, .tag = envelope_cache::stride};
  const int of_first = tags.give(first), of_second = tags.give(second);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tags.find(first), of_first);
    EXPECT_EQ(tags.find(second), of_second);
  }
}

/// What a receiver understands that hears of the tags as they are given.
TEST(envelope_cache, a_tag_means_what_was_said_last) {
  std::mt19937 dice(1);
  envelope_cache tags;
  tags.set_pair(3);
  std::map<int, envelope> heard;
  int bare = 0, next = 0;
  for (int i = 0; i < 20'000; ++i) {
    const bool is_one_of_few = i % 1000 < 700;
    envelope who = numbered(static_cast<int>(dice() % (is_one_of_few ? envelope_cache::envelopes : 40U)));
    if (who.context == 1) who.tag += envelope_cache::stride * (i / 10);
    const int tag = tags.find(who);
    if (tag == envelope_cache::none) {
      heard[tags.give(who)] = who;
      continue;
    }
    if (dice() % 8 == 0) continue;  // it finds no room
    tags.leaves(tag, who);
    ++(envelope_cache::is_of_next(tag) ? next : bare);
    const int given = envelope_cache::as_given(tag);
    ASSERT_TRUE(heard.contains(given));
    if (envelope_cache::is_of_next(tag)) heard[given].tag += envelope_cache::stride;
    EXPECT_EQ(heard[given].context, who.context);
    EXPECT_EQ(heard[given].source, who.source);
    EXPECT_EQ(heard[given].tag, who.tag);
  }
  EXPECT_EQ(heard.size(), envelope_cache::envelopes);
  EXPECT_GT(bare, 9'000);
  EXPECT_GT(next, 100);
}

TEST(envelope_cache, those_in_use_keep_their_tags) {
  envelope_cache tags;
  tags.set_pair(0);
  const int often[] = {tags.give(numbered(0)), tags.give(numbered(1)), tags.give(numbered(2))};
  for (int i = 0; i < 1000; ++i) {
    for (int each = 0; each < 3; ++each) EXPECT_EQ(tags.find(numbered(each)), often[each]);
    const envelope once = numbered(100 + i);
    ASSERT_EQ(tags.find(once), envelope_cache::none);
    tags.give(once);
  }
}

}  // namespace
}  // namespace pure::core
