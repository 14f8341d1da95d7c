// Predefined operators on elements that pure.h has no type for: complex long double, Fortran's pairs, and its numbers
// of 2 and of 16 bytes (MPI 5.0, 6.9.2 and 19.1.9).
#include <algorithm>
#include <bit>
#include <cfloat>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "api/mpi/operators.hpp"

namespace pure::core::mpi {

namespace {

/// Element by element, wherever they lie: a program's buffer may be less aligned than the compiler has such types.
template <class T, class Combine>
void combine_each(const void* left, const void* right, void* out, std::size_t count, Combine combine) {
  const auto* l = static_cast<const std::byte*>(left);
  const auto* r = static_cast<const std::byte*>(right);
  auto* o = static_cast<std::byte*>(out);
  for (std::size_t i = 0; i < count; ++i, l += sizeof(T), r += sizeof(T), o += sizeof(T)) {
    T a, b;
    std::memcpy(static_cast<void*>(&a), l, sizeof a);
    std::memcpy(static_cast<void*>(&b), r, sizeof b);
    const T result = combine(a, b);
    std::memcpy(o, static_cast<const void*>(&result), sizeof result);
  }
}

template <class T>
struct value_and_place {
  T value, place;
};

template <class T, bool is_least>
void combine_places(const void*, const void* left, const void* right, void* out, std::size_t count) {
  using pair = value_and_place<T>;
  combine_each<pair>(left, right, out, count, [](const pair& a, const pair& b) {
    if (a.value == b.value) return pair{a.value, std::min(a.place, b.place)};
    return (a.value < b.value) == is_least ? a : b;
  });
}
template <class T>
detail::reduction::function place_kernel(pure_op op) noexcept {
  if (op == PURE_MINLOC) return combine_places<T, true>;
  if (op == PURE_MAXLOC) return combine_places<T, false>;
  return nullptr;
}

// ---- numbers ----

/// A floating-point number of 16 bits, which is computed with as a float.
struct half {
  std::uint16_t bits;

  explicit half(float value) noexcept {
    const auto of = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(of >> 16 & 0x8000);
    const std::uint32_t size = of & 0x7fffffff;
    if (size > 0x7f800000) {  // no number
      bits = static_cast<std::uint16_t>(sign | 0x7e00);
    } else if (size >= 0x477ff000) {  // rounds to 65536 or more
      bits = static_cast<std::uint16_t>(sign | 0x7c00);
    } else if (size < 0x38800000) {  // below 2^-14: multiples of 2^-24
      // A float adds half of 2^0 .. 2^-23 exactly as it has to be rounded: to the nearest, of two to the even one.
      const float shifted = std::bit_cast<float>(size) + 0.5F;
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
    } else {
      const std::uint32_t odd = size >> 13 & 1;
      bits = static_cast<std::uint16_t>(sign | ((size - 0x38000000 + 0xfff + odd) >> 13));
    }
  }
  half() = default;

  explicit operator float() const noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const std::uint32_t size = bits & 0x7fff;
    if (size >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (size & 0x3ff) << 13);
    if (size >= 0x400) return std::bit_cast<float>(sign | ((size << 13) + 0x38000000));
    const float small = static_cast<float>(size) * 0x1p-24F;
    return sign == 0 ? small : -small;
  }

  friend half operator+(half a, half b) noexcept { return half(float(a) + float(b)); }
  friend half operator-(half a, half b) noexcept { return half(float(a) - float(b)); }
  friend half operator*(half a, half b) noexcept { return half(float(a) * float(b)); }
  friend bool operator<(half a, half b) noexcept { return float(a) < float(b); }
  friend bool operator==(half a, half b) noexcept { return float(a) == float(b); }
};

/// std::complex is for the standard's own types only.
template <class T>
struct complex_of {
  T re, im;

