// Reductions of floating-point and complex numbers, and of (value, index) pairs.
//
// The build must not contract a product and a sum to one operation (-ffp-contract=off): results would depend on the
// machine.
#include <cmath>
#include <complex>
#include <type_traits>

#include "base/basic_types.hpp"
#include "coll/operator_kernels.hpp"

namespace pure::core {
namespace {

struct sum {
  template <class T>
  T operator()(const T& left, const T& right) const {
    return left + right;
  }
};
struct product {
  template <class T>
  T operator()(const T& left, const T& right) const {
    return left * right;
  }
};

// Associative for all operands, so that no grouping shows: the right NaN, else the leftmost of the least. The inner
// selection is one minimum instruction, which yields its second operand if the two are equal or unordered.
struct minimum {
  template <class T>
  T operator()(T left, T right) const {
    const T of_numbers = right < left ? right : left;
    return std::isnan(right) ? right : of_numbers;
  }
};
struct maximum {
  template <class T>
  T operator()(T left, T right) const {
    const T of_numbers = right > left ? right : left;
    return std::isnan(right) ? right : of_numbers;
  }
};

template <class T>
kernel kernel_of_real(pure_op op, instruction_set use) noexcept {
  switch (op) {
    case PURE_SUM: return vector_kernel<T, sum>(use);
    case PURE_PROD: return vector_kernel<T, product>(use);
    case PURE_MIN: return vector_kernel<T, minimum>(use);
    case PURE_MAX: return vector_kernel<T, maximum>(use);
    default: return nullptr;
  }
}

// Products as std::complex defines them, which recovers infinities from NaNs: that does not vectorize.
template <class T>
kernel kernel_of_complex(pure_op op, instruction_set use) noexcept {
  switch (op) {
    case PURE_SUM: return vector_kernel<T, sum, 2>(use);
    case PURE_PROD: return combine_scalars<std::complex<T>, product>;
    default: return nullptr;
  }
}

/// The pair whose value comes first in the order `Before`; NaNs come before all numbers; of equal ones the pair with
/// the least index, and of equal indices the left one.
template <class Before>
struct first_pair {
  template <class Value>
  value_index<Value> operator()(const value_index<Value>& left, const value_index<Value>& right) const {
    if (comes_before(left.value, right.value)) return left;
    if (comes_before(right.value, left.value)) return right;
    return right.index < left.index ? right : left;
  }

 private:
  template <class Value>
  static bool comes_before(Value a, Value b) {
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(a) && !std::isnan(b)) return true;
    }
    return Before{}(a, b);
  }
};

struct less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};

template <class Value>
kernel kernel_of_pairs(pure_op op) noexcept {
  switch (op) {
    case PURE_MINLOC: return combine_scalars<value_index<Value>, first_pair<less>>;
    case PURE_MAXLOC: return combine_scalars<value_index<Value>, first_pair<greater>>;
    default: return nullptr;
  }
}

}  // namespace

kernel floating_kernel(pure_op op, pure_datatype type, instruction_set use) noexcept {
  switch (type) {
    case PURE_FLOAT: return kernel_of_real<float>(op, use);
    case PURE_DOUBLE: return kernel_of_real<double>(op, use);
    case PURE_LONG_DOUBLE: return kernel_of_real<long double>(op, use);
    case PURE_COMPLEX_FLOAT: return kernel_of_complex<float>(op, use);
    case PURE_COMPLEX_DOUBLE: return kernel_of_complex<double>(op, use);
    default: return nullptr;
  }
}

kernel pair_kernel(pure_op op, pure_datatype type) noexcept {
  switch (type) {
    case PURE_FLOAT_INT: return kernel_of_pairs<float>(op);
    case PURE_DOUBLE_INT: return kernel_of_pairs<double>(op);
    case PURE_LONG_INT: return kernel_of_pairs<long>(op);
    case PURE_2INT: return kernel_of_pairs<int>(op);
    case PURE_SHORT_INT: return kernel_of_pairs<short>(op);
    case PURE_LONG_DOUBLE_INT: return kernel_of_pairs<long double>(op);
    default: return nullptr;
  }
}

}  // namespace pure::core
