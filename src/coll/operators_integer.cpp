// Reductions of integers, bool and bytes.
#include <cstdint>
#include <type_traits>

#include "coll/operator_kernels.hpp"

namespace pure::core {
namespace {

// Sums and products are computed unsigned, where overflow wraps; at least as `unsigned`, for uint16_t would be promoted
// to int, which does not.
template <class T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

struct sum {
  template <class T>
  T operator()(T left, T right) const {
    return static_cast<T>(wrapping<T>{left} + wrapping<T>{right});
  }
};
struct product {
  template <class T>
  T operator()(T left, T right) const {
    return static_cast<T>(wrapping<T>{left} * wrapping<T>{right});
  }
};
struct minimum {
  template <class T>
  T operator()(T left, T right) const {
    return right < left ? right : left;
  }
};
struct maximum {
  template <class T>
  T operator()(T left, T right) const {
    return left < right ? right : left;
  }
};
struct logical_and {
  template <class T>
  T operator()(T left, T right) const {
    return T{left != 0} & T{right != 0};
  }
};
struct logical_or {
  template <class T>
  T operator()(T left, T right) const {
    return T{(left | right) != 0};
  }
};
struct logical_xor {
  template <class T>
  T operator()(T left, T right) const {
    return T{(left != 0) != (right != 0)};
  }
};
struct bitwise_and {
  template <class T>
  T operator()(T left, T right) const {
    return left & right;
  }
};
struct bitwise_or {
  template <class T>
  T operator()(T left, T right) const {
    return left | right;
  }
};
struct bitwise_xor {
  template <class T>
  T operator()(T left, T right) const {
    return left ^ right;
  }
};

// Integers of one size differ in their minimum and maximum only.
template <class Unsigned>
kernel kernel_of_size(pure_op op, bool is_signed, instruction_set use) noexcept {
  using signed_type = std::make_signed_t<Unsigned>;
  switch (op) {
    case PURE_SUM: return vector_kernel<Unsigned, sum>(use);
    case PURE_PROD: return vector_kernel<Unsigned, product>(use);
    case PURE_MIN: return is_signed ? vector_kernel<signed_type, minimum>(use) : vector_kernel<Unsigned, minimum>(use);
    case PURE_MAX: return is_signed ? vector_kernel<signed_type, maximum>(use) : vector_kernel<Unsigned, maximum>(use);
    case PURE_LAND: return vector_kernel<Unsigned, logical_and>(use);
    case PURE_LOR: return vector_kernel<Unsigned, logical_or>(use);
    case PURE_LXOR: return vector_kernel<Unsigned, logical_xor>(use);
    case PURE_BAND: return vector_kernel<Unsigned, bitwise_and>(use);
    case PURE_BOR: return vector_kernel<Unsigned, bitwise_or>(use);
    case PURE_BXOR: return vector_kernel<Unsigned, bitwise_xor>(use);
    default: return nullptr;
  }
}

}  // namespace

kernel integer_kernel(pure_op op, std::size_t bytes, bool is_signed, instruction_set use) noexcept {
  switch (bytes) {
    case 1: return kernel_of_size<std::uint8_t>(op, is_signed, use);
    case 2: return kernel_of_size<std::uint16_t>(op, is_signed, use);
    case 4: return kernel_of_size<std::uint32_t>(op, is_signed, use);
    case 8: return kernel_of_size<std::uint64_t>(op, is_signed, use);
    default: return nullptr;
  }
}

// Read as bytes: a byte that is neither 0 nor 1 counts as true, and the result is one that a bool may hold.
kernel boolean_kernel(pure_op op, instruction_set use) noexcept {
  static_assert(sizeof(bool) == 1);
  switch (op) {
    case PURE_LAND:
    case PURE_BAND: return integer_kernel(PURE_LAND, 1, false, use);
    case PURE_LOR:
    case PURE_BOR: return integer_kernel(PURE_LOR, 1, false, use);
    case PURE_LXOR:
    case PURE_BXOR: return integer_kernel(PURE_LXOR, 1, false, use);
    default: return nullptr;
  }
}

kernel byte_kernel(pure_op op, instruction_set use) noexcept {
  const bool is_bitwise = op == PURE_BAND || op == PURE_BOR || op == PURE_BXOR;
  return is_bitwise ? integer_kernel(op, 1, false, use) : nullptr;
}

}  // namespace pure::core