  friend complex_of operator+(const complex_of& a, const complex_of& b) { return {a.re + b.re, a.im + b.im}; }
  friend complex_of operator*(const complex_of& a, const complex_of& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

template <class T>
detail::reduction::function sum_kernel(pure_op op) noexcept {
  switch (op) {
    case PURE_SUM:
      return [](const void*, const void* left, const void* right, void* out, std::size_t count) {
        combine_each<T>(left, right, out, count, [](const T& a, const T& b) { return T(a + b); });
      };
    case PURE_PROD:
      return [](const void*, const void* left, const void* right, void* out, std::size_t count) {
        combine_each<T>(left, right, out, count, [](const T& a, const T& b) { return T(a * b); });
      };
    default: return nullptr;
  }
}

template <class T>
bool is_no_number(const T& value) noexcept {
  return !(value == value);
}

/// As of pure.h: no number in an operand gives none, and of equal ones the first is the result.
template <class T>
detail::reduction::function real_kernel(pure_op op) noexcept {
  switch (op) {
    case PURE_MIN:
      return [](const void*, const void* left, const void* right, void* out, std::size_t count) {
        combine_each<T>(left, right, out, count,
                        [](const T& a, const T& b) { return b < a || is_no_number(b) ? b : a; });
      };
    case PURE_MAX:
      return [](const void*, const void* left, const void* right, void* out, std::size_t count) {
        combine_each<T>(left, right, out, count,
                        [](const T& a, const T& b) { return a < b || is_no_number(b) ? b : a; });
      };
    default: return sum_kernel<T>(op);
  }
}

#if defined(__SIZEOF_FLOAT128__)
__extension__ using quad = __float128;
#define PURE_HAS_QUAD
#elif LDBL_MANT_DIG == 113
using quad = long double;
#define PURE_HAS_QUAD
#endif

#if defined(__SIZEOF_INT128__)
__extension__ using wide_integer = __int128;
__extension__ using wide_number = unsigned __int128;

detail::reduction::function wide_kernel(pure_op op) noexcept {
  using number = wide_number;
#define PURE_WIDE_KERNEL(expression)                                                                        \
  [](const void*, const void* left, const void* right, void* out, std::size_t count) {                      \
    combine_each<number>(left, right, out, count, [](number a, number b) -> number { return expression; }); \
  }
  switch (op) {
    case PURE_SUM: return PURE_WIDE_KERNEL(a + b);  // they wrap
    case PURE_PROD: return PURE_WIDE_KERNEL(a * b);
    case PURE_MIN: return PURE_WIDE_KERNEL(static_cast<wide_integer>(b) < static_cast<wide_integer>(a) ? b : a);
    case PURE_MAX: return PURE_WIDE_KERNEL(static_cast<wide_integer>(a) < static_cast<wide_integer>(b) ? b : a);
    case PURE_LAND: return PURE_WIDE_KERNEL(a != 0 && b != 0);
    case PURE_LOR: return PURE_WIDE_KERNEL(a != 0 || b != 0);
    case PURE_LXOR: return PURE_WIDE_KERNEL((a != 0) != (b != 0));
    case PURE_BAND: return PURE_WIDE_KERNEL(a & b);
    case PURE_BOR: return PURE_WIDE_KERNEL(a | b);
    case PURE_BXOR: return PURE_WIDE_KERNEL(a ^ b);
    default: return nullptr;
  }
#undef PURE_WIDE_KERNEL
}
#endif

detail::reduction::function kernel_of(pure_op op, type_handle type) noexcept {
  if (type == constants::type_c_long_double_complex || type == constants::type_cxx_long_double_complex)
    return sum_kernel<std::complex<long double>>(op);
  if (type == constants::type_2real) return place_kernel<float>(op);
  if (type == constants::type_2double_precision) return place_kernel<double>(op);
  if (type == constants::type_real2) return real_kernel<half>(op);
  if (type == constants::type_complex4) return sum_kernel<complex_of<half>>(op);
#ifdef PURE_HAS_QUAD
  if (type == constants::type_real16) return real_kernel<quad>(op);
  if (type == constants::type_complex32) return sum_kernel<complex_of<quad>>(op);
#endif
#ifdef __SIZEOF_INT128__
  if (type == constants::type_integer16 || type == constants::type_logical16) return wide_kernel(op);
#endif
  return nullptr;
}

}  // namespace

bool find_other_reduction(pure_op op, type_handle type, std::size_t element_bytes, detail::reduction& found) noexcept {
  found.combine = kernel_of(op, type);
  found.element_bytes = element_bytes;
  return found.combine != nullptr;
}

}  // namespace pure::core::mpi
