#include "coll/operators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/basic_types.hpp"
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

namespace {

/// All that there are, so that an operation on one element does not take longer to find its own than to do it.
class reduction_table {
 public:
  reduction_table() noexcept {
    const instruction_set use = best_instruction_set();
    for (std::size_t op = 0; op < ops; ++op) {
      for (std::size_t type = 0; type < types; ++type) {
        of_[op][type] = make(static_cast<pure_op>(op), static_cast<pure_datatype>(type), use);
      }
    }
  }
  /// Null if there is none.
  [[nodiscard]] const detail::reduction* find(pure_op op, pure_datatype type) const noexcept {
    const auto row = static_cast<std::size_t>(op), column = static_cast<std::size_t>(type);
    if (row >= ops || column >= types) return nullptr;
    const detail::reduction& found = of_[row][column];
    return found.combine == nullptr ? nullptr : &found;
  }

 private:
  static constexpr std::size_t ops = PURE_MAXLOC + 1;
  static constexpr std::size_t types = PURE_LONG_DOUBLE_INT + 1;

  static detail::reduction make(pure_op op, pure_datatype type, instruction_set use) noexcept {
    detail::reduction made{
        .combine = find_kernel(op, type, use), .element_bytes = size_of_type(type), .identity = identity_of(op, type)};
    if (op == PURE_SUM && type == PURE_FLOAT) made.sum_exactly = sum_exactly<float>;
    if (op == PURE_SUM && type == PURE_DOUBLE) made.sum_exactly = sum_exactly<double>;
    return made;
  }

  detail::reduction of_[ops][types];
};

}  // namespace

bool find_reduction(pure_op op, pure_datatype type, detail::reduction& found) noexcept {
  static const reduction_table all;
  const detail::reduction* const entry = all.find(op, type);
  if (entry == nullptr) return false;
  found = *entry;
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
