// Every operator on every type against a plain loop, in place and not, with each instruction set.
#include "coll/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include "base/basic_types.hpp"
#include "coll/operator_kernels.hpp"
#include "support/environment.hpp"

namespace pure::core {
namespace {

constexpr int first_op = PURE_SUM, last_op = PURE_MAXLOC;
constexpr std::size_t counts[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 65, 100, 257};

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};
template <class T>
struct is_pair : std::false_type {};
template <class T>
struct is_pair<value_index<T>> : std::true_type {};

template <class T>
T random_element(std::mt19937_64& random) {
  if constexpr (is_complex<T>::value) {
    using part = typename T::value_type;
    return {random_element<part>(random), random_element<part>(random)};
  } else if constexpr (is_pair<T>::value) {
    T pair{};
    pair.value = random_element<decltype(pair.value)>(random);
    pair.index = static_cast<int>(random() % 3);
    return pair;
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T special[] = {0,
                             -T{0},
                             std::numeric_limits<T>::infinity(),
                             -std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::quiet_NaN(),
                             -std::numeric_limits<T>::quiet_NaN()};
    if (random() % 3 == 0) return special[random() % 6];
    if (random() % 2 == 0) return static_cast<T>(random() % 3);
    return static_cast<T>(static_cast<double>(random()) / static_cast<double>(random() | 1) - 1);
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else {
    return random() % 3 == 0 ? static_cast<T>(random() % 2) : static_cast<T>(random());
  }
}

bool is_nan(long double x) { return x != x; }

// Two products or sums that are NaN are the same; everything else is compared to the sign of zero.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (is_complex<T>::value) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (is_pair<T>::value) {
    return same(a.value, b.value) && a.index == b.index;
  } else if constexpr (std::is_floating_point_v<T>) {
    return (is_nan(a) && is_nan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

/// What the operator says, one element at a time; false if MPI does not define it for T (which is not a character).
template <class T>
bool oracle(pure_op op, const T& l, const T& r, T& out) {
  if constexpr (is_pair<T>::value) {
    if (op != PURE_MINLOC && op != PURE_MAXLOC) return false;
    const bool l_nan = l.value != l.value, r_nan = r.value != r.value;
    const bool equal = (l_nan && r_nan) || l.value == r.value;
    const bool left = l_nan || (!r_nan && (op == PURE_MINLOC ? l.value < r.value : l.value > r.value));
    out = equal ? (l.index <= r.index ? l : r) : left ? l : r;
    return true;
  } else if constexpr (is_complex<T>::value) {
    if (op == PURE_SUM) out = l + r;
    if (op == PURE_PROD) out = l * r;
    return op == PURE_SUM || op == PURE_PROD;
  } else if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case PURE_SUM: out = l + r; return true;
      case PURE_PROD: out = l * r; return true;
      case PURE_MIN: out = is_nan(r) ? r : is_nan(l) ? l : r < l ? r : l; return true;
      case PURE_MAX: out = is_nan(r) ? r : is_nan(l) ? l : r > l ? r : l; return true;
      default: return false;
    }
  } else {
    constexpr bool is_bool = std::is_same_v<T, bool>;
    switch (op) {
      case PURE_LAND: out = static_cast<T>(l && r); return true;
      case PURE_LOR: out = static_cast<T>(l || r); return true;
      case PURE_LXOR: out = static_cast<T>(!l != !r); return true;
      case PURE_BAND: out = static_cast<T>(l & r); return true;
      case PURE_BOR: out = static_cast<T>(l | r); return true;
      case PURE_BXOR: out = static_cast<T>(l ^ r); return true;
      case PURE_MIN: out = std::min(l, r); return !is_bool;
      case PURE_MAX: out = std::max(l, r); return !is_bool;
      // Modulo 2^64, and then modulo 2^width: the same as modulo 2^width at once.
      case PURE_SUM: out = static_cast<T>(static_cast<std::uint64_t>(l) + static_cast<std::uint64_t>(r)); break;
      case PURE_PROD: out = static_cast<T>(static_cast<std::uint64_t>(l) * static_cast<std::uint64_t>(r)); break;
      default: return false;
    }
    return !is_bool;
  }
}

template <class T>
void check_kernel(kernel combine, pure_op op, pure_datatype type, std::mt19937_64& random) {
  for (const std::size_t count : counts) {
    for (std::size_t offset = 0; offset < 2; ++offset) {  // of the arrays, in elements
      for (const char* const out_is : {"apart", "left", "right", "both"}) {
        const auto data = std::make_unique<T[]>(3 * (count + 2));
        std::generate_n(data.get(), 3 * (count + 2), [&] { return random_element<T>(random); });
        T* const left = data.get() + offset;
        T* const right = *out_is == 'b' ? left : left + count + 1;
        T* const out = *out_is == 'a' ? right + count + 1 : *out_is == 'r' ? right : left;
        std::vector<T> expected(data.get(), data.get() + 3 * (count + 2));
        const T after = out[count];
        std::vector<T> answers(count);
        for (std::size_t i = 0; i < count; ++i) {
          T answer{};
          ASSERT_TRUE(oracle(op, left[i], right[i], answer));
          answers[i] = answer;
        }
        combine(nullptr, left, right, out, count);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_TRUE(same<T>(out[i], answers[i]))
              << "op " << op << " type " << type << " element " << i << " of " << count << ", out is " << out_is;
        }
        ASSERT_TRUE(same<T>(out[count], after)) << "wrote behind the array";
      }
    }
  }
}

