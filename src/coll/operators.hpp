// Which reductions there are: from operator and type to the function that combines elements (MPI 4.1, 6.9).
//
// Any thread. A built-in reduction refers to nothing that could end; one by a user operator refers to that operator.
// Combining is elementwise and exactly what the operator says: the same operands give the same bits wherever an element
// lies in the arrays, and on every machine of an architecture, whatever the width of its vectors. (Only which of two
// NaNs a sum or product passes on is the processor's choice.) Minimum and maximum: see <pure/datatypes.h>.
#pragma once

#include <array>
#include <cstdint>

#include <pure/datatypes.h>
#include <pure/detail/collectives.hpp>

namespace pure::core {

/// True if MPI defines `op` for `type` (MPI 4.1, 6.9.2 and 6.9.4; bool also for the bitwise operators); `found` is then
/// complete, and its identity names op and type.
bool find_reduction(pure_op op, pure_datatype type, detail::reduction& found) noexcept;

/// An operator of pure_op_create.
class user_operator {
 public:
  explicit user_operator(pure_user_function function) noexcept;
  user_operator(const user_operator&) = delete;  // reductions point into it
  user_operator& operator=(const user_operator&) = delete;

  /// Combines elements of `type`, not PURE_DATATYPE_NULL. The operator must outlive the reduction. Its identity says
  /// that the operator is a user's, and the type; the function may have other addresses on other ranks.
  [[nodiscard]] detail::reduction on(pure_datatype type) const noexcept;

 private:
  struct typed_function {
    pure_user_function function;
    pure_datatype type;
  };
  std::array<typed_function, PURE_LONG_DOUBLE_INT + 1> of_type_;
};

}  // namespace pure::core
