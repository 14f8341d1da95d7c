#include "objects/external32.hpp"

#include <pure/datatypes.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace pure::core::external32 {

namespace {

static_assert(std::endian::native == std::endian::little);

/// An element is so many pieces, each of which is turned round.
struct element_form {
  std::size_t pieces;
  std::size_t native;    // bytes of a piece
  std::size_t external;  // likewise
  bool has_sign = false;
  bool is_long_double = false;
};

element_form form_of(unsigned kind, std::size_t bytes) {
  switch (kind) {
    case PURE_LONG: return {1, bytes, 4, true};
    case PURE_UNSIGNED_LONG: return {1, bytes, 4};
    case PURE_WCHAR: return {1, bytes, 2};
    case PURE_LONG_DOUBLE: return {1, bytes, 16, false, true};
    case complex_long_double_element: return {2, bytes / 2, 16, false, true};
    case PURE_COMPLEX_FLOAT:
    case PURE_COMPLEX_DOUBLE:
    case complex_2_element:
    case complex_16_element: return {2, bytes / 2, bytes / 2};
    default: return {1, bytes, bytes};
  }
}

// The extended numbers of x86 have the exponent of IEEE's quadruple ones, 63 bits of fraction, and the bit before them;
// the quadruple ones have 112 bits of fraction.
static_assert(sizeof(long double) == 16);
constexpr int more_fraction = 112 - 63;
__extension__ using wide_bits = unsigned __int128;

void quadruple_from_extended(const std::byte* extended, std::byte* quadruple) {
  std::uint64_t significand = 0;
  std::uint16_t sign_and_exponent = 0;
  std::memcpy(&significand, extended, 8);
  std::memcpy(&sign_and_exponent, extended + 8, 2);
  const wide_bits fraction = static_cast<wide_bits>(significand & ~(std::uint64_t{1} << 63)) << more_fraction;
  const wide_bits all = (static_cast<wide_bits>(sign_and_exponent) << 112) | fraction;
  std::memcpy(quadruple, &all, 16);
  std::reverse(quadruple, quadruple + 16);
}

void extended_from_quadruple(const std::byte* quadruple, std::byte* extended) {
  wide_bits all = 0;
  std::byte turned[16];
  std::reverse_copy(quadruple, quadruple + 16, turned);
  std::memcpy(&all, turned, 16);
  const auto sign_and_exponent = static_cast<std::uint16_t>(all >> 112);
  auto significand = static_cast<std::uint64_t>(all >> more_fraction) & ~(std::uint64_t{1} << 63);
  if ((sign_and_exponent & 0x7fff) != 0) significand |= std::uint64_t{1} << 63;
  std::memset(extended, 0, 16);
  std::memcpy(extended, &significand, 8);
  std::memcpy(extended + 8, &sign_and_exponent, 2);
}

}  // namespace

std::size_t bytes_of(const type_signature& signature) {
  std::size_t all = 0;
  signature.for_each([&](unsigned kind, std::size_t bytes, std::uint64_t count) {
    const element_form form = form_of(kind, bytes);
    all += count * form.pieces * form.external;
  });
  return all;
}

void from_native(const type_signature& signature, const std::byte* native, std::byte* external) {
  signature.for_each([&](unsigned kind, std::size_t bytes, std::uint64_t count) {
    const element_form form = form_of(kind, bytes);
    for (std::uint64_t i = 0; i < count * form.pieces; ++i, native += form.native, external += form.external) {
      if (form.is_long_double) {
        quadruple_from_extended(native, external);
      } else {
        std::reverse_copy(native, native + form.external, external);  // the low bytes
      }
    }
  });
}

void to_native(const type_signature& signature, const std::byte* external, std::byte* native) {
  signature.for_each([&](unsigned kind, std::size_t bytes, std::uint64_t count) {
    const element_form form = form_of(kind, bytes);
    for (std::uint64_t i = 0; i < count * form.pieces; ++i, native += form.native, external += form.external) {
      if (form.is_long_double) {
        extended_from_quadruple(external, native);
        continue;
      }
      const bool is_negative = form.has_sign && (external[0] & std::byte{0x80}) != std::byte{};
      std::memset(native, is_negative ? 0xff : 0, form.native);
      std::reverse_copy(external, external + form.external, native);
    }
  });
}

}  // namespace pure::core::external32