template <class T>
void check_type(pure_datatype type, std::mt19937_64& random) {
  EXPECT_EQ(size_of_type(type), sizeof(T));
  for (int op = first_op; op <= last_op; ++op) {
    const auto which = static_cast<pure_op>(op);
    T ignored{};
    detail::reduction found;
    const bool is_defined = oracle(which, random_element<T>(random), random_element<T>(random), ignored);
    ASSERT_EQ(find_reduction(which, type, found), is_defined) << "op " << op << " type " << type;
    if (!is_defined) continue;
    EXPECT_EQ(found.element_bytes, sizeof(T));
    EXPECT_EQ(found.sum_exactly != nullptr, which == PURE_SUM && (type == PURE_FLOAT || type == PURE_DOUBLE));
    check_kernel<T>(found.combine, which, type, random);
    check_kernel<T>(find_kernel(which, type, instruction_set::baseline), which, type, random);
  }
}

TEST(operators, are_what_the_oracle_says_for_every_type) {
  std::mt19937_64 random(test_support::first_seed());
  check_type<signed char>(PURE_SIGNED_CHAR, random);
  check_type<unsigned char>(PURE_UNSIGNED_CHAR, random);
  check_type<short>(PURE_SHORT, random);
  check_type<unsigned short>(PURE_UNSIGNED_SHORT, random);
  check_type<int>(PURE_INT, random);
  check_type<unsigned>(PURE_UNSIGNED, random);
  check_type<long>(PURE_LONG, random);
  check_type<unsigned long>(PURE_UNSIGNED_LONG, random);
  check_type<long long>(PURE_LONG_LONG, random);
  check_type<unsigned long long>(PURE_UNSIGNED_LONG_LONG, random);
  check_type<std::int8_t>(PURE_INT8_T, random);
  check_type<std::int16_t>(PURE_INT16_T, random);
  check_type<std::int32_t>(PURE_INT32_T, random);
  check_type<std::int64_t>(PURE_INT64_T, random);
  check_type<std::uint8_t>(PURE_UINT8_T, random);
  check_type<std::uint16_t>(PURE_UINT16_T, random);
  check_type<std::uint32_t>(PURE_UINT32_T, random);
  check_type<std::uint64_t>(PURE_UINT64_T, random);
  check_type<std::size_t>(PURE_SIZE_T, random);
  check_type<bool>(PURE_BOOL, random);
  check_type<float>(PURE_FLOAT, random);
  check_type<double>(PURE_DOUBLE, random);
  check_type<long double>(PURE_LONG_DOUBLE, random);
  check_type<std::complex<float>>(PURE_COMPLEX_FLOAT, random);
  check_type<std::complex<double>>(PURE_COMPLEX_DOUBLE, random);
  check_type<value_index<float>>(PURE_FLOAT_INT, random);
  check_type<value_index<double>>(PURE_DOUBLE_INT, random);
  check_type<value_index<long>>(PURE_LONG_INT, random);
  check_type<value_index<int>>(PURE_2INT, random);
  check_type<value_index<short>>(PURE_SHORT_INT, random);
  check_type<value_index<long double>>(PURE_LONG_DOUBLE_INT, random);
}

