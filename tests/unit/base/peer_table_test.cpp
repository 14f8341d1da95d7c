// The table of a rank's peers: against a std::map, and that only what is in it takes memory.
#include "base/peer_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>

namespace pure::core {
namespace {

TEST(peer_table, is_empty_at_first) {
  const peer_table<int> table;
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table[0], nullptr);
  EXPECT_EQ(table[32767], nullptr);
  table.for_each([](int&) { ADD_FAILURE() << "there is none"; });
}

TEST(peer_table, finds_what_was_added_and_nothing_else) {
  std::mt19937 random(1);
  for (const std::uint32_t ranks : {1U, 2U, 5U, 64U, 1000U, 32768U}) {
    peer_table<int> table;
    std::map<int, int> expected;
    const auto any = [&] { return static_cast<int>(random() % ranks); };
    for (std::uint32_t i = 0; i < ranks; ++i) {
      const int rank = any();
      const auto [where, is_new] = expected.try_emplace(rank, rank + 1);
      if (is_new) table.add(rank, &where->second);
      const int other = any();
      const auto found = expected.find(other);
      ASSERT_EQ(table[other], found == expected.end() ? nullptr : &found->second);
    }
    ASSERT_EQ(table.size(), expected.size());
    for (auto& [rank, value] : expected) ASSERT_EQ(table[rank], &value);
    std::set<int> visited;
    table.for_each([&](int& each) { EXPECT_TRUE(visited.insert(each - 1).second) << "twice"; });
    EXPECT_EQ(visited.size(), expected.size());
  }
}

TEST(peer_table, finds_ranks_that_are_a_stride_apart) {
  for (int stride = 1; stride <= 65536; stride *= 2) {
    peer_table<int> table;
    int value = 0;
    for (int i = 0; i < 512; ++i) table.add(i * stride, &value);
    for (int i = 0; i < 512; ++i) ASSERT_EQ(table[i * stride], &value);
    EXPECT_EQ(table[1] == nullptr, stride > 1);
    EXPECT_EQ(table[512 * stride], nullptr);
  }
}

}  // namespace
}  // namespace pure::core
