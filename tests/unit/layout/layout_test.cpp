// Layouts against lists of single bytes: whatever layouts are made of, the same bytes travel in the same order.
#include "layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

using offsets = std::vector<std::ptrdiff_t>;

/// A layout, and what it should be: a typemap of single bytes and of markers (MPI 4.1, 5.1.6).
struct described {
  layout made;
  offsets bytes;
  std::ptrdiff_t alignment = 1;                                      // the largest of the blocks
  std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> markers;  // the least lb_marker, the largest ub_marker

  [[nodiscard]] std::ptrdiff_t first() const { return bytes.empty() ? 0 : *std::ranges::min_element(bytes); }
  [[nodiscard]] std::ptrdiff_t end() const { return bytes.empty() ? 0 : *std::ranges::max_element(bytes) + 1; }
  [[nodiscard]] std::ptrdiff_t width() const { return end() - first(); }
  [[nodiscard]] std::ptrdiff_t lower() const { return markers ? markers->first : first(); }
  [[nodiscard]] std::ptrdiff_t extent() const {
    return markers ? markers->second - markers->first : (width() + alignment - 1) / alignment * alignment;
  }

  void add(const described& what, std::ptrdiff_t offset) {
    if (what.bytes.empty()) return;
    for (const std::ptrdiff_t each : what.bytes) bytes.push_back(each + offset);
    alignment = std::max(alignment, what.alignment);
    if (!what.markers) return;
    const auto [lower, upper] = *what.markers;
    if (!markers) markers.emplace(lower + offset, upper + offset);
    markers->first = std::min(markers->first, lower + offset);
    markers->second = std::max(markers->second, upper + offset);
  }
};

described block(std::size_t bytes, std::size_t alignment = 1) {
  described d{layout(bytes, alignment), offsets(bytes), static_cast<std::ptrdiff_t>(alignment), {}};
  std::iota(d.bytes.begin(), d.bytes.end(), 0);
  return d;
}

described repeated(const described& what, std::size_t count, std::ptrdiff_t stride) {
  described d{what.made.repeated(count, stride), {}, 1, {}};
  for (std::size_t i = 0; i < count; ++i) d.add(what, stride * static_cast<std::ptrdiff_t>(i));
  return d;
}

described joined(const std::vector<std::pair<std::ptrdiff_t, described>>& parts) {
  std::vector<layout::part> list;
  for (const auto& [offset, what] : parts) list.push_back({offset, &what.made});
  described d{layout::joined(list), {}, 1, {}};
  for (const auto& [offset, what] : parts) d.add(what, offset);
  return d;
}

described resized(const described& what, std::ptrdiff_t lower, std::ptrdiff_t extent) {
  described d = what;
  d.made = what.made.resized(lower, extent);
  d.markers.emplace(lower, lower + extent);
  return d;
}

offsets bytes_of(const layout& form) {
  offsets bytes;
  std::vector<std::size_t> at(form.loops().size(), 0);
  if (form.bytes() == 0) return bytes;
  while (true) {
    std::ptrdiff_t base = 0;
    for (std::size_t i = 0; i < at.size(); ++i) base += form.loops()[i].stride * static_cast<std::ptrdiff_t>(at[i]);
    for (const block_row& row : form.rows()) {
      for (std::size_t b = 0; b < row.count; ++b) {
        for (std::size_t i = 0; i < row.bytes; ++i) {
          bytes.push_back(base + row.offset_of(b) + static_cast<std::ptrdiff_t>(i));
        }
      }
    }
    std::size_t inner = at.size();
    while (inner > 0 && ++at[inner - 1] == form.loops()[inner - 1].count) at[--inner] = 0;
    if (inner == 0) return bytes;
  }
}

void expect_same(const described& d) {
  EXPECT_EQ(bytes_of(d.made), d.bytes);
  EXPECT_EQ(d.made.bytes(), d.bytes.size());
  EXPECT_EQ(d.made.lower_bound(), d.lower());
  EXPECT_EQ(d.made.extent(), d.extent());
  EXPECT_EQ(d.made.true_lower_bound(), d.first());
  EXPECT_EQ(d.made.true_upper_bound(), d.end());
}

/// Without overlaps, so that it can be received into: every copy starts behind the end of the one before, or, half of
/// the time, everything is turned around. (Copies at its extent may overlap, where only parts of it are resized.)
described random_layout(std::mt19937& random, int depth) {
  const auto number = [&random](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  if (depth == 0) return block(static_cast<std::size_t>(number(0, 9)), std::size_t{1} << number(0, 4));
  const int kind = number(0, 7);
  if (kind == 0) {
    const described inner = random_layout(random, depth - 1);
    const std::ptrdiff_t extent = inner.width() + number(0, 9);
    return resized(inner, inner.first() + number(-9, 9), number(0, 1) == 0 ? -extent : extent);
  }
  if (kind < 5) {
    const described inner = random_layout(random, depth - 1);
    const std::ptrdiff_t stride = inner.width() + (number(0, 1) == 0 ? 0 : number(0, 7));
    return repeated(inner, static_cast<std::size_t>(number(0, 4)), number(0, 3) == 0 ? -stride : stride);
  }
  std::vector<std::pair<std::ptrdiff_t, described>> parts;
  std::ptrdiff_t at = number(-20, 20);
  for (int i = number(0, 3); i > 0; --i) {
    described each = random_layout(random, depth - 1);
    at += number(0, 1) == 0 ? 0 : number(0, 9);
    const std::ptrdiff_t width = each.width();
    parts.emplace_back(at - each.first(), std::move(each));
    at += width;
  }
  return joined(parts);
}

TEST(layout, is_what_it_is_made_of) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const described d = random_layout(random, 1 + i % 5);
    expect_same(d);
    if (HasFailure()) return;
  }
}

