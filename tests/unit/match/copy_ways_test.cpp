// Which way longer messages go, by the time that their copies take.
#include "match/copy_ways.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pure::core {
namespace ways_of_copies {  // of its own, for files are compiled together
namespace {

using way = copy_ways::way;

constexpr copy_speed usual{{1, 1, 1, 1, 1, 1, 1, 1}};

enum class buffer : bool { kept, written };  // between two messages
enum class copy : bool { quick, slow };

/// A sender's messages; each timed copy is noted at once. Counts the messages of each way.
struct traffic {
  explicit traffic(std::size_t buffers = 1) : of(buffers, std::vector<std::byte>(64 * 1024)) {}

  void send(std::size_t bytes, buffer data, copy by, int messages) {
    from_buffer = timed = by_cells = 0;
    for (int i = 0; i < messages; ++i) {
      std::vector<std::byte>& mine = of[static_cast<std::size_t>(i) % of.size()];
      if (data == buffer::written) std::fill(mine.begin(), mine.end(), static_cast<std::byte>(++writes));
      const way next = ways.next(mine.data(), bytes);
      if (next == way::cells) ++by_cells;
      if (next == way::buffer) ++from_buffer;
      if (next != way::timed_buffer) continue;
      ++timed;
      ways.note(bytes, bytes, static_cast<std::int64_t>(lines_for(bytes)) * (by == copy::slow ? 3 : 1));
    }
  }
  /// What is usual: the lines of a buffer that was written are the other core's.
  void send(std::size_t bytes, buffer data, int messages) {
    send(bytes, data, data == buffer::written ? copy::slow : copy::quick, messages);
  }

