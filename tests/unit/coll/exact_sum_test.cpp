// exact_sum and sum_exactly against an oracle that counts bits: rounded once, whatever the order and the grouping.
#include "coll/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "support/environment.hpp"

namespace pure::core {
namespace {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
bits_of<T> bits(T x) {
  return std::bit_cast<bits_of<T>>(x);
}

/// One counter for each power of two from 2^-1074 up.
class bit_counter {
 public:
  void add(double x) {
    if (x == 0) {
      all_minus_zero_ = all_minus_zero_ && std::signbit(x);
      return;
    }
    all_minus_zero_ = false;
    int exponent = 0;
    const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    for (int bit = 0; bit < 53; ++bit) {
      if ((std::abs(significand) >> bit & 1) == 0) continue;
      counts_.at(static_cast<std::size_t>(exponent - 53 + bit + 1074)) += x > 0 ? 1 : -1;
    }
  }

  template <class T>
  T rounded(std::size_t elements) const {
    std::vector<std::int64_t> magnitude = counts_;
    bool is_negative = carry(magnitude);
    if (is_negative) {
      magnitude = counts_;
      for (std::int64_t& each : magnitude) each = -each;
      carry(magnitude);
    }
    const auto top = static_cast<int>(magnitude.rend() - std::find(magnitude.rbegin(), magnitude.rend(), 1)) - 1;
    if (top < 0) return elements > 0 && all_minus_zero_ ? -T{0} : T{0};
    using limits = std::numeric_limits<T>;
    const int last = std::max(top - (limits::digits - 1), limits::min_exponent - limits::digits + 1074);
    std::int64_t kept = 0;
    for (int i = std::max(top, last); i >= last; --i) kept = 2 * kept + magnitude[static_cast<std::size_t>(i)];
    if (last > 0 && magnitude[static_cast<std::size_t>(last - 1)] == 1) {
      const bool above_half = std::count(magnitude.begin(), magnitude.begin() + last - 1, 1) > 0;
      if (above_half || kept % 2 == 1) ++kept;
    }
    const T result = std::ldexp(static_cast<T>(kept), last - 1074);  // exact, or infinite
    return is_negative ? -result : result;
  }

 private:
  // To bits 0 and 1; true if the number is negative.
  static bool carry(std::vector<std::int64_t>& counts) {
    std::int64_t over = 0;
    for (std::int64_t& each : counts) {
      each += over;
      over = each >> 1;
      each &= 1;
    }
    return over < 0;
  }

  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(2200);
  bool all_minus_zero_ = true;
};

template <class T>
T oracle(const std::vector<T>& elements) {
  bool nan = false, plus = false, minus = false;
  bit_counter sum;
  for (const T x : elements) {
    if (std::isfinite(x)) sum.add(x);
    nan |= std::isnan(x);
    plus |= std::isinf(x) && x > 0;
    minus |= std::isinf(x) && x < 0;
  }
  using limits = std::numeric_limits<T>;
  if (nan || (plus && minus)) return limits::quiet_NaN();
  if (plus) return limits::infinity();
  if (minus) return -limits::infinity();
  return sum.rounded<T>(elements.size());
}

enum class kind { any_bits, alike, far_apart, cancelling, subnormal, huge, special };
constexpr kind all_kinds[] = {kind::any_bits,  kind::alike, kind::far_apart, kind::cancelling,
                              kind::subnormal, kind::huge,  kind::special};

template <class T>
class source {
 public:
  explicit source(std::uint64_t seed) : random_(seed) {}

