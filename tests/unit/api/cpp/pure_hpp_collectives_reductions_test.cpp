// pure.hpp, reductions: against a serial fold, for values and ranges, the standard's operators and any function object.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::at_all_sizes;

/// What op makes of input(first), ..., input(last - 1), from the left.
template <class Input, class Op>
auto fold(int first, int last, Input input, Op op) {
  auto result = input(first);
  for (int r = first + 1; r < last; ++r) result = static_cast<decltype(result)>(op(result, input(r)));
  return result;
}

/// As EXPECT_TRUE; a function, because this file instantiates its checks for many types and operators.
void expect(bool is_right, const char* what) { EXPECT_TRUE(is_right) << what; }

/// All forms that return a value, with `input` as the value of each rank.
template <class Input, class Op>
void check_values(const pure::comm& world, Input input, const Op& op) {
  const int me = world.rank(), ranks = world.size();
  const auto x = input(me);
  expect(world.all_reduce(x, op) == fold(0, ranks, input, op), "all_reduce");
  expect(world.scan(x, op) == fold(0, me + 1, input, op), "scan");
  const auto before = world.exscan(x, op);
  expect(before.has_value() == (me > 0), "exscan: who has a value");
  if (before) expect(*before == fold(0, me, input, op), "exscan");
  for (int root = 0; root < ranks; ++root) {
    const auto reduced = world.reduce(x, op, root);
    expect(reduced.has_value() == (me == root), "reduce: who has the value");
    if (reduced) expect(*reduced == fold(0, ranks, input, op), "reduce");
  }
}

template <class T>
void check_integers(const pure::comm& world) {
  const auto input = [](int r) { return static_cast<T>(r * 37 + 11); };
  check_values(world, input, std::plus<T>());
  check_values(world, input, std::bit_and<T>());
  check_values(world, input, std::bit_or<T>());
  check_values(world, input, std::bit_xor<T>());
  check_values(world, input, pure::min());
  check_values(world, input, pure::max());
  check_values(
      world, [](int r) { return static_cast<T>(r != 1); }, std::logical_and());
  check_values(
      world, [](int r) { return static_cast<T>(r == 1); }, std::logical_or());
  check_values(
      world, [](int r) { return static_cast<T>(r != 1); }, pure::logical_xor());
  check_values(
      world, [](int r) { return static_cast<T>(r % 3 + 1); }, std::multiplies());
}

TEST(pure_hpp_collectives_reductions, operators_on_integers) {
  at_all_sizes([](pure::comm world) {
    check_integers<char>(world);
    check_integers<std::int8_t>(world);
    check_integers<unsigned short>(world);
    check_integers<int>(world);
    check_integers<std::uint32_t>(world);
    check_integers<long>(world);
    check_integers<unsigned long long>(world);
    check_values(
        world, [](int r) { return r % 2 == 0; }, std::logical_or());
    check_values(
        world, [](int r) { return r % 2 == 0; }, std::plus());
    check_values(
        world, [](int r) { return static_cast<std::byte>(r); }, std::bit_or());
  });
}

TEST(pure_hpp_collectives_reductions, operators_on_floating_and_complex_numbers) {
  at_all_sizes([](pure::comm world) {
    const auto check = [&]<class T>(T unit) {
      const auto input = [&](int r) { return static_cast<T>(static_cast<T>(r % 4 + 1) * unit); };
      check_values(world, input, std::plus());
      check_values(world, input, std::multiplies<T>());
      check_values(world, input, pure::min());
      check_values(world, input, pure::max());
      check_values(world, input, std::logical_and());
    };
    check(0.5F);
    check(-0.25);
    check(2.0L);
    const auto complex = [](int r) { return std::complex(r + 1.0, r % 2 - 0.5); };
    check_values(world, complex, std::plus());
    check_values(world, complex, std::multiplies());

    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double x = world.rank() == world.size() / 2 ? nan : 1.0;
    EXPECT_TRUE(std::isnan(world.all_reduce(x, pure::min())));
    EXPECT_TRUE(std::isnan(world.all_reduce(x, pure::max())));
  });
}

TEST(pure_hpp_collectives_reductions, least_and_greatest_with_their_places) {
  at_all_sizes([](pure::comm world) {
    const auto check = [&]<class T>(T) {
      const auto input = [](int r) { return pure::value_index{static_cast<T>((r * 5 + 3) % 4), r}; };
      check_values(world, input, pure::minloc());
      check_values(world, input, pure::maxloc());
    };
    check(1.0);
    check(1.0F);
    check(1.0L);
    check(short{1});
    check(1);
    check(1L);
    check(1U);  // no pair of pure.h
    const auto far = [](int r) { return pure::value_index{r % 2, std::int64_t{r} << 40}; };
    check_values(world, far, pure::maxloc());
    const auto best = world.all_reduce(pure::value_index{-1.0 * world.rank(), world.rank()}, pure::minloc());
    EXPECT_EQ(best.index, world.size() - 1);
  });
}

