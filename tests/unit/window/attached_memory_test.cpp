// The memory that a rank has attached to a dynamic window, against a model that knows each byte.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "window/window_group.hpp"

namespace pure::core {
namespace {

std::array<std::byte, 64> memory;

std::byte* at(std::size_t offset) { return memory.data() + offset; }

TEST(attached_memory, regions_that_touch_are_as_one) {
  attached_memory its;
  EXPECT_TRUE(its.add(at(8), 8));
  EXPECT_TRUE(its.add(at(24), 8));
  EXPECT_FALSE(its.contains(at(8), 24)) << "there is a gap";
  EXPECT_TRUE(its.add(at(16), 8));
  EXPECT_TRUE(its.contains(at(8), 24));
  EXPECT_TRUE(its.contains(at(15), 2));
  EXPECT_TRUE(its.contains(at(31), 1));
  EXPECT_FALSE(its.contains(at(8), 25)) << "one byte more";
  EXPECT_FALSE(its.contains(at(7), 2)) << "one byte before";
  EXPECT_TRUE(its.remove(at(16)));
  EXPECT_FALSE(its.contains(at(15), 2));
  EXPECT_TRUE(its.contains(at(8), 8));
  EXPECT_TRUE(its.contains(at(24), 8));
}

TEST(attached_memory, regions_that_overlap_are_refused) {
  attached_memory its;
  EXPECT_TRUE(its.add(at(8), 8));
  for (const auto& [offset, bytes] : std::vector<std::pair<std::size_t, std::size_t>>{
           {8, 8}, {8, 1}, {15, 1}, {15, 10}, {7, 2}, {0, 9}, {0, 64}, {10, 2}})
    EXPECT_FALSE(its.add(at(offset), bytes)) << offset << ", " << bytes;
  EXPECT_TRUE(its.add(at(7), 1));
  EXPECT_TRUE(its.add(at(16), 1));
}

TEST(attached_memory, nothing_may_be_attached_anywhere_and_is_detached_once) {
  attached_memory its;
  EXPECT_TRUE(its.add(nullptr, 0));
  EXPECT_TRUE(its.add(at(8), 0));
  EXPECT_TRUE(its.add(at(8), 8));
  EXPECT_TRUE(its.add(at(10), 0));
  EXPECT_TRUE(its.remove(nullptr));
  EXPECT_FALSE(its.remove(nullptr));
  EXPECT_TRUE(its.remove(at(10)));
  EXPECT_FALSE(its.remove(at(10)));
  // Which of the two begins there: the one without which nothing is missing.
  EXPECT_TRUE(its.remove(at(8)));
  EXPECT_TRUE(its.contains(at(8), 8));
  EXPECT_TRUE(its.remove(at(8)));
  EXPECT_FALSE(its.contains(at(8), 1));
  EXPECT_FALSE(its.remove(at(8)));
}

TEST(attached_memory, random_regions_are_what_the_model_says) {
  std::mt19937 chance(7);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(chance() % limit); };
  attached_memory its;
  std::vector<std::pair<std::size_t, std::size_t>> regions;
  std::array<bool, 64> is_attached{};
  const auto is_all = [&](std::size_t from, std::size_t bytes, bool wanted) {
    for (std::size_t i = from; i < from + bytes; ++i) {
      if (is_attached.at(i) != wanted) return false;
    }
    return true;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t from = below(64), bytes = below(65 - from);
    switch (below(3)) {
      case 0: {
        if (bytes == 0) break;
        const bool is_free = is_all(from, bytes, false);
        ASSERT_EQ(its.add(at(from), bytes), is_free);
        if (!is_free) break;
        regions.emplace_back(from, bytes);
        for (std::size_t i = from; i < from + bytes; ++i) is_attached.at(i) = true;
        break;
      }
      case 1: {
        if (regions.empty()) break;
        const std::size_t which = below(regions.size());
        ASSERT_TRUE(its.remove(at(regions[which].first)));
        for (std::size_t i = 0; i < regions[which].second; ++i) is_attached.at(regions[which].first + i) = false;
        regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(which));
        break;
      }
      default: ASSERT_EQ(its.contains(at(from), bytes), is_all(from, bytes, true)) << from << ", " << bytes;
    }
  }
  its.clear();
  EXPECT_FALSE(its.contains(at(0), 1));
  EXPECT_TRUE(its.contains(at(0), 0));
}

}  // namespace
}  // namespace pure::core
