// Sums of float and double that are rounded once: to the nearest, ties to even, whatever the order and the grouping.
//
// A superaccumulator holds a sum exactly, as one long integer in units of the least positive double. Objects are plain
// data without pointers: ranks may copy them and merge each other's. Like every object, one thread at a time uses one.
//
// Infinities and NaNs do not depend on the order either: NaN if there is a NaN, or infinities of both signs; always
// quiet_NaN(). The sum is -0 only if there are elements and all are -0. Intermediate sums do not overflow. All this
// assumes the default floating-point environment: round to nearest, subnormals not flushed to zero.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pure::core {

/// The exact sum of up to 2^64 floats or doubles.
class superaccumulator {
 public:
  void add(double x) noexcept {
    constexpr int fraction_bits = 52;
    constexpr std::uint64_t hidden_bit = std::uint64_t{1} << fraction_bits;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<unsigned>(bits >> fraction_bits & 0x7ff);
    if (bits == minus_zero_bits || exponent == 0x7ff) [[unlikely]] {
      add_special(x);
      return;
    }
    seen_other_ = true;
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | hidden_bit;
    const unsigned position = exponent == 0 ? 0 : exponent - 1;  // of its lowest bit, in the long integer
    const unsigned shift = position % digit_bits;
    const auto low = static_cast<std::int64_t>(significand << shift & digit_mask);
    const auto high = static_cast<std::int64_t>(significand >> (digit_bits - shift));
    const std::int64_t sign = static_cast<std::int64_t>(bits) >> 63;  // 0 or -1
    digits_[position / digit_bits] += (low ^ sign) - sign;
    digits_[position / digit_bits + 1] += (high ^ sign) - sign;
    if (++pending_ == longest_pending) [[unlikely]]
      carry();
  }

  void merge(const superaccumulator& other) noexcept;

  /// The sum, rounded to T: float or double. 0 for no elements.
  template <class T>
  [[nodiscard]] T rounded() const noexcept;

 private:
  // Digit i counts units of 2^(32 i - 1074). 2098 bits hold any double, 64 more the carries of 2^64 of them. Digits are
  // signed and wider than 32 bits, so that adding need not carry: `longest_pending` additions of less than 2^53 + 2^32
  // fit. After carry(), all but the last are in [0, 2^32).
  static constexpr unsigned digit_bits = 32;
  static constexpr std::int64_t digit_mask = 0xffffffff;
  static constexpr std::size_t digits = 67;
  static constexpr std::uint32_t longest_pending = 1000;
  static constexpr std::uint64_t minus_zero_bits = std::uint64_t{1} << 63;

  void add_special(double x) noexcept;
  void carry() noexcept;
  [[nodiscard]] std::uint64_t bits_from(unsigned position) const noexcept;

  std::array<std::int64_t, digits> digits_{};
  std::uint32_t pending_ = 0;  // additions since the last carry()
  bool seen_nan_ = false;
  bool seen_infinity_ = false;
  bool seen_minus_infinity_ = false;
  bool seen_minus_zero_ = false;
  bool seen_other_ = false;  // anything finite but -0
};

/// The sum of elements of one type. T: float, double. Trivially copyable.
template <class T>
class exact_sum {
 public:
  void add(T element) noexcept { sum_.add(element); }
  /// Several times faster for long arrays of which the elements' magnitudes are not too different.
  void add(std::span<const T> elements) noexcept;
  void merge(const exact_sum& other) noexcept { sum_.merge(other.sum_); }
  [[nodiscard]] T result() const noexcept { return sum_.rounded<T>(); }

 private:
  superaccumulator sum_;
};

/// detail::reduction::sum_exactly. `out` may be one of the operands; ranks > 0. T: float, double.
template <class T>
void sum_exactly(const void* const operands[], int ranks, void* out, std::size_t count);

}  // namespace pure::core
