// pure.hpp, layouts: views of a range that are sent and received in all ways.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::error_of;

constexpr std::array<std::size_t, 3> column_lengths{4, 200, 40'000};

std::vector<int> numbers_from(std::size_t n, int from) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), from);
  return all;
}

/// A matrix of n rows and 3 columns, of which column 1 counts.
std::vector<int> with_column(std::size_t n, int from) {
  std::vector<int> matrix(3 * n, -1);
  for (std::size_t i = 0; i < n; ++i) matrix[3 * i + 1] = from + static_cast<int>(i);
  return matrix;
}

pure::layout<int> column_of(std::size_t n) { return pure::layout<int>::indexed({{1, 1}}).repeated(n, 3); }

TEST(pure_hpp_layouts, every_way_of_sending_a_column) {
  for (const std::size_t n : column_lengths) {
    pure::run(2, [n](pure::comm world) {
      const pure::layout<int> column = column_of(n);
      EXPECT_EQ(column.size(), n);
      if (world.rank() == 0) {
        const std::vector<int> matrix = with_column(n, 5);
        const pure::send_buffer automatic = world.send_buffer();
        world.send(column.of(matrix), 1);
        world.ssend(column.of(matrix), 1);
        world.bsend(column.of(matrix), 1);
        world.rsend(column.of(matrix), 1);
        world.isend(column.of(matrix), 1).wait();
        const auto view = column.of(matrix);
        world.isend(view, 1).wait();
        world.issend(view, 1).wait();
        pure::persistent_request again = world.send_init(view, 1);
        again.start();
        again.wait();
      } else {
        for (int i = 0; i < 8; ++i) EXPECT_EQ(world.recv<std::vector<int>>(0), numbers_from(n, 5)) << i;
      }
    });
  }
}

TEST(pure_hpp_layouts, every_way_of_receiving_a_column) {
  for (const std::size_t n : column_lengths) {
    pure::run(2, [n](pure::comm world) {
      const pure::layout<int> column = column_of(n);
      if (world.rank() == 0) {
        for (int i = 0; i < 5; ++i) world.send(numbers_from(n, 8), 1);
        world.send(std::vector<int>(numbers_from(n, 8)), 1);  // a moved vector, too
      } else {
        const auto expect_column = [&](auto receive) {
          std::vector<int> matrix(3 * n, -1);
          receive(column.of(matrix));
          EXPECT_EQ(matrix, with_column(n, 8));
        };
        expect_column([&](auto into) { EXPECT_EQ(world.recv_into(into, 0).bytes(), n * sizeof(int)); });
        expect_column([&](auto into) { world.irecv_into(into, 0).wait(); });
        expect_column([&](auto into) { world.mprobe(0).recv_into(into); });
        expect_column([&](auto into) {
          pure::persistent_request each = world.recv_init(into, 0);
          each.start();
          each.wait();
        });
        expect_column([&](auto into) { world.recv_into(std::move(into), pure::any_source); });
        expect_column([&](auto into) { world.recv_into(into, 0); });
      }
    });
  }
}

TEST(pure_hpp_layouts, both_at_once) {
  for (const std::size_t n : column_lengths) {
    pure::run(2, [n](pure::comm world) {
      const int me = world.rank(), other = 1 - me;
      const pure::layout<int> column = column_of(n);
      std::vector<int> matrix = with_column(n, me), row(n);
      world.sendrecv(column.of(matrix), other, row, other);
      EXPECT_EQ(row, numbers_from(n, other));
      world.isendrecv(row, other, column.of(matrix), other).wait();
      EXPECT_EQ(matrix, with_column(n, me));
      world.sendrecv_replace(column.of(matrix), other, other);
      EXPECT_EQ(matrix, with_column(n, other));
    });
  }
}

TEST(pure_hpp_layouts, views_for_once) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      const std::array<double, 6> data{1, 2, 3, 4, 5, 6};
      world.send(pure::strided(data, 3, 1, 2), 1);
      world.send(pure::indexed(data, {{4, 2}, {0, 1}}), 1);
      world.send(pure::layout<double>::contiguous(2).repeated(2, 3).of(data), 1);
    } else {
      EXPECT_EQ(world.recv<std::vector<double>>(0), (std::vector<double>{1, 3, 5}));
      EXPECT_EQ(world.recv<std::vector<double>>(0), (std::vector<double>{5, 6, 1}));
      EXPECT_EQ(world.recv<std::vector<double>>(0), (std::vector<double>{1, 2, 4, 5}));
    }
  });
}

TEST(pure_hpp_layouts, a_range_that_is_too_short_is_refused) {
  std::array<int, 6> data{};
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::strided(data, 3, 1, 3)); }), pure::errc::argument);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::strided(data, 3, 2, 2)); }), pure::errc::success);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::strided(data, 2, 1, -1)); }), pure::errc::argument);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::indexed(data, {{6, 1}})); }), pure::errc::argument);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::indexed(data, {{6, 0}})); }), pure::errc::success);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::layout<int>::contiguous(~std::size_t{0})); }), pure::errc::argument);
  EXPECT_EQ(error_of([&] { static_cast<void>(pure::layout<int>::vector(1 << 30, 1, std::ptrdiff_t{1} << 50)); }),
            pure::errc::argument);
}

}  // namespace