struct matrix {
  std::array<std::uint64_t, 4> at;
  friend bool operator==(const matrix&, const matrix&) = default;
};
matrix operator*(const matrix& a, const matrix& b) {
  return {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
           a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]}};
}
matrix matrix_of(int r) {
  const auto u = static_cast<std::uint64_t>(r);
  return {{u + 1, u * u + 2, 3 * u + 1, 7 - u}};
}

struct multiply_mod {  // with state, and no default constructor
  explicit multiply_mod(int modulus) : modulus_(modulus) {}
  int operator()(int a, int b) const { return static_cast<int>(std::int64_t{a} * b % modulus_); }
  int modulus_;
};

int greatest_common_divisor(int a, int b) { return std::gcd(a, b); }

TEST(pure_hpp_collectives_reductions, any_function_object) {
  at_all_sizes([](pure::comm world) {
    check_values(world, matrix_of, std::multiplies());
    check_values(world, matrix_of, [](const matrix& a, const matrix& b) { return a * b; });
    check_values(
        world, [](int r) { return r + 2; }, multiply_mod(1009));
    check_values(
        world, [](int r) { return 60 * (r + 2); }, greatest_common_divisor);
    check_values(
        world, [](int r) { return 60 * (r + 2); }, &greatest_common_divisor);
    const std::function<int(int, int)> left = [](int a, int) { return a; };
    check_values(
        world, [](int r) { return r; }, left);
    const int modulus = 101;
    check_values(
        world, [](int r) { return r + 50; }, [&](int a, int b) { return (a + b) % modulus; });
    check_values(
        world, [](int r) { return static_cast<float>(r) + 1.5F; }, [](double, double b) { return b; });
  });
}

std::vector<double> range_of(int r, std::size_t count) {
  std::vector<double> range(count);
  for (std::size_t i = 0; i < count; ++i) range[i] = r * 3 + static_cast<double>(i % 17);
  return range;
}

std::vector<double> sum_of_ranges(int first, int last, std::size_t count) {
  std::vector<double> sum(count);
  for (int r = first; r < last; ++r) {
    const auto range = range_of(r, count);
    for (std::size_t i = 0; i < count; ++i) sum[i] += range[i];
  }
  return sum;
}

TEST(pure_hpp_collectives_reductions, ranges_are_reduced_element_by_element) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    for (const std::size_t count : {0U, 1U, 3U, 64U, 1000U, 70001U}) {
      const std::vector<double> x = range_of(me, count), all = sum_of_ranges(0, ranks, count);
      EXPECT_EQ(world.all_reduce(x, std::plus()), all);
      EXPECT_EQ(world.all_reduce(std::span(x), [](double a, double b) { return a + b; }), all);
      EXPECT_EQ(world.scan(x, std::plus()), sum_of_ranges(0, me + 1, count));
      EXPECT_EQ(world.exscan(x, std::plus()), me == 0 ? std::vector<double>() : sum_of_ranges(0, me, count));
      const int root = ranks - 1;
      EXPECT_EQ(world.reduce(x, std::plus(), root), me == root ? all : std::vector<double>());
    }
    const std::array<int, 3> three{me, 1, -me};
    const std::array<int, 3> sums = world.all_reduce(three, std::plus());
    EXPECT_EQ(sums, (std::array{ranks * (ranks - 1) / 2, ranks, -ranks * (ranks - 1) / 2}));
    EXPECT_EQ(world.reduce(three, std::plus()), me == 0 ? std::optional(sums) : std::nullopt);
    const int plain[] = {1, 2};
    EXPECT_EQ(world.all_reduce(plain, std::plus()), (std::vector{ranks, 2 * ranks}));
  });
}

