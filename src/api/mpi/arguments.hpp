// Arguments that differ in the two forms of a function of MPI, as its one body gets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pure/number_array.h>

#include "api/mpi/constants.hpp"
#include "api/mpi/mpi_h.hpp"
#include "api/mpi/object_names.hpp"

namespace pure::core::mpi {

using number_array = pure_number_array;

inline std::vector<std::int64_t> copied(const number_array& numbers, std::size_t count) {
  std::vector<std::int64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = numbers[i];
  return all;
}

/// The form of the call that makes a datatype.
enum class call_form { small, large };

/// How a function of MPI_Op_create is called: a count is an int or an MPI_Count, a datatype a handle or a number, as in
/// Fortran.
enum class function_form { c, c_large, number, number_large };

/// A function of MPI_Op_create, or of MPI_Op_create_c.
class program_function {
 public:
  /// Gives what the function gets for a datatype, where that is neither the handle nor the number of the standard ABI.
  using type_namer = std::uint64_t (*)(type_handle type);

  program_function() noexcept = default;
  program_function(void (*address)(), function_form form, type_namer namer = nullptr) noexcept
      : address_(address), form_(form), namer_(namer) {}
  program_function(MPI_User_function* of) noexcept  // NOLINT: implicit
      : address_(reinterpret_cast<void (*)()>(of)) {}
  program_function(MPI_User_function_c* of) noexcept  // NOLINT: implicit
      : address_(reinterpret_cast<void (*)()>(of)), form_(function_form::c_large) {}

  [[nodiscard]] void (*address() const noexcept)() { return address_; }
  [[nodiscard]] function_form form() const noexcept { return form_; }
  [[nodiscard]] type_namer namer() const noexcept { return namer_; }

 private:
  void (*address_)() = nullptr;
  function_form form_ = function_form::c;
  type_namer namer_ = nullptr;  // of the calling rank's door; null: the standard ABI's
};

}  // namespace pure::core::mpi
