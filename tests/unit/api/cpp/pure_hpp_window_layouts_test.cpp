// pure::window: operations whose elements do not lie in a row, at one end or at both; and all of a contiguous window.
#include <pure/window.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <pure/pure.hpp>

namespace {

constexpr std::size_t edge = 20;  // of a matrix

template <class Call>
void expect_error_code(pure::errc code, Call call) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

/// Of rank `of`: numbers from 1000 times it on.
std::vector<double> matrix_at(int of) {
  std::vector<double> all(edge * edge);
  std::iota(all.begin(), all.end(), of * 1000.0);
  return all;
}

TEST(pure_hpp_window_layouts, put_takes_columns_to_rows_rows_to_columns_and_columns_to_columns) {
  pure::run(2, [](pure::comm world) {
    auto its = pure::window<double>::allocate(world, edge * edge);
    const int other = 1 - world.rank();
    const std::vector<double> mine = matrix_at(world.rank()), theirs = matrix_at(other);
    const auto column = pure::layout<double>::vector(edge, 1, edge);
    const auto short_column = pure::layout<double>::vector(edge - 1, 1, edge);

    its.put(pure::strided(mine, edge, 1, edge), {other, 0});  // a column to row 0
    its.put(std::span<const double>(mine).subspan(edge + 1, edge - 1), {other, edge + 1}, short_column);
    its.put(pure::strided(std::span(mine).subspan(edge + 2), edge - 1, 1, edge), {other, edge + 3}, short_column);
    its.fence();
    const std::span<double> got = its.local();
    for (std::size_t i = 0; i < edge; ++i) EXPECT_EQ(got[i], theirs[i * edge]);
    for (std::size_t i = 0; i + 1 < edge; ++i) {
      EXPECT_EQ(got[edge + 1 + i * edge], theirs[edge + 1 + i]);
      EXPECT_EQ(got[edge + 3 + i * edge], theirs[edge + 2 + i * edge]);
      EXPECT_EQ(got[edge + 2 + i * edge], 0);
    }
    expect_error_code(pure::errc::count, [&] { its.put(std::span<const double>(mine).first(3), {other, 0}, column); });
    expect_error_code(pure::errc::rma_range, [&] {
      its.put(std::span<const double>(mine).first(edge), {other, edge}, column);
    });
    world.barrier();
  });
}

TEST(pure_hpp_window_layouts, get_brings_columns_into_rows_rows_into_columns_and_columns_into_columns) {
  pure::run(2, [](pure::comm world) {
    std::vector<double> mine = matrix_at(world.rank());
    auto its = pure::window<double>::over(world, mine);
    const int other = 1 - world.rank();
    const std::vector<double> theirs = matrix_at(other);
    const auto column = pure::layout<double>::vector(edge, 1, edge);
    world.barrier();

    std::vector<double> row(edge), matrix(edge * edge, -1);
    its.get(row, {other, 4}, column);
    its.get(pure::strided(matrix, edge, 1, edge), {other, 2 * edge});
    its.get(column.of(std::span(matrix).subspan(7)), {other, 9}, column);
    for (std::size_t i = 0; i < edge; ++i) {
      EXPECT_EQ(row[i], theirs[4 + i * edge]);
      EXPECT_EQ(matrix[i * edge], theirs[2 * edge + i]);
      EXPECT_EQ(matrix[7 + i * edge], theirs[9 + i * edge]);
      EXPECT_EQ(matrix[1 + i * edge], -1);
    }
    its.free();
  });
}

/// Every combination of a row or a column at each of the three places, against sums that a loop makes.
TEST(pure_hpp_window_layouts, accumulate_and_get_accumulate_take_rows_and_columns_at_each_end) {
  pure::run(2, [](pure::comm world) {
    auto its = pure::window<double>::allocate(world, edge * edge);
    const int other = 1 - world.rank();
    const std::vector<double> mine = matrix_at(world.rank()), theirs = matrix_at(other);
    const auto column = pure::layout<double>::vector(edge, 1, edge);
    const auto row_of = [](const std::vector<double>& all) { return std::span(all).first(edge); };
    const auto at = [](bool is_column, std::size_t i) { return is_column ? i * edge : i; };

    for (int how = 0; how < 8; ++how) {  // bits: data, before, and what is there, are columns
      const bool data_is = (how & 1) != 0, before_is = (how & 2) != 0, there_is = (how & 4) != 0;
      std::vector<double> before(edge * edge, -1);
      for (std::size_t i = 0; i < its.local().size(); ++i) its.local()[i] = static_cast<double>(i);
      world.barrier();
      const pure::window_target to{other, 3};
      const auto data = column.of(mine);
      const auto into = column.of(before);
      const std::span<double> into_row = std::span(before).first(edge);
      switch (how) {
        case 0: its.get_accumulate(row_of(mine), into_row, to, std::plus<>()); break;
        case 1: its.get_accumulate(data, into_row, to, std::plus<>()); break;
        case 2: its.get_accumulate(row_of(mine), into, to, std::plus<>()); break;
        case 3: its.get_accumulate(data, into, to, std::plus<>()); break;
        case 4: its.get_accumulate(row_of(mine), into_row, to, column, std::plus<>()); break;
        case 5: its.get_accumulate(data, into_row, to, column, std::plus<>()); break;
        case 6: its.get_accumulate(row_of(mine), into, to, column, std::plus<>()); break;
        default: its.get_accumulate(data, into, to, column, std::plus<>());
      }
      if (there_is) {  // and once more
        its.accumulate(data, to, column, std::plus<>());
      } else {
        its.accumulate(data, to, std::plus<>());
      }
      its.fence();
      std::vector<double> expected(edge * edge);
      std::iota(expected.begin(), expected.end(), 0.0);
      for (std::size_t i = 0; i < edge; ++i) {
        const std::size_t place = 3 + at(there_is, i);
        EXPECT_EQ(before[at(before_is, i)], static_cast<double>(place)) << how;
        expected[place] += theirs[at(data_is, i)] + theirs[at(true, i)];
      }
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), its.local().begin())) << how;
      EXPECT_EQ(std::count(before.begin(), before.end(), -1), edge * edge - edge) << how;
      its.fence();
    }
    std::vector<double> row(edge);
    its.get_accumulate(row, row, {other, 0}, column, pure::no_op{});
    EXPECT_EQ(row[2], 2 * edge);
    its.accumulate(row_of(mine), {other, 0}, column, pure::replace{});
    its.fence();
    EXPECT_EQ(its.local()[5 * edge], theirs[5]);
    expect_error_code(pure::errc::count, [&] {
      its.accumulate(std::span(mine).first(3), {other, 0}, column, std::plus<>());
    });
    expect_error_code(pure::errc::count, [&] {
      its.get_accumulate(column.of(mine), std::span(row).first(3), {other, 0}, std::plus<>());
    });
    expect_error_code(pure::errc::rma_range, [&] { its.accumulate(row, {other, edge}, column, std::plus<>()); });
    world.barrier();
  });
}

TEST(pure_hpp_window_layouts, all_of_a_contiguous_window_is_one_span) {
  pure::run(3, [](pure::comm world) {
    auto its = pure::window<int>::allocate(world, static_cast<std::size_t>(world.rank()) * 10,
                                           {.where = pure::placement::contiguous});
    for (int& each : its.local()) each = world.rank();
    its.fence();
    const std::span<int> all = its.whole();
    ASSERT_EQ(all.size(), 30U);
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 10 * 1 + 20 * 2);
    EXPECT_EQ(all.data() + 10, its.part(2).data());
    auto separate = pure::window<int>::allocate(world, 10);
    expect_error_code(pure::errc::rma_flavor, [&] { static_cast<void>(separate.whole()); });
    world.barrier();
  });
}

}  // namespace
