// Reduction operators of mpi.h (MPI 5.0, 6.9).
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/collectives.hpp>

#include "api/mpi/door.hpp"
#include "objects/datatype.hpp"

namespace pure::core::mpi {

/// A function of the program, and for what elements it is called. What the core combines begins at the first byte of an
/// element, the function's arguments where its datatype has them.
struct program_combination {
  void (*function)() = nullptr;
  bool is_large = false;          // its count is an MPI_Count
  MPI_Datatype type = nullptr;    // as the program named it
  std::size_t element_bytes = 0;  // from one element to the next
  std::ptrdiff_t first_byte = 0;  // of an element
  std::int64_t whole_vector = 0;  // if not 0: one element of the core is so many of the program's

  /// As a detail::reduction::function. Any thread.
  static void combine(const void* context, const void* left, const void* right, void* out, std::size_t count);
  /// In place, `count` elements of the program's.
  void call(const void* in, void* inout, std::int64_t count) const;
};

/// An operator as a program named it.
struct given_operator {
  pure_op built_in = PURE_OP_NULL;  // PURE_OP_NULL: it is a program's
  void (*function)() = nullptr;
  bool is_large = false;
};
/// Throws op.
given_operator operator_of(const call& by, MPI_Op op);

/// How a built-in operator combines elements of a predefined datatype. Throws op.
detail::reduction built_in_reduction(const call& by, MPI_Op op, pure_op built_in, MPI_Datatype type);

/// What programs combine as a number, though MPI has it for texts (MPI 5.0, 6.9.2): other MPIs let them.
[[nodiscard]] constexpr pure_datatype as_number(pure_datatype type) noexcept {
  return type == PURE_CHAR ? PURE_SIGNED_CHAR : type;
}

/// "MPI_SUM"; of a predefined one.
const char* name_of_operator(MPI_Op op) noexcept;

}  // namespace pure::core::mpi
