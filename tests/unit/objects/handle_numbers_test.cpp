// Small numbers for handles: kept while the object lives, taken back afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <unordered_map>

#include "objects/handle_numbers.hpp"
#include "support/environment.hpp"

namespace {

using pure::core::handle_numbers;

constexpr int first = 4096;
const auto all_live = [](std::uint64_t) { return true; };
const auto none_live = [](std::uint64_t) { return false; };

TEST(handle_numbers, a_handle_has_one_number_and_a_number_one_handle) {
  handle_numbers numbers(first);
  for (std::uint64_t each = 1; each <= 5 * handle_numbers::least_room; ++each) {
    const int number = numbers.number_of(each << 40, all_live);
    EXPECT_EQ(number, first + static_cast<int>(each) - 1);
    EXPECT_EQ(numbers.number_of(each << 40, none_live), number) << "asking for a known one takes nothing back";
  }
  for (std::uint64_t each = 1; each <= 5 * handle_numbers::least_room; ++each)
    EXPECT_EQ(numbers.handle_of(first + static_cast<int>(each) - 1), each << 40);
}

TEST(handle_numbers, what_is_no_number_has_no_handle) {
  handle_numbers numbers(first);
  EXPECT_EQ(numbers.handle_of(first), 0U);
  numbers.number_of(77, all_live);
  for (const int none : {first - 1, first + 1, 0, -1, 2147483647, -2147483647 - 1})
    EXPECT_EQ(numbers.handle_of(none), 0U) << none;
}

TEST(handle_numbers, numbers_of_what_is_gone_are_given_again) {
  handle_numbers numbers(first);
  std::set<int> given;
  for (std::uint64_t each = 1; each <= 100 * handle_numbers::least_room; ++each)
    given.insert(numbers.number_of(each, [&](std::uint64_t asked) { return asked + 3 >= each; }));
  EXPECT_EQ(given.size(), handle_numbers::least_room);
  EXPECT_EQ(*given.begin(), first);
  EXPECT_EQ(*given.rbegin(), first + static_cast<int>(handle_numbers::least_room) - 1);
}

TEST(handle_numbers, a_number_that_was_taken_back_names_nothing) {
  handle_numbers numbers(first);
  for (std::uint64_t each = 1; each <= handle_numbers::least_room; ++each) numbers.number_of(each, all_live);
  EXPECT_EQ(numbers.number_of(1000, none_live), first) << "the longest unused is the first to be given again";
  EXPECT_EQ(numbers.handle_of(first), 1000U);
  EXPECT_EQ(numbers.handle_of(first + 1), 0U);
  EXPECT_EQ(numbers.number_of(2, all_live), first + 1) << "the handle of before is a new one";
  EXPECT_EQ(numbers.handle_of(first + 1), 2U);
}

/// Beside a model, which takes nothing back: whatever lives keeps its number, and nothing else has that.
TEST(handle_numbers, what_lives_keeps_its_number) {
  std::mt19937_64 random(test_support::first_seed());
  handle_numbers numbers(first);
  std::unordered_map<std::uint64_t, int> live;
  std::size_t most = handle_numbers::least_room;
  std::uint64_t next = 1;
  for (int step = 0; step < 6000; ++step) {
    const bool grows = step / 1000 % 2 == 0;
    if (live.empty() || static_cast<int>(random() % 10) < (grows ? 7 : 4)) {
      const std::uint64_t handle = next++;
      const int number = numbers.number_of(handle, [&](std::uint64_t each) { return live.count(each) != 0; });
      for (const auto& each : live) ASSERT_NE(each.second, number);
      live.emplace(handle, number);
    } else {
      live.erase(live.begin());
    }
    most = std::max(most, live.size());
    for (const auto& [handle, number] : live) ASSERT_EQ(numbers.handle_of(number), handle);
    for (const auto& each : live) ASSERT_LT(each.second, first + 2 * static_cast<int>(most) + 1);
  }
}

}  // namespace
