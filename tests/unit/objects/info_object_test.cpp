// Info objects: keys, their order, and how long texts last.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "objects/info_object.hpp"

namespace {

using pure::core::info_object;

std::vector<std::string> keys_of(const info_object& info) {
  std::vector<std::string> all;
  for (std::size_t n = 0; n < info.size(); ++n) all.push_back(info.key(n));
  return all;
}

TEST(info_object, a_key_has_the_value_that_was_set_last) {
  info_object info;
  EXPECT_EQ(info.size(), 0U);
  EXPECT_EQ(info.find("a"), nullptr);
  info.set("a", "1");
  info.set("a", "2");
  ASSERT_NE(info.find("a"), nullptr);
  EXPECT_EQ(*info.find("a"), "2");
  EXPECT_EQ(info.size(), 1U);
}

TEST(info_object, what_is_not_there_cannot_be_removed) {
  info_object info{{"a", "1"}};
  EXPECT_FALSE(info.remove("b"));
  EXPECT_TRUE(info.remove("a"));
  EXPECT_FALSE(info.remove("a"));
  EXPECT_EQ(info.size(), 0U);
}

TEST(info_object, every_key_has_one_place) {
  info_object info{{"b", "1"}, {"a", "2"}, {"c", "3"}};
  const std::vector<std::string> before = keys_of(info);
  EXPECT_EQ(before.size(), 3U);
  info.set("b", "4");
  EXPECT_EQ(keys_of(info), before) << "the order changes when a key is added or removed";
  std::vector<std::string> by_entries;
  for (const auto& [key, value] : info) by_entries.push_back(key);
  EXPECT_EQ(by_entries, before);
}

TEST(info_object, texts_stay_where_they_are) {
  info_object info{{"m", "value"}};
  const char* const value = info.find("m")->c_str();
  const char* const key = info.key(0).c_str();
  for (char c = 'a'; c <= 'z'; ++c) {
    if (c != 'm') info.set(std::string(1, c), "other");
  }
  info.remove("a");
  EXPECT_EQ(info.find("m")->c_str(), value);
  EXPECT_STREQ(value, "value");
  EXPECT_STREQ(key, "m");
}

TEST(info_object, a_copy_is_another_object) {
  info_object info{{"a", "1"}};
  info_object copy = info;
  copy.set("a", "2");
  EXPECT_EQ(*info.find("a"), "1");
}

TEST(info_object, keys_are_in_the_order_in_which_they_were_set_first) {
  info_object info;
  for (const char* const key : {"b", "a", "c"}) info.set(key, "1");
  info.set("a", "2");
  EXPECT_EQ(keys_of(info), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_TRUE(info.remove("b"));
  info.set("b", "3");
  EXPECT_EQ(keys_of(info), (std::vector<std::string>{"a", "c", "b"}));
  const info_object copy = info;
  info = info_object();
  EXPECT_EQ(info.size(), 0U);
  EXPECT_EQ(*copy.find("b"), "3");
}

}  // namespace
