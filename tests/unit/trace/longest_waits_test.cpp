// The table of the lines that have waited longest, at its limits.
#include "trace/longest_waits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace pure::core;

std::vector<waits_at_line> lines(int count) {
  std::vector<waits_at_line> made;
  for (int i = 1; i <= count; ++i)
    made.push_back({.call = "recv at a.cpp:" + std::to_string(i), .ns = i * 1'000'000, .count = 1});
  return made;
}

TEST(longest_waits, are_the_ten_longest_and_say_how_many_there_are) {
  const std::string ten = table_of_longest_waits(lines(10)), eleven = table_of_longest_waits(lines(11));
  EXPECT_TRUE(ten.starts_with("pure: calls that waited longest\n")) << ten;
  EXPECT_NE(ten.find("a.cpp:1 "), std::string::npos) << ten;
  EXPECT_TRUE(eleven.starts_with("pure: calls that waited longest, of 11\n")) << eleven;
  EXPECT_EQ(eleven.find("a.cpp:1 "), std::string::npos) << "the shortest of eleven: " << eleven;
  EXPECT_LT(eleven.find("a.cpp:11 "), eleven.find("a.cpp:2 ")) << eleven;
}

TEST(longest_waits, of_less_than_half_a_millisecond_are_left_out) {
  EXPECT_EQ(table_of_longest_waits({}), "");
  EXPECT_EQ(table_of_longest_waits({{.call = "recv", .ns = 499'999, .count = 9}}), "");
  const std::string least = table_of_longest_waits(
      {{.call = "recv", .ns = 500'000, .count = 9}, {.call = "send", .ns = 499'999}});
  EXPECT_NE(least.find("recv"), std::string::npos) << least;
  EXPECT_NE(least.find("50.0 %"), std::string::npos) << "of all, with those that are left out: " << least;
  EXPECT_EQ(least.find("send"), std::string::npos) << least;
}

TEST(longest_waits, fit_a_line_whatever_a_call_is_named) {
  const std::string whole(50, 'x');
  EXPECT_NE(table_of_longest_waits({{.call = whole, .ns = 1'000'000, .count = 1}}).find(whole), std::string::npos);
  const std::string longer = table_of_longest_waits(
      {{.call = whole + "y", .ns = 1'000'000'000'000, .count = 1'000'000}});
  EXPECT_NE(longer.find(std::string(47, 'x') + "... "), std::string::npos) << longer;
  for (std::size_t at = 0; at < longer.size(); at = longer.find('\n', at) + 1)
    EXPECT_LE(longer.find('\n', at) - at, 80U) << longer;
}

}  // namespace
