#include "coll/operators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/datatype.hpp"
#include "coll/exact_sum.hpp"
#include "coll/operator_kernels.hpp"

namespace pure::core {
namespace {

/// Says in an identity that the operator is a user's. Built-in ones have their number here.
constexpr std::uint64_t user_defined = 0xffffffff;

constexpr std::uint64_t identity_of(std::uint64_t op, pure_datatype type) noexcept {
  return op << 32 | static_cast<std::uint32_t>(type);
}

/// combine() of a user operator: `out` takes the place of `inout`.
template <class TypedFunction>
void combine_by_user(const void* context, const void* left, const void* right, void* out, std::size_t count) {
  const auto& by = *static_cast<const TypedFunction*>(context);
  const std::size_t element_bytes = size_of_type(by.type);
  if (out != left) {
    if (out != right && count > 0) std::memcpy(out, right, count * element_bytes);
    by.function(left, out, static_cast<std::int64_t>(count), by.type);
    return;
  }
  // `left` would be overwritten: it is kept aside, piece by piece, so that no memory needs to be allocated.
  alignas(64) std::byte kept[4096];
  const std::size_t longest = sizeof kept / element_bytes;
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(longest, count - done);
    auto* const to = static_cast<std::byte*>(out) + done * element_bytes;
    std::memcpy(kept, to, now * element_bytes);
    if (out != right) std::memcpy(to, static_cast<const std::byte*>(right) + done * element_bytes, now * element_bytes);
    by.function(kept, to, static_cast<std::int64_t>(now), by.type);
    done += now;
  }
}

}  // namespace

kernel find_kernel(pure_op op, pure_datatype type, instruction_set use) noexcept {
  if (const integer_kind kind = integer_kind_of(type); kind != integer_kind::none) {
    return integer_kernel(op, size_of_type(type), kind == integer_kind::with_sign, use);
  }
  switch (type) {
    case PURE_BOOL: return boolean_kernel(op, use);
    case PURE_BYTE: return byte_kernel(op, use);
    case PURE_FLOAT:
    case PURE_DOUBLE:
    case PURE_LONG_DOUBLE:
    case PURE_COMPLEX_FLOAT:
    case PURE_COMPLEX_DOUBLE: return floating_kernel(op, type, use);
    case PURE_FLOAT_INT:
    case PURE_DOUBLE_INT:
    case PURE_LONG_INT:
    case PURE_2INT:
    case PURE_SHORT_INT:
    case PURE_LONG_DOUBLE_INT: return pair_kernel(op, type);
    default: return nullptr;  // characters are not numbers (MPI 4.1, 6.9.2)
  }
}

bool find_reduction(pure_op op, pure_datatype type, detail::reduction& found) noexcept {
  static const instruction_set use = best_instruction_set();
  const kernel combine = find_kernel(op, type, use);
  if (combine == nullptr) return false;
  // Member by member, and not as one object: to copy what has just been stored in other pieces takes long.
  found.combine = combine;
  found.context = nullptr;
  found.element_bytes = size_of_type(type);
  found.identity = identity_of(op, type);
  found.sum_exactly = nullptr;
  if (op == PURE_SUM && type == PURE_FLOAT) found.sum_exactly = sum_exactly<float>;
  if (op == PURE_SUM && type == PURE_DOUBLE) found.sum_exactly = sum_exactly<double>;
  return true;
}

user_operator::user_operator(pure_user_function function) noexcept {
  for (std::size_t type = 0; type < of_type_.size(); ++type) {
    of_type_[type] = {function, static_cast<pure_datatype>(type)};
  }
}

detail::reduction user_operator::on(pure_datatype type) const noexcept {
  return {.combine = combine_by_user<typed_function>,
          .context = &of_type_[static_cast<std::size_t>(type)],
          .element_bytes = size_of_type(type),
          .identity = identity_of(user_defined, type)};
}

}  // namespace pure::core