TEST(layout, deep_nests_lose_loops_but_no_byte) {
  described d = block(3);
  for (int level = 0; level < 9; ++level) d = repeated(d, 2, 5 + d.width() * 2);
  expect_same(d);
  EXPECT_LE(d.made.loops().size(), layout::max_loops);
}

TEST(layout, regular_data_takes_one_row) {
  const layout column = layout(8).repeated(1000, 800);
  EXPECT_TRUE(column.loops().empty());
  EXPECT_EQ(column.rows().size(), 1U);
  const layout face = column.repeated(500, 8);  // 500 columns side by side: the rows of a matrix, by columns
  EXPECT_EQ(face.rows().size() + face.loops().size(), 2U);
  const layout block(40);
  const layout indexed = layout::joined(std::vector<layout::part>{{0, &block}, {100, &block}, {200, &block}});
  EXPECT_EQ(indexed.rows().size(), 1U);
  EXPECT_TRUE(layout(8).repeated(20, 8).is_contiguous());
  EXPECT_FALSE(column.is_contiguous());
}

TEST(layout, resized_changes_the_distance_of_copies_only) {
  const layout two = layout(8).resized(-4, 20).repeated(2, 20);
  EXPECT_EQ(bytes_of(two), bytes_of(layout(8).repeated(2, 20)));
  EXPECT_EQ(two.lower_bound(), -4);
  EXPECT_EQ(two.extent(), 40);
  EXPECT_EQ(two.true_upper_bound(), 28);
}

TEST(layout, blocks_of_nothing_do_not_count_for_the_bounds) {
  const layout nothing, word(4, 4), resized_nothing = nothing.resized(-8, 24);
  for (const layout& empty : {nothing, resized_nothing, word.repeated(0, 4), word.resized(-8, 100).repeated(0, 100)}) {
    const layout made = layout::joined(std::vector<layout::part>{{0, &empty}, {80, &word}, {800, &empty}});
    EXPECT_EQ(made.lower_bound(), 80);
    EXPECT_EQ(made.extent(), 4);
    EXPECT_EQ(made.true_lower_bound(), 80);
    EXPECT_EQ(empty.repeated(3, 24).extent(), 0);
    EXPECT_EQ(empty.repeated(1, 24).lower_bound(), 0);
  }
  EXPECT_EQ(resized_nothing.extent(), 24) << "until something is made of it";
}

TEST(layout, extents_are_rounded_up_to_the_alignment_unless_they_were_set) {
  const layout number(8, 8), letter(1), unaligned(8);
  const layout both = layout::joined(std::vector<layout::part>{{0, &number}, {8, &letter}});
  EXPECT_EQ(both.extent(), 16);
  EXPECT_EQ(both.true_upper_bound(), 9);
  EXPECT_EQ(both.repeated(2, 16).extent(), 32);
  EXPECT_EQ(both.repeated(2, 3).extent(), 16) << "from byte 0 to 12: the first one's gap is not its own byte";
  EXPECT_EQ(layout::joined(std::vector<layout::part>{{5, &both}, {24, &letter}}).extent(), 24) << "from 5 to 25";
  EXPECT_EQ(layout::joined(std::vector<layout::part>{{0, &unaligned}, {8, &letter}}).extent(), 9);
  const layout set = number.resized(0, 9);
  EXPECT_EQ(set.extent(), 9);
  EXPECT_EQ(layout::joined(std::vector<layout::part>{{0, &set}, {100, &number}}).extent(), 9) << "markers only";
}

// In lines that hold its bytes, over lines that they would fill.
TEST(layout, spread_counts_cache_lines) {
  EXPECT_DOUBLE_EQ(layout(8).spread(), 1);
  EXPECT_DOUBLE_EQ(layout(8).repeated(1000, 8).spread(), 1);
  EXPECT_DOUBLE_EQ(layout(8).repeated(1000, 16).spread(), 2 - 1 / 1000.0);  // nothing behind the last
  EXPECT_DOUBLE_EQ(layout(8).resized(0, 16).spread(), 2);
  EXPECT_NEAR(layout(8).repeated(1000, 64).spread(), 8, 0.01);
  EXPECT_LT(layout(8).repeated(1000, 4096).spread(), 9) << "the line beside a block, if it does not begin one";
  EXPECT_GE(layout(8).repeated(1000, 4096).spread(), 8);
  EXPECT_NEAR(layout(8).repeated(1000, -64).spread(), 8, 0.01);
  EXPECT_LT(layout(256).repeated(1000, 4096).spread(), 1.3);
  EXPECT_NEAR(layout(8).repeated(100, 800).repeated(100, 8).spread(), 1, 0.01) << "a matrix by columns is whole";
  EXPECT_NEAR(layout(8).repeated(100, 800).repeated(100, 80000).spread(), 8, 1);
  const layout word(8);
  std::vector<layout::part> scattered, neighbours;
  for (std::ptrdiff_t i = 0; i < 100; ++i) {
    scattered.push_back({i * i * 100, &word});
    neighbours.push_back({i / 2 * 20 + i % 2 * 12, &word});
  }
  EXPECT_GT(layout::joined(scattered).spread(), 8);
  EXPECT_LT(layout::joined(neighbours).spread(), 1.3);
}

