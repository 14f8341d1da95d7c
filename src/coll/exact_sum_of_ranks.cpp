// sum_exactly: the exact sum, element by element, of one array per rank.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "coll/exact_sum.hpp"
#include "coll/operator_kernels.hpp"
#include "coll/two_sum.hpp"

namespace pure::core {
namespace {

template <class T>
T canonical(T x) {
  return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

/// One addition is rounded once as it is.
struct sum_of_two {
  template <class T>
  T operator()(T left, T right) const {
    return canonical(left + right);
  }
};

template <class T>
T exact_sum_at(const void* const operands[], int ranks, std::size_t i) {
  exact_sum<T> sum;
  for (int r = 0; r < ranks; ++r) sum.add(static_cast<const T*>(operands[r])[i]);
  return sum.result();
}

/// sum + error rounded to odd: the exact value if it is a double, else the neighbour with an odd significand. Rounding
/// that to float is rounding the exact value: a double has more than twice the bits (Boldo and Melquiond, 2008).
double round_to_odd(double sum, double error) {
  two_sum(sum, error, sum, error);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

constexpr std::size_t longest_block = 64;

// Floats become doubles in a loop of their own: GCC's mixed loop is three times slower (D-floats-become-doubles).
[[gnu::always_inline]] inline const double* as_doubles(const float* from, double* scratch, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) scratch[i] = from[i];
  return scratch;
}
[[gnu::always_inline]] inline const double* as_doubles(const double* from, double*, std::size_t) { return from; }

/// Elements [at, at + count) of a few. All operands are read before anything is written. Each sum is kept with its
/// errors; where nothing is lost, adding the two rounds once. Otherwise the superaccumulator does it.
template <class T>
[[gnu::always_inline]] inline void sum_block(const void* const operands[], int ranks, T* out, std::size_t at,
                                             std::size_t count) noexcept {
  double sum[longest_block], errors[longest_block], scratch[longest_block];
  std::uint64_t lost[longest_block];
  const T* const first = static_cast<const T*>(operands[0]) + at;
  const T* const second = static_cast<const T*>(operands[1]) + at;
  for (std::size_t i = 0; i < count; ++i) {
    two_sum(first[i], second[i], sum[i], errors[i]);
    lost[i] = 0;
  }
  for (int r = 2; r < ranks; ++r) {
    const double* const operand = as_doubles(static_cast<const T*>(operands[r]) + at, scratch, count);
    for (std::size_t i = 0; i < count; ++i) add_exactly(sum[i], errors[i], operand[i], lost[i]);
  }

  T result[longest_block];
  constexpr bool is_rounded_again = sizeof(T) < sizeof(double);
  std::uint64_t any_special = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<T>(sum[i] - (0.0 - errors[i]));  // unlike sum + errors, it keeps a sum of -0
    any_special |= lost[i];
    if (is_rounded_again) any_special |= std::bit_cast<std::uint64_t>(errors[i]);
  }
  if (any_special != 0) [[unlikely]] {
    for (std::size_t i = 0; i < count; ++i) {
      if (lost[i] != 0) {
        result[i] = exact_sum_at<T>(operands, ranks, at + i);
      } else if (is_rounded_again && errors[i] != 0) {
        result[i] = static_cast<T>(round_to_odd(sum[i], errors[i]));
      }
    }
  }
  std::memcpy(out + at, result, count * sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline void sum_blocks(const void* const operands[], int ranks, T* out, std::size_t count) {
  std::size_t i = 0;
  for (; i + longest_block <= count; i += longest_block) sum_block(operands, ranks, out, i, longest_block);
  if (i < count) sum_block(operands, ranks, out, i, count - i);
}

template <class T>
void sum_arrays(const void* const operands[], int ranks, T* out, std::size_t count) {
  sum_blocks(operands, ranks, out, count);
}

#ifdef __x86_64__
template <class T>
[[gnu::target("avx2")]] void sum_arrays_avx2(const void* const operands[], int ranks, T* out, std::size_t count) {
  sum_blocks(operands, ranks, out, count);
}
#endif

}  // namespace

template <class T>
void sum_exactly(const void* const operands[], int ranks, void* out, std::size_t count) {
  auto* const to = static_cast<T*>(out);
  if (ranks == 1) {
    for (std::size_t i = 0; i < count; ++i) to[i] = canonical(static_cast<const T*>(operands[0])[i]);
  } else if (ranks == 2) {
    vector_kernel<T, sum_of_two>(best_instruction_set())(nullptr, operands[0], operands[1], out, count);
  } else if (best_instruction_set() == instruction_set::avx2) {
#ifdef __x86_64__
    sum_arrays_avx2(operands, ranks, to, count);
#endif
  } else {
    sum_arrays(operands, ranks, to, count);
  }
}
template void sum_exactly<float>(const void* const operands[], int ranks, void* out, std::size_t count);
template void sum_exactly<double>(const void* const operands[], int ranks, void* out, std::size_t count);

}  // namespace pure::core
