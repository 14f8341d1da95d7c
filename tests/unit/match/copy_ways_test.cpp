// Which way longer messages go, by the time that their copies take.
#include "match/copy_ways.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace pure::core {
namespace ways_of_copies {  // of its own, for files are compiled together
namespace {

using way = copy_ways::way;

/// A sender whose buffer is fresh, or not; each timed copy is noted at once. Counts the messages of each way.
constexpr copy_speed usual{{1, 1, 1, 1}};

struct traffic {
  copy_ways ways{usual};
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
  copy_ways ways{usual};
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
  copy_ways ways{usual};
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(ways.next(32 * 1024));
    ways.note(32 * 1024, 1024, 3 * 16);  // of a receive that took less
  }
  EXPECT_EQ(ways.next(32 * 1024), way::cells);
}

/// Nanoseconds for a line of the caches that copies it, and of one that the other core has just written.
struct machine {
  const char* name;
  std::array<double, copy_speed::sizes> own, other;
};

TEST(copy_ways, are_right_on_machines_of_any_speed) {
  const machine machines[] = {
      {"Zen 4, one L3", {1.0, 0.8, 1.0, 1.15}, {2.6, 2.5, 2.7, 2.9}},   // measured, with the clock
      {"Zen 4, two L3s", {1.0, 0.8, 1.0, 1.15}, {6.6, 5.5, 6.0, 7.0}},  // likewise
      {"Zen 4, far", {1.0, 0.8, 1.0, 1.15}, {14, 12, 13, 14}},          // likewise
      {"a mesh, near", {0.9, 0.8, 1.0, 1.3}, {6.7, 6.7, 6.0, 5.5}},     // of copies at 9.5 to 13 GB/s
      {"a slow clock of 300 ns, a mesh", {5.6, 3.1, 2.2, 1.9}, {11.4, 9.0, 7.2, 6.1}},
  };
  for (const machine& each : machines) {
    const copy_speed speed{each.own};
    for (std::size_t i = 0; i < copy_speed::sizes; ++i) {
      const std::size_t bytes = copy_speed::first_bytes << i;
      for (const bool is_fresh : {false, true}) {
        copy_ways ways(speed);
        const double line_ns = is_fresh ? each.other[i] : 1.3 * each.own[i];  // a program's copy is never the best one
        int by_cells = 0;
        for (int message = 0; message < 100; ++message) {
          const way next = ways.next(bytes);
          by_cells += next == way::cells ? 1 : 0;
          if (next != way::timed_buffer) continue;
          ways.note(bytes, bytes, static_cast<std::int64_t>(line_ns * static_cast<double>(lines_for(bytes))));
        }
        EXPECT_EQ(by_cells > 0, is_fresh) << each.name << ", " << bytes;
      }
    }
  }
}

TEST(copy_speed, has_a_number_for_each_size) {
  EXPECT_EQ(copy_speed::index(1), 0U);
  EXPECT_EQ(copy_speed::index(4096), 0U);
  EXPECT_EQ(copy_speed::index(4097), 1U);
  EXPECT_EQ(copy_speed::index(32 * 1024), 3U);
  EXPECT_EQ(copy_speed::index(32 * 1024 + 1), 3U);
  EXPECT_EQ(copy_speed::index(std::size_t{1} << 40), 3U);
}

TEST(copy_speed, is_that_of_memory_in_caches) {
  for (const double each : measured_copy_speed().own_line_ns) {
    EXPECT_GT(each, 0.1);
    EXPECT_LT(each, 1000);
  }
  EXPECT_EQ(&measured_copy_speed(), &measured_copy_speed());
}

}  // namespace
}  // namespace ways_of_copies
}  // namespace pure::core