TEST(operators, of_bytes_are_bitwise_only_and_of_characters_none) {
  std::mt19937_64 random(test_support::first_seed());
  for (int op = PURE_OP_NULL; op <= last_op + 1; ++op) {
    const auto which = static_cast<pure_op>(op);
    const bool is_bitwise = op == PURE_BAND || op == PURE_BOR || op == PURE_BXOR;
    detail::reduction found;
    EXPECT_EQ(find_reduction(which, PURE_BYTE, found), is_bitwise) << op;
    if (is_bitwise) check_kernel<unsigned char>(found.combine, which, PURE_BYTE, random);
    for (const pure_datatype type : {PURE_CHAR, PURE_WCHAR, PURE_DATATYPE_NULL, static_cast<pure_datatype>(1000),
                                     static_cast<pure_datatype>(~std::uint64_t{0})}) {
      EXPECT_FALSE(find_reduction(which, type, found)) << op << ' ' << type;
    }
  }
  detail::reduction found;
  EXPECT_FALSE(find_reduction(PURE_OP_NULL, PURE_INT, found));
  EXPECT_FALSE(find_reduction(static_cast<pure_op>(~0ULL), PURE_INT, found));
}

TEST(operators, leave_a_bool_that_is_one) {
  const unsigned char left[] = {0, 1, 2, 255, 0}, right[] = {4, 1, 8, 0, 0};
  unsigned char out[5];
  detail::reduction found;
  for (const pure_op op : {PURE_LAND, PURE_LOR, PURE_LXOR, PURE_BAND, PURE_BOR, PURE_BXOR}) {
    ASSERT_TRUE(find_reduction(op, PURE_BOOL, found));
    found.combine(found.context, left, right, out, 5);
    for (const unsigned char each : out) EXPECT_LE(each, 1);
  }
}

TEST(operators, have_identities_of_their_own) {
  const user_operator by_user([](const void*, void*, std::int64_t, pure_datatype) {});
  std::set<std::uint64_t> seen{0};
  for (std::uint64_t type = PURE_BYTE; type <= PURE_LONG_DOUBLE_INT; ++type) {
    for (int op = first_op; op <= last_op; ++op) {
      detail::reduction found;
      if (!find_reduction(static_cast<pure_op>(op), static_cast<pure_datatype>(type), found)) continue;
      EXPECT_TRUE(seen.insert(found.identity).second) << op << ' ' << type;
    }
    EXPECT_TRUE(seen.insert(by_user.on(static_cast<pure_datatype>(type)).identity).second) << type;
  }
}

// Not commutative, and wherever it lies, an element gets the same.
template <class T>
void twice_left_and_right(const void* in, void* inout, std::int64_t count, pure_datatype type) {
  EXPECT_EQ(type, sizeof(T) == 8 ? PURE_INT64_T : PURE_SIGNED_CHAR);
  EXPECT_NE(in, inout);
  for (std::int64_t i = 0; i < count; ++i) {
    T& to = static_cast<T*>(inout)[i];
    to = static_cast<T>(2 * static_cast<const T*>(in)[i] + to);
  }
}

template <class T>
void check_user_operator(pure_datatype type) {
  const user_operator operation(twice_left_and_right<T>);
  const detail::reduction how = operation.on(type);
  EXPECT_EQ(how.element_bytes, sizeof(T));
  for (const std::size_t count : {0UL, 1UL, 3UL, 511UL, 512UL, 513UL, 5000UL}) {
    for (const char* const out_is : {"apart", "left", "right", "both"}) {
      std::vector<T> left(count), right(count), apart(count), expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        left[i] = static_cast<T>(i % 50);
        right[i] = *out_is == 'b' ? left[i] : static_cast<T>(i % 20);
        expected[i] = static_cast<T>(2 * left[i] + right[i]);
      }
      std::vector<T>& second = *out_is == 'b' ? left : right;
      std::vector<T>& out = *out_is == 'a' ? apart : *out_is == 'r' ? right : left;
      how.combine(how.context, left.data(), second.data(), out.data(), count);
      EXPECT_EQ(out, expected) << count << " elements, out is " << out_is;
    }
  }
}

TEST(user_operator, gets_the_left_operand_as_in_and_the_right_one_as_inout) {
  check_user_operator<std::int64_t>(PURE_INT64_T);
  check_user_operator<signed char>(PURE_SIGNED_CHAR);
}

}  // namespace
}  // namespace pure::core
