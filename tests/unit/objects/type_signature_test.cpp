// Signatures of datatypes: how many basic elements so many bytes are, and back; against a list of all elements.
#include "objects/type_signature.hpp"

#include <pure/datatypes.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "objects/external32.hpp"

namespace {

using namespace pure::core;

/// The sizes of the elements, one by one.
std::vector<std::size_t> all_of(const type_signature& signature) {
  std::vector<std::size_t> all;
  signature.for_each([&](unsigned, std::size_t bytes, std::uint64_t count) { all.insert(all.end(), count, bytes); });
  return all;
}

/// 2 ints and a double, twice; a byte; no elements; 3 ints.
signature_pointer nested() {
  const signature_pointer number = type_signature::of(PURE_INT, 4), real = type_signature::of(PURE_DOUBLE, 8);
  const type_signature::part inner[] = {{2, number}, {1, real}};
  const type_signature::part outer[] = {
      {2, type_signature::joined(inner)}, {1, type_signature::of(PURE_BYTE, 1)}, {0, real}, {3, number}};
  return type_signature::joined(outer);
}

TEST(type_signature, has_its_elements_in_order) {
  const signature_pointer made = nested();
  const std::vector<std::size_t> expected{4, 4, 8, 4, 4, 8, 1, 4, 4, 4};
  EXPECT_EQ(all_of(*made), expected);
  EXPECT_EQ(made->bytes(), 45U);
  EXPECT_EQ(made->elements(), 10U);
  EXPECT_EQ(type_signature::repeated(1, made), made);
  EXPECT_EQ(all_of(*type_signature::repeated(3, made)).size(), 30U);
  EXPECT_EQ(type_signature::repeated(0, made)->elements(), 0U);
}

TEST(type_signature, counts_what_is_whole) {
  const signature_pointer twice = type_signature::repeated(2, nested());
  std::vector<std::int64_t> ends(2 * 2 * 45 + 1, -1);  // how many elements end there
  std::size_t place = 0;
  std::int64_t number = 0;
  ends[0] = 0;
  for (int times = 0; times < 2; ++times) {
    for (const std::size_t bytes : all_of(*twice)) ends[place += bytes] = ++number;
  }
  for (std::size_t bytes = 0; bytes < ends.size(); ++bytes) {
    EXPECT_EQ(twice->elements_in(bytes), ends[bytes]) << bytes;
    if (ends[bytes] >= 0) {
      EXPECT_EQ(twice->bytes_of(static_cast<std::uint64_t>(ends[bytes])), static_cast<std::int64_t>(bytes));
    }
  }
}

TEST(type_signature, of_nothing_has_no_elements) {
  const signature_pointer nothing = type_signature::joined({});
  EXPECT_EQ(nothing->elements_in(0), 0);
  EXPECT_EQ(nothing->elements_in(1), -1);
  EXPECT_EQ(nothing->bytes_of(0), 0);
  EXPECT_EQ(nothing->bytes_of(1), -1);
}

/// What `value` is in the external representation.
template <class T>
std::vector<unsigned> external(unsigned kind, const T& value, std::size_t pieces_of = sizeof(T)) {
  const signature_pointer one = type_signature::of(kind, pieces_of);
  std::vector<std::byte> bytes(external32::bytes_of(*one));
  std::byte native[sizeof(T)];
  std::memcpy(native, &value, sizeof value);
  external32::from_native(*one, native, bytes.data());
  std::byte back[sizeof(T)];
  std::memset(back, 0x55, sizeof back);
  external32::to_native(*one, bytes.data(), back);
  T again;
  std::memcpy(&again, back, sizeof again);
  EXPECT_EQ(again, value);
  std::vector<unsigned> numbers;
  for (const std::byte each : bytes) numbers.push_back(std::to_integer<unsigned>(each));
  return numbers;
}

TEST(external32, is_big_endian_with_sizes_of_its_own) {
  using bytes = std::vector<unsigned>;
  EXPECT_EQ(external(PURE_INT, 0x01020304), (bytes{1, 2, 3, 4}));
  EXPECT_EQ(external(PURE_LONG, -2L), (bytes{0xff, 0xff, 0xff, 0xfe}));
  EXPECT_EQ(external(PURE_UNSIGNED_LONG, 0x80000001UL), (bytes{0x80, 0, 0, 1})) << "has no sign";
  EXPECT_EQ(external(PURE_LONG_LONG, 1LL), (bytes{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(external(PURE_WCHAR, L'\x263a'), (bytes{0x26, 0x3a}));
  EXPECT_EQ(external(PURE_DOUBLE, 1.0), (bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  struct complex {
    float real, imaginary;
    bool operator==(const complex&) const = default;
  };
  EXPECT_EQ(external(PURE_COMPLEX_FLOAT, complex{1, -2}), (bytes{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
}

TEST(external32, has_long_doubles_in_sixteen_bytes) {
  std::vector<unsigned> one(16);
  one[0] = 0x3f;
  one[1] = 0xff;
  EXPECT_EQ(external(PURE_LONG_DOUBLE, 1.0L), one);
  for (const long double value : {0.0L, -0.1L, 1.0e4000L, 3.6e-4951L, 12345.678L})
    EXPECT_EQ(external(PURE_LONG_DOUBLE, value).size(), 16U);
}

}  // namespace
