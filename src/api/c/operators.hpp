// Reduction operators of pure.h: from their names to how they combine elements. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

[[nodiscard]] inline bool is_built_in(pure_op op) noexcept { return op >= PURE_SUM && op <= PURE_MAXLOC; }

/// "PURE_SUM"; of a built-in one.
[[nodiscard]] const char* name_of_operator(pure_op op) noexcept;

/// Throws op for a handle that is null, or names no operator of this rank.
[[noreturn]] void throw_bad_operator(const communicator& on, const call& by, pure_op op);

/// Sets how `op` combines elements of `type`, a basic type. Throws op.
void set_reduction(const communicator& on, const call& by, pure_op op, pure_datatype type, detail::reduction& to);

}  // namespace pure::core