TEST(layout, what_no_memory_can_hold_is_refused) {
  EXPECT_THROW(static_cast<void>(layout(8).repeated(std::size_t{1} << 60, 8)), std::length_error);
  EXPECT_THROW(static_cast<void>(layout(8).repeated(3, std::ptrdiff_t{1} << 60)), std::length_error);
  EXPECT_THROW(static_cast<void>(layout(~std::size_t{0})), std::length_error);
  constexpr std::ptrdiff_t farthest = std::ptrdiff_t{1} << 60;
  EXPECT_EQ(layout(8).resized(0, farthest).extent(), farthest);
  EXPECT_EQ(layout(8).resized(0, -farthest).extent(), -farthest);
  EXPECT_THROW(static_cast<void>(layout(8).resized(0, farthest + 1)), std::length_error);
  EXPECT_THROW(static_cast<void>(layout(8).resized(0, -farthest - 1)), std::length_error);
  EXPECT_THROW(static_cast<void>(layout(8).resized(1, farthest)), std::length_error);
}

/// One end of a message: as many copies of a layout as it takes, somewhere in a memory of its own.
struct end {
  described form;
  std::vector<std::uint8_t> memory;
  std::ptrdiff_t base;

  end(described d, std::size_t wanted_bytes, std::uint8_t fill) : form(std::move(d)) {
    const std::size_t copies = (wanted_bytes + form.bytes.size() - 1) / form.bytes.size();
    const std::ptrdiff_t to_last = form.extent() * static_cast<std::ptrdiff_t>(copies - 1);
    base = -(form.first() + std::min<std::ptrdiff_t>(to_last, 0)) + 8;
    memory.assign(static_cast<std::size_t>(form.width() + std::abs(to_last)) + 16, fill);
  }
  std::uint8_t& byte(std::size_t number) {
    const std::ptrdiff_t element = static_cast<std::ptrdiff_t>(number / form.bytes.size());
    const std::ptrdiff_t at = base + element * form.extent() + form.bytes[number % form.bytes.size()];
    return memory[static_cast<std::size_t>(at)];
  }
  std::byte* start() { return reinterpret_cast<std::byte*>(memory.data()) + base; }
};

TEST(copy_laid_out, moves_each_byte_to_its_place_and_touches_no_other) {
  std::mt19937 random(2);
  const auto number = [&random](std::size_t from, std::size_t to) {
    return std::uniform_int_distribution<std::size_t>(from, to)(random);
  };
  int copied = 0;
  for (int i = 0; i < 4000; ++i) {
    described a = random_layout(random, 1 + i % 4), b = random_layout(random, 1 + i / 4 % 4);
    if (a.bytes.empty() || b.bytes.empty() || std::abs(b.extent()) < b.width()) continue;
    const std::size_t bytes = number(1, 300);
    end from(std::move(a), bytes, 0), to(std::move(b), bytes, 99);
    for (std::size_t n = 0; n < bytes; ++n) from.byte(n) = static_cast<std::uint8_t>(n % 97);
    auto expected = to;
    const std::size_t first = number(0, bytes - 1), some = number(0, bytes - first);
    for (std::size_t n = first; n < first + some; ++n) expected.byte(n) = from.byte(n);
    copy_laid_out({to.start(), &to.form.made}, {from.start(), &from.form.made}, first, some);
    ASSERT_EQ(to.memory, expected.memory) << "message of " << bytes << ", from " << first << ", " << some;

    std::vector<std::uint8_t> packed(bytes + 2, 200);  // and to and from bytes in a row
    copy_laid_out({reinterpret_cast<std::byte*>(packed.data()) + 1, nullptr}, 0, {from.start(), &from.form.made}, first,
                  some);
    for (std::size_t n = 0; n < some; ++n) ASSERT_EQ(packed[n + 1], from.byte(first + n));
    ASSERT_EQ(packed[0], 200);
    ASSERT_EQ(packed[some + 1], 200);
    auto unpacked = to;
    unpacked.memory.assign(unpacked.memory.size(), 99);
    copy_laid_out({unpacked.start(), &unpacked.form.made}, first,
                  {reinterpret_cast<const std::byte*>(packed.data()) + 1, nullptr}, 0, some);
    ASSERT_EQ(unpacked.memory, expected.memory);
    ++copied;
  }
  EXPECT_GT(copied, 1000);
}

}  // namespace
}  // namespace pure::core
