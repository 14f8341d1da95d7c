// Ranges that overlap, against a count of each byte; and that many of them, and of the payloads that move there, take
// time in proportion to their number.
#include "window/counted_ranges.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

#include "support/two_processes.hpp"
#include "window/part_payloads.hpp"

namespace pure::core {
namespace {

std::array<std::byte, 64> ranged_bytes;

bool is_some_over(const std::array<int, ranged_bytes.size()>& over, std::size_t first, std::size_t bytes) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    if (over[i] > 0) return true;
  }
  return false;
}

TEST(counted_ranges, have_the_bytes_of_those_that_have_been_added_and_not_removed) {
  std::mt19937 random(50);
  counted_ranges ranges;
  std::vector<std::pair<std::size_t, std::size_t>> added;
  std::array<int, ranged_bytes.size()> over{};
  for (int step = 0; step < 3000; ++step) {
    if (added.size() < 6 && random() % 2 == 0) {
      const std::size_t first = random() % ranged_bytes.size(),
                        bytes = random() % (ranged_bytes.size() - first + 1) / 2;
      ranges.add(&ranged_bytes[first], bytes);
      added.emplace_back(first, bytes);
      for (std::size_t i = first; i < first + bytes; ++i) ++over[i];
    } else if (!added.empty()) {
      std::swap(added[random() % added.size()], added.back());
      const auto [first, bytes] = added.back();
      added.pop_back();
      ranges.remove(&ranged_bytes[first], bytes);
      for (std::size_t i = first; i < first + bytes; ++i) --over[i];
    }
    for (std::size_t first = 0; first < ranged_bytes.size(); ++first) {
      for (const std::size_t bytes : {0U, 1U, 2U, 7U, 40U}) {
        if (first + bytes > ranged_bytes.size()) continue;
        ASSERT_EQ(ranges.has_some(&ranged_bytes[first], bytes), is_some_over(over, first, bytes))
            << first << ", " << bytes;
      }
    }
    ASSERT_EQ(ranges.empty(), !is_some_over(over, 0, over.size()));
  }
}

double processor_seconds_here() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// A process may have as many gets under way as their messages fill a mebibyte, and others do, too. (Where each
/// question walks over all that move, this takes many minutes.)
TEST(counted_ranges, many_payloads_move_at_a_time) {
  constexpr std::size_t many = 200'000, bytes = 16;
  constexpr double most_s = 20;
  test_support::two_processes processes;
  window_group::target part;
  part.owner = &processes.rank(0);
  std::vector<std::byte> of_part(many * bytes);
  using way = part_payloads::way;
  for (const bool is_last_first : {false, true}) {
    part_payloads payloads;
    std::vector<active_payload*> moving;
    const double begin = processor_seconds_here();
    for (std::size_t i = 0; i < many; ++i) {
      std::byte* const from = &of_part[i * bytes];
      const way how = i % 2 == 0 ? way::into_part : way::from_part;
      ASSERT_TRUE(payloads.is_free(1, from, bytes, how));
      moving.push_back(&payloads.add(1, part, from, bytes, how));
      ASSERT_TRUE(payloads.is_moving(1));
      ASSERT_FALSE(payloads.is_free(1, from + bytes - 1, 1, way::into_part));
      if (i % 500 == 0) {
        ASSERT_LT(processor_seconds_here() - begin, most_s) << "after " << i;
      }
    }
    EXPECT_FALSE(payloads.is_moving(2));
    for (std::size_t i = 0; i < many; ++i) {
      ASSERT_TRUE(payloads.is_moving(1));
      moving[is_last_first ? many - 1 - i : i]->has_moved();
      if (i % 500 == 0) {
        ASSERT_LT(processor_seconds_here() - begin, most_s) << "after " << i << " have moved";
      }
    }
    EXPECT_FALSE(payloads.is_moving(1));
    EXPECT_EQ(part.payloads.load(), 0);
  }
}

}  // namespace
}  // namespace pure::core
