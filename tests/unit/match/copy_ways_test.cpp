// Which way longer messages go, by the time that their copies take.
#include "match/copy_ways.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace pure::core {
namespace ways_of_copies {  // of its own, for files are compiled together
namespace {

using way = copy_ways::way;

/// A sender whose buffer is fresh, or not; each timed copy is noted at once. Counts the messages of each way.
struct traffic {
  copy_ways ways;
  int from_buffer = 0, timed = 0, by_cells = 0;

  void send(std::size_t bytes, bool is_fresh, int messages) {
    constexpr std::int64_t own_ns = 1, from_other_ns = 3;  // a line
    from_buffer = timed = by_cells = 0;
    for (int i = 0; i < messages; ++i) {
      const way next = ways.next(bytes);
      if (next == way::cells) ++by_cells;
      if (next == way::buffer) ++from_buffer;
      if (next != way::timed_buffer) continue;
      ++timed;
      const auto lines = static_cast<std::int64_t>(lines_for(bytes));
      ways.note(bytes, bytes, lines * (is_fresh ? from_other_ns : own_ns));
    }
  }
};

TEST(copy_ways, a_buffer_that_nobody_writes_is_read_in_place) {
  traffic all;
  all.send(4096, false, 1000);
  EXPECT_EQ(all.by_cells, 0);
  EXPECT_GT(all.timed, 10);
  EXPECT_LT(all.timed, 100) << "the clock is read for most of them";
}

TEST(copy_ways, a_buffer_that_is_written_each_time_goes_through_cells_after_two_messages) {
  traffic all;
  all.send(4096, true, 3);
  EXPECT_EQ(all.timed, 2);
  EXPECT_EQ(all.by_cells, 1);
}

TEST(copy_ways, cells_are_questioned_less_and_less) {
  traffic all;
  all.send(4096, true, 1000);
  const int timed_early = all.timed;
  all.send(4096, true, 100'000);
  EXPECT_GE(all.timed, 20) << "a program may change";
  EXPECT_LT(all.timed, 100 * timed_early / 4);
  EXPECT_EQ(all.from_buffer, 0);
}

TEST(copy_ways, one_quick_copy_ends_them) {
  traffic all;
  all.send(4096, true, 100);
  all.send(4096, false, 200);
  EXPECT_GT(all.from_buffer, 60);
  all.send(4096, false, 100);
  EXPECT_EQ(all.by_cells, 0);
}

TEST(copy_ways, one_slow_copy_is_not_enough) {
  copy_ways ways;
  EXPECT_EQ(ways.next(4096), way::timed_buffer);
  ways.note(4096, 4096, 1'000'000);  // whoever copied had lost its core
  EXPECT_EQ(ways.next(4096), way::timed_buffer);
  ways.note(4096, 4096, 64);
  EXPECT_EQ(ways.next(4096), way::buffer);
}

TEST(copy_ways, each_size_has_an_answer_of_its_own) {
  traffic all;
  all.send(16 * 1024, true, 10);
  all.send(4096, false, 100);
  EXPECT_EQ(all.by_cells, 0);
  all.send(16 * 1024, true, 10);
  EXPECT_EQ(all.by_cells, 10);
  all.send(16 * 1024 + 1, true, 1);
  EXPECT_EQ(all.by_cells, 0) << "longer";
  all.send(8 * 1024 + 1, true, 1);
  EXPECT_EQ(all.by_cells, 1) << "of the same size";
}

TEST(copy_ways, what_counts_is_the_time_of_what_was_copied) {
  copy_ways ways;
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(ways.next(32 * 1024));
    ways.note(32 * 1024, 1024, 3 * 16);  // of a receive that took less
  }
  EXPECT_EQ(ways.next(32 * 1024), way::cells);
}

}  // namespace
}  // namespace ways_of_copies
}  // namespace pure::core
