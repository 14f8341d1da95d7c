// Reduction operators of mpi.h (MPI 5.0, 6.9).
#pragma once

#include <cstddef>

#include <pure/datatypes.h>
#include <pure/detail/collectives.hpp>

#include "api/mpi/door.hpp"
#include "objects/program_combination.hpp"

namespace pure::core::mpi {

/// An operator as a program named it.
struct given_operator {
  pure_op built_in = PURE_OP_NULL;  // PURE_OP_NULL: it is a program's
  program_function function = {};
};
/// Throws op.
given_operator operator_of(const call& by, op_handle op);
/// As MPI_Op_create, of a function in any language. Throws op, argument.
op_handle make_operator(const call& by, const program_function& function, bool commutes);
/// PURE_OP_NULL: it is no predefined one.
[[nodiscard]] pure_op built_in_operator(op_handle op) noexcept;

/// How a program's own one combines elements of a datatype that follow one another.
program_combination combination_of(const given_operator& given, type_handle type);

/// Sets how a built-in operator combines elements of a predefined datatype. Throws op.
void set_built_in_reduction(const call& by, op_handle op, pure_op built_in, type_handle type, detail::reduction& to);

/// Of a predefined datatype that pure.h has no type for. False: MPI does not define it, or the compiler has no such
/// numbers.
bool find_other_reduction(pure_op op, type_handle type, std::size_t element_bytes, detail::reduction& found) noexcept;

/// What programs combine as a number, though MPI has it for texts (MPI 5.0, 6.9.2): other MPIs let them.
[[nodiscard]] constexpr pure_datatype as_number(pure_datatype type) noexcept {
  return type == PURE_CHAR ? PURE_SIGNED_CHAR : type;
}

/// "MPI_SUM"; of a predefined one.
const char* name_of_operator(op_handle op) noexcept;

}  // namespace pure::core::mpi