  T next(kind of) {
    using limits = std::numeric_limits<T>;
    const T alike = static_cast<T>(std::normal_distribution<double>()(random_));
    switch (of) {
      case kind::any_bits:
        for (;;) {
          const T x = std::bit_cast<T>(static_cast<bits_of<T>>(random_()));
          if (std::isfinite(x)) return x;
        }
      case kind::alike: return alike;
      case kind::far_apart: return std::ldexp(alike, static_cast<int>(random_() % 140) - 70);
      case kind::cancelling: {
        last_ = random_() % 3 == 0 ? alike : random_() % 5 == 0 ? std::ldexp(last_, -30) : -last_;
        return last_;
      }
      case kind::subnormal: return std::copysign(static_cast<T>(random_() % 1000) * limits::denorm_min(), alike);
      case kind::huge: return std::copysign(limits::max() / static_cast<T>(1 + random_() % 3), alike);
      case kind::special: {
        constexpr T choices[] = {T{0},
                                 -T{0},
                                 limits::infinity(),
                                 -limits::infinity(),
                                 limits::max(),
                                 -limits::max(),
                                 T{1},
                                 limits::denorm_min(),
                                 limits::min(),
                                 -limits::min(),
                                 -T{0},
                                 limits::quiet_NaN()};
        return choices[random_() % (random_() % 4 == 0 ? 12 : 2)];
      }
    }
    return 0;
  }
  std::vector<T> some(kind of, std::size_t count) {
    std::vector<T> made(count);
    for (T& each : made) each = next(of);
    return made;
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
  T last_ = 1;
};

template <class T>
class exact_sums : public testing::Test {};
using both = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_sums, both);

TYPED_TEST(exact_sums, are_what_the_oracle_says_in_any_order_and_grouping) {
  using T = TypeParam;
  source<T> from(test_support::first_seed());
  for (int round = 0; round < test_support::repetitions(60); ++round) {
    for (const kind of : all_kinds) {
      std::vector<T> elements = from.some(of, from.random()() % (round % 4 == 0 ? 3000 : 20));
      const auto expected = bits(oracle(elements));

      for (int order = 0; order < 3; ++order) {
        exact_sum<T> one_by_one;
        for (const T x : elements) one_by_one.add(x);
        ASSERT_EQ(bits(one_by_one.result()), expected) << elements.size() << " of kind " << static_cast<int>(of);

        exact_sum<T> at_once;
        at_once.add(std::span<const T>(elements));
        ASSERT_EQ(bits(at_once.result()), expected) << elements.size() << " of kind " << static_cast<int>(of);

        std::vector<exact_sum<T>> parts(1 + from.random()() % 7);
        for (std::size_t done = 0; done < elements.size();) {
          const std::size_t now = std::min<std::size_t>(1 + from.random()() % 300, elements.size() - done);
          parts[from.random()() % parts.size()].add(std::span<const T>(elements).subspan(done, now));
          done += now;
        }
        exact_sum<T> all;
        for (const exact_sum<T>& part : parts) all.merge(part);
        ASSERT_EQ(bits(all.result()), expected) << elements.size() << " of kind " << static_cast<int>(of);

        std::shuffle(elements.begin(), elements.end(), from.random());
      }
    }
  }
}

TYPED_TEST(exact_sums, round_ties_to_even) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  const T half = limits::epsilon() / 2, tiny = limits::denorm_min();
  const auto sum_of = [](std::initializer_list<T> elements) {
    exact_sum<T> sum;
    for (const T x : elements) sum.add(x);
    return sum.result();
  };
  EXPECT_EQ(sum_of({1, half}), T{1});
  EXPECT_EQ(sum_of({1, half, tiny}), 1 + limits::epsilon());
  EXPECT_EQ(sum_of({1, half, -tiny}), T{1});
  EXPECT_EQ(sum_of({1 + limits::epsilon(), half}), 1 + 2 * limits::epsilon());
  EXPECT_EQ(sum_of({-1, -half, -tiny}), -1 - limits::epsilon());
  const T half_of_last = std::ldexp(T{1}, limits::max_exponent - limits::digits - 1);
  EXPECT_EQ(sum_of({limits::max(), half_of_last}), limits::infinity());
  EXPECT_EQ(sum_of({limits::max(), half_of_last, -tiny}), limits::max());
  EXPECT_EQ(sum_of({limits::max(), limits::max(), -limits::max()}), limits::max());
}

TYPED_TEST(exact_sums, survive_many_carries) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  const std::vector<T> large(10'000, limits::max()), small(10'000, -limits::max());
  exact_sum<T> sum;
  for (const T x : large) sum.add(x);
  EXPECT_EQ(sum.result(), limits::infinity());
  exact_sum<T> other;
  other.add(std::span<const T>(small));
  EXPECT_EQ(other.result(), -limits::infinity());
  other.add(T{1});
  sum.merge(other);
  EXPECT_EQ(sum.result(), T{1});
  for (int doubling = 0; doubling < 40; ++doubling) sum.merge(exact_sum<T>(sum));
  EXPECT_EQ(sum.result(), std::ldexp(T{1}, 40));
}

TYPED_TEST(exact_sums, over_ranks_are_what_the_oracle_says) {
  using T = TypeParam;
  source<T> from(test_support::first_seed());
  for (const std::size_t count : {0UL, 1UL, 2UL, 5UL, 63UL, 64UL, 65UL, 131UL}) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      for (const kind of : all_kinds) {
        if (count > 5 && (ranks + static_cast<int>(of)) % 4 != 0) continue;  // for time
        std::vector<std::vector<T>> operands;
        for (int r = 0; r < ranks; ++r) operands.push_back(from.some(of, count));
        std::vector<T> expected;
        for (std::size_t i = 0; i < count; ++i) {
          std::vector<T> elements;
          for (const std::vector<T>& operand : operands) elements.push_back(operand[i]);
          expected.push_back(oracle(elements));
        }
        for (int place = -1; place < ranks; ++place) {  // in an array of its own, or in that of one rank
          std::vector<std::vector<T>> in = operands;
          std::vector<T> own(count);
          std::vector<const void*> pointers;
          for (const std::vector<T>& operand : in) pointers.push_back(operand.data());
          std::vector<T>& out = place < 0 ? own : in[static_cast<std::size_t>(place)];
          sum_exactly<T>(pointers.data(), ranks, out.data(), count);
          for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(bits(out[i]), bits(expected[i]))
                << "element " << i << " of " << count << ", " << ranks << " ranks, kind " << static_cast<int>(of);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pure::core
