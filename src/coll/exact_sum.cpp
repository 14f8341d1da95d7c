#include "coll/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "coll/two_sum.hpp"

namespace pure::core {

static_assert(std::is_trivially_copyable_v<exact_sum<double>> && sizeof(exact_sum<double>) <= 1024);

void superaccumulator::add_special(double x) noexcept {
  if (x == 0) {
    seen_minus_zero_ = true;
  } else if (std::isnan(x)) {
    seen_nan_ = true;
  } else {
    (x > 0 ? seen_infinity_ : seen_minus_infinity_) = true;
  }
}

void superaccumulator::carry() noexcept {
  for (std::size_t i = 0; i + 1 < digits; ++i) {
    digits_[i + 1] += digits_[i] >> digit_bits;  // rounds down, so that what is left is not negative
    digits_[i] &= digit_mask;
  }
  pending_ = 0;
}

void superaccumulator::merge(const superaccumulator& other) noexcept {
  superaccumulator addend = other;
  addend.carry();
  carry();
  for (std::size_t i = 0; i < digits; ++i) digits_[i] += addend.digits_[i];
  pending_ = 1;
  seen_nan_ |= addend.seen_nan_;
  seen_infinity_ |= addend.seen_infinity_;
  seen_minus_infinity_ |= addend.seen_minus_infinity_;
  seen_minus_zero_ |= addend.seen_minus_zero_;
  seen_other_ |= addend.seen_other_;
}

// 64 bits of the long integer, which must be carried and not negative, from `position` on.
std::uint64_t superaccumulator::bits_from(unsigned position) const noexcept {
  const auto digit = [this](std::size_t i) { return i < digits ? static_cast<std::uint64_t>(digits_[i]) : 0; };
  const std::size_t first = position / digit_bits;
  const unsigned shift = position % digit_bits;
  const std::uint64_t low = digit(first) | digit(first + 1) << digit_bits;
  return shift == 0 ? low : low >> shift | digit(first + 2) << (2 * digit_bits - shift);
}

template <class T>
T superaccumulator::rounded() const noexcept {
  using limits = std::numeric_limits<T>;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr unsigned precision = limits::digits;
  // Positions in the long integer of the lowest bit of a T, and of the highest.
  constexpr auto lowest = static_cast<unsigned>(std::numeric_limits<double>::digits - limits::digits +
                                                limits::min_exponent - std::numeric_limits<double>::min_exponent);
  constexpr auto highest = lowest + precision - 1 + static_cast<unsigned>(limits::max_exponent - limits::min_exponent);

  if (seen_nan_ || (seen_infinity_ && seen_minus_infinity_)) return limits::quiet_NaN();
  if (seen_infinity_) return limits::infinity();
  if (seen_minus_infinity_) return -limits::infinity();

  superaccumulator magnitude = *this;
  magnitude.carry();
  const bool is_negative = magnitude.digits_.back() < 0;
  if (is_negative) {
    for (std::int64_t& digit : magnitude.digits_) digit = -digit;
    magnitude.carry();
  }
  const auto& digit = magnitude.digits_;
  std::size_t top = digits - 1;
  while (top > 0 && digit[top] == 0) --top;
  if (digit[top] == 0) return seen_minus_zero_ && !seen_other_ ? -T{0} : T{0};

  const auto highest_bit = static_cast<unsigned>(top * digit_bits +
                                                 std::bit_width(static_cast<std::uint64_t>(digit[top])) - 1);
  if (highest_bit > highest) return is_negative ? -limits::infinity() : limits::infinity();
  const unsigned last = std::max(highest_bit + 1, lowest + precision) - precision;  // position of the last bit kept
  constexpr std::uint64_t kept_bits = (std::uint64_t{1} << precision) - 1;
  auto encoded = static_cast<bits>(magnitude.bits_from(last) & kept_bits);
  // The hidden bit counts one up in the exponent, which is therefore one less here.
  encoded += static_cast<bits>(last - lowest) << (precision - 1);
  if (last > 0) {
    const unsigned half = last - 1;
    const bool above_half = [&] {
      for (std::size_t i = 0; i < half / digit_bits; ++i) {
        if (digit[i] != 0) return true;
      }
      return (digit[half / digit_bits] & ((std::int64_t{1} << half % digit_bits) - 1)) != 0;
    }();
    const bool at_least_half = (magnitude.bits_from(half) & 1) != 0;
    if (at_least_half && (above_half || (encoded & 1) != 0)) ++encoded;  // may carry into the exponent, up to infinity
  }
  const T result = std::bit_cast<T>(encoded);
  return is_negative ? -result : result;
}
template float superaccumulator::rounded<float>() const noexcept;
template double superaccumulator::rounded<double>() const noexcept;

namespace {

/// Adds an array to `lanes` sums side by side, each kept as a sum and its errors. A group of elements with which the
/// two are not exact (see add_exactly) goes to the superaccumulator instead, element by element.
template <class T>
[[gnu::always_inline]] inline void add_to_lanes(superaccumulator& to, const T* elements, std::size_t count) noexcept {
  constexpr std::size_t lanes = 32;  // enough that no vector waits for the addition before
  constexpr std::size_t rows = 4;
  constexpr std::size_t group = rows * lanes;
  constexpr int groups_to_skip = 16;  // after one that failed: its successors are like it

  double sum[lanes], errors[lanes]{};
  std::fill_n(sum, lanes, -0.0);  // until something else is added
  int skip = 0;
  std::size_t i = 0;
  for (; i + group <= count; i += group) {
    if (skip == 0) {
      double next_sum[lanes], next_errors[lanes];
      std::uint64_t lost[lanes]{};
      std::copy_n(sum, lanes, next_sum);
      std::copy_n(errors, lanes, next_errors);
      for (std::size_t row = 0; row < rows; ++row) {
        const T* const of_row = elements + i + row * lanes;
        for (std::size_t k = 0; k < lanes; ++k) add_exactly(next_sum[k], next_errors[k], of_row[k], lost[k]);
      }
      std::uint64_t all_lost = 0;
      for (const std::uint64_t each : lost) all_lost |= each;
      if (all_lost == 0) {
        std::copy_n(next_sum, lanes, sum);
        std::copy_n(next_errors, lanes, errors);
        continue;
      }
      skip = groups_to_skip;
    }
    --skip;
    for (std::size_t k = 0; k < group; ++k) to.add(elements[i + k]);
  }
  if (i > 0) {
    for (const double each : sum) to.add(each);
    for (const double each : errors) {
      if (each != 0) to.add(each);
    }
  }
  for (; i < count; ++i) to.add(elements[i]);
}

template <class T>
void add_array(superaccumulator& to, const T* elements, std::size_t count) noexcept {
  add_to_lanes(to, elements, count);
}

#ifdef __x86_64__
template <class T>
[[gnu::target("avx2")]] void add_array_avx2(superaccumulator& to, const T* elements, std::size_t count) noexcept {
  add_to_lanes(to, elements, count);
}
#endif

}  // namespace

template <class T>
void exact_sum<T>::add(std::span<const T> elements) noexcept {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return add_array_avx2(sum_, elements.data(), elements.size());
#endif
  add_array(sum_, elements.data(), elements.size());
}
template class exact_sum<float>;
template class exact_sum<double>;

}  // namespace pure::core