  copy_ways ways{usual};
  std::vector<std::vector<std::byte>> of;
  int writes = 0;
  int from_buffer = 0, timed = 0, by_cells = 0;
};

TEST(copy_ways, a_buffer_that_nobody_writes_is_read_in_place) {
  traffic all;
  all.send(4096, buffer::kept, 1000);
  EXPECT_EQ(all.by_cells, 0);
  EXPECT_GT(all.timed, 10);
  EXPECT_LT(all.timed, 100) << "the clock is read for most of them";
}

TEST(copy_ways, a_buffer_that_is_written_each_time_goes_through_cells_after_two_messages) {
  traffic all;
  all.send(4096, buffer::written, 3);
  EXPECT_EQ(all.timed, 2);
  EXPECT_EQ(all.by_cells, 1);
}

TEST(copy_ways, slow_copies_of_what_nobody_writes_are_no_reason) {
  for (const std::size_t buffers : {std::size_t{1}, std::size_t{64}}) {
    traffic all(buffers);
    all.send(4096, buffer::kept, copy::slow, 1000);
    EXPECT_EQ(all.by_cells, 0) << buffers;
    all.send(4096, buffer::kept, copy::slow, 1000);
    EXPECT_LT(all.timed, 1000 / 2) << "the clock is read for most of them";
  }
}

TEST(copy_ways, writing_is_no_reason_where_copies_are_quick) {
  traffic all;
  all.send(4096, buffer::written, copy::quick, 1000);
  EXPECT_EQ(all.by_cells, 0);
}

TEST(copy_ways, buffers_in_turn_are_recognized) {
  traffic all(64);
  all.send(4096, buffer::written, 1000);
  EXPECT_GT(all.by_cells, 800);
}

TEST(copy_ways, a_buffer_that_never_comes_again_is_not_waited_for) {
  traffic all(2);
  std::vector<std::byte> once(4096);
  static_cast<void>(all.ways.next(once.data(), once.size()));
  all.send(4096, buffer::written, 1000);
  EXPECT_GT(all.by_cells, 500);
}

TEST(copy_ways, a_buffer_that_is_written_no_more_is_read_in_place_again) {
  traffic all;
  all.send(4096, buffer::written, 100);
  EXPECT_GT(all.by_cells, 80);
  all.send(4096, buffer::kept, copy::slow, 200);
  all.send(4096, buffer::kept, copy::slow, 200);
  EXPECT_EQ(all.by_cells, 0);
}

TEST(copy_ways, any_word_of_each_half_may_change) {
  for (const std::size_t bytes : {std::size_t{2049}, std::size_t{4096}, std::size_t{32} * 1024}) {
    const std::size_t seen_last_of_front = 7 * (bytes - 8) / 15 + 7, seen_first_of_back = 8 * (bytes - 8) / 15;
    for (const std::size_t front : {std::size_t{0}, seen_last_of_front}) {
      for (const std::size_t back : {seen_first_of_back, bytes - 1}) {
        traffic all;
        for (int i = 0; i < 3; ++i) {
          all.of[0][front] = all.of[0][back] = static_cast<std::byte>(i);
          all.send(bytes, buffer::kept, copy::slow, 1);
        }
        EXPECT_EQ(all.by_cells, 1) << front << " and " << back << " of " << bytes;
      }
    }
  }
}

TEST(copy_ways, one_half_that_changes_is_no_reason) {
  for (const std::size_t bytes : {std::size_t{2049}, std::size_t{4096}, std::size_t{32} * 1024}) {
    for (const std::size_t at : {std::size_t{0}, bytes / 4, 3 * bytes / 4, bytes - 1}) {
      traffic all;
      for (int i = 0; i < 100; ++i) {
        all.of[0][at] = static_cast<std::byte>(i);
        all.send(bytes, buffer::kept, copy::slow, 1);
        EXPECT_EQ(all.by_cells, 0) << at << " of " << bytes;
      }
    }
  }
}

TEST(copy_ways, cells_are_questioned_less_and_less) {
  traffic all;
  all.send(4096, buffer::written, 1000);
  const int timed_early = all.timed;
  all.send(4096, buffer::written, 100'000);
  EXPECT_GE(all.timed, 20) << "a program may change";
  EXPECT_LT(all.timed, 100 * timed_early / 4);
  EXPECT_EQ(all.from_buffer, 0);
}

TEST(copy_ways, one_quick_copy_ends_them) {
  traffic all;
  all.send(4096, buffer::written, 100);
  all.send(4096, buffer::kept, 200);
  EXPECT_GT(all.from_buffer, 60);
  all.send(4096, buffer::kept, 100);
  EXPECT_EQ(all.by_cells, 0);
}

TEST(copy_ways, one_slow_copy_is_not_enough) {
  traffic all;
  all.send(4096, buffer::written, copy::slow, 1);  // whoever copied had lost its core
  all.send(4096, buffer::written, copy::quick, 1);
  EXPECT_EQ(all.timed, 1);
  all.send(4096, buffer::written, copy::slow, 1);
  EXPECT_EQ(all.from_buffer, 1);
}

TEST(copy_ways, one_slow_copy_is_not_enough_also_where_the_buffer_has_changed_before_it_is_known) {
  copy_ways ways{usual};
  std::vector<std::byte> data(4096);
  EXPECT_EQ(ways.next(data.data(), 4096), way::timed_buffer);
  std::fill(data.begin(), data.end(), std::byte{1});
  static_cast<void>(ways.next(data.data(), 4096));
  ways.note(4096, 4096, 1'000'000);  // of the first
  std::fill(data.begin(), data.end(), std::byte{2});
  EXPECT_EQ(ways.next(data.data(), 4096), way::timed_buffer);
}

TEST(copy_ways, each_size_has_an_answer_of_its_own) {
  traffic all;
  all.send(16 * 1024, buffer::written, 10);
  all.send(4096, buffer::kept, 100);
  EXPECT_EQ(all.by_cells, 0);
  all.send(16 * 1024, buffer::written, 10);
  EXPECT_EQ(all.by_cells, 10);
  all.send(16 * 1024 + 1, buffer::written, 1);
  EXPECT_EQ(all.by_cells, 0) << "longer";
  all.send(8 * 1024 + 1, buffer::written, 1);
  EXPECT_EQ(all.by_cells, 1) << "of the same size";
}

TEST(copy_ways, what_counts_is_the_time_of_what_was_copied) {
  copy_ways ways{usual};
  std::vector<std::byte> data(32 * 1024);
  for (int i = 0; i < 3; ++i) {
    std::fill(data.begin(), data.end(), static_cast<std::byte>(i));
    EXPECT_EQ(ways.next(data.data(), data.size()), i < 2 ? way::timed_buffer : way::cells);
    ways.note(32 * 1024, 1024, 3 * 16);  // of a receive that took less
  }
}

/// Nanoseconds for a line of the caches that copies it, and of one that the other core has just written.
struct machine {
  const char* name;
  std::array<double, copy_speed::sizes> own, other;
};

TEST(copy_ways, are_right_on_machines_of_any_speed) {
  using lines = std::array<double, copy_speed::sizes>;
  constexpr lines zen{1.0, 0.8, 1.0, 1.15, 1.15, 1.15, 1.15, 1.3};
  const machine machines[] = {
      {"Zen 4, one L3", zen, {2.6, 2.5, 2.7, 2.9, 1.85, 1.85, 1.9, 2.1}},  // measured, with the clock
      {"Zen 4, two L3s", zen, {6.6, 5.5, 6.0, 7.0, 7.0, 7.0, 7.0, 7.0}},   // likewise
      {"Zen 4, far", zen, {14, 12, 13, 14, 14, 14, 14, 14}},               // likewise
      {"a mesh, near",
       {0.9, 0.8, 1.0, 1.3, 1.5, 1.5, 1.5, 1.5},
       {6.7, 6.7, 6.0, 5.5, 5, 5, 5, 5}},  // at 9.5 to 13 GB/s
      {"a slow clock of 300 ns, a mesh",
       {5.6, 3.1, 2.2, 1.9, 1.8, 1.7, 1.6, 1.6},
       {11.4, 9.0, 7.2, 6.1, 5.5, 5.2, 5, 5}},
  };
  for (const machine& each : machines) {
    const copy_speed speed{each.own};
    for (std::size_t i = 0; i < copy_speed::sizes; ++i) {
      const std::size_t bytes = copy_speed::first_bytes << i;
      for (const bool is_fresh : {false, true}) {
        copy_ways ways(speed);
        std::vector<std::byte> data(bytes);
        const double line_ns = is_fresh ? each.other[i] : 1.2 * each.own[i];  // a program's copy is never the best one
        int by_cells = 0;
        for (int message = 0; message < 100; ++message) {
          std::fill(data.begin(), data.end(), static_cast<std::byte>(message));
          const way next = ways.next(data.data(), bytes);
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
  EXPECT_EQ(copy_speed::index(32 * 1024 + 1), 4U);
  EXPECT_EQ(copy_speed::index(512 * 1024), 7U);
  EXPECT_EQ(copy_speed::index(std::size_t{1} << 40), 7U);
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