TEST(pure_hpp_collectives_reductions, into_and_in_place) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    const std::vector<double> untouched(100, -1), x = range_of(me, 100), all = sum_of_ranges(0, ranks, 100);
    std::vector<double> out = untouched;
    world.all_reduce_into(x, out, std::plus());
    EXPECT_EQ(out, all);
    out = x;
    world.all_reduce_into(pure::in_place, out, std::plus());
    EXPECT_EQ(out, all);
    out = x;
    world.all_reduce_in_place(std::span(out).first(50), std::plus());
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + 50, all.begin()));
    EXPECT_TRUE(std::equal(out.begin() + 50, out.end(), x.begin() + 50));
    int value = me;
    world.all_reduce_in_place(value, pure::max());
    EXPECT_EQ(value, ranks - 1);

    for (int root = 0; root < ranks; ++root) {
      out = untouched;
      world.reduce_into(x, out, std::plus(), root);
      EXPECT_EQ(out, me == root ? all : untouched);
      world.reduce_into(x, me == root ? std::span(out) : std::span<double>(), std::plus(), root);
      out = x;
      world.reduce_into(pure::in_place, out, std::plus(), root);
      EXPECT_EQ(out, me == root ? all : x);
    }

    world.scan_into(x, out, std::plus());
    EXPECT_EQ(out, sum_of_ranges(0, me + 1, 100));
    out = x;
    world.scan_into(pure::in_place, out, std::plus());
    EXPECT_EQ(out, sum_of_ranges(0, me + 1, 100));
    out = untouched;
    world.exscan_into(x, out, std::plus());
    EXPECT_EQ(out, me == 0 ? untouched : sum_of_ranges(0, me, 100));
    out = x;
    world.exscan_into(pure::in_place, out, std::plus());
    EXPECT_EQ(out, me == 0 ? x : sum_of_ranges(0, me, 100));
    EXPECT_EQ(world.exscan(me + 1, std::plus(), 1000), 1000 + me * (me + 1) / 2);
    EXPECT_EQ(world.exscan(matrix_of(me), std::multiplies(), matrix_of(9)),
              me == 0 ? matrix_of(9) : matrix_of(9) * fold(0, me, matrix_of, std::multiplies()));
  });
}

TEST(pure_hpp_collectives_reductions, reduce_scatter) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    for (const std::size_t each : {0U, 1U, 5U, 3000U}) {
      const std::size_t count = each * static_cast<std::size_t>(ranks);
      const std::vector<double> x = range_of(me, count), all = sum_of_ranges(0, ranks, count);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(each) * me;
      const std::vector<double> part(first, first + static_cast<std::ptrdiff_t>(each));
      EXPECT_EQ(world.reduce_scatter(x, std::plus()), part);
      std::vector<double> out(each);
      world.reduce_scatter_into(x, out, std::plus());
      EXPECT_EQ(out, part);
      out = x;
      world.reduce_scatter_into(pure::in_place, out, std::plus());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), out.begin()));
    }
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));  // 0, 3, 6, ...
    for (int r = 0; r < ranks; ++r) counts[static_cast<std::size_t>(r)] = 3 * r;
    const auto count = static_cast<std::size_t>(3 * ranks * (ranks - 1) / 2);
    const std::vector<double> x = range_of(me, count), all = sum_of_ranges(0, ranks, count);
    const auto first = all.begin() + 3 * me * (me - 1) / 2;
    const std::vector<double> part(first, first + 3 * me);
    EXPECT_EQ(world.reduce_scatter(x, counts, std::plus()), part);
    std::vector<double> out(part.size());
    world.reduce_scatter_into(x, counts, out, [](double a, double b) { return a + b; });
    EXPECT_EQ(out, part);
    out = x;
    world.reduce_scatter_into(pure::in_place, counts, out, std::plus());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), out.begin()));
  });
}

TEST(pure_hpp_collectives_reductions, sums_that_do_not_depend_on_the_number_of_ranks) {
  const std::vector<double> all{1e16, 1.0, -1e16, 1e-3, 3e8, -1.0, 1e16, 5e-324, -1e16, 0.1, 7.0};
  at_all_sizes([&](pure::comm world) {
    const std::size_t me = static_cast<std::size_t>(world.rank()), ranks = static_cast<std::size_t>(world.size());
    const std::size_t first = all.size() * me / ranks, last = all.size() * (me + 1) / ranks;
    EXPECT_EQ(world.reproducible_sum(std::span(all).subspan(first, last - first)),
              static_cast<double>(3e8L + 7.0L + 0.1 + 0.001));
    EXPECT_EQ(world.reproducible_sum(std::vector<float>()), 0.0F);
    EXPECT_EQ(world.reproducible_sum(0.5F), 0.5F * static_cast<float>(ranks));
  });
}

TEST(pure_hpp_collectives_reductions, on_parts_of_world) {
  pure::run(7, [](pure::comm world) {
    const pure::comm part = world.split(world.rank() % 2, -world.rank());
    check_values(part, matrix_of, std::multiplies());
    const std::vector<double> x = range_of(part.rank(), 500);
    EXPECT_EQ(part.all_reduce(x, std::plus()), sum_of_ranges(0, part.size(), 500));
    EXPECT_EQ(world.all_reduce(1, std::plus()), 7);
  });
}

}  // namespace
