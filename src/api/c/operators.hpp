// Operator handles of pure.h: those of pure_op_create, and how an operator combines elements of a type. Own thread of
// the rank only.
#pragma once

#include <pure.h>

#include <cstdint>
#include <map>

#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "coll/operators.hpp"
#include "comm/communicator.hpp"
#include "match/handle_table.hpp"

namespace pure::core {

/// The operators that one rank has made. What combines the elements lives until the end of the rank, for operations
/// that are pending when the operator is freed: one object per function, so that no number of operators takes more
/// memory than the program has functions.
class operator_table {
 public:
  explicit operator_table(int rank) : made_(handle_kind::reduction, rank), rank_(static_cast<std::uint32_t>(rank)) {}

  pure_op add(pure_user_function function);
  /// Null if the rank has no operator of that handle; built-in ones are not here.
  [[nodiscard]] const user_operator* find(pure_op op) noexcept;
  void free(pure_op op) noexcept { made_.free({static_cast<std::uint64_t>(op)}); }

 private:
  std::map<pure_user_function, user_operator> by_function_;
  handle_table<const user_operator*> made_;
  const std::uint32_t rank_;
};

[[nodiscard]] inline bool is_built_in(pure_op op) noexcept { return op >= PURE_SUM && op <= PURE_MAXLOC; }

/// "PURE_DOUBLE"; of a valid type.
[[nodiscard]] const char* type_name(pure_datatype type) noexcept;

/// Throws op for a handle that is null, or names no operator of this rank.
[[noreturn]] void throw_bad_operator(const communicator& on, const call& by, pure_op op);

/// How `op` combines elements of `type`, a valid type. Throws op.
detail::reduction reduction_of(const communicator& on, const call& by, pure_op op, pure_datatype type);

}  // namespace pure::core
