// Arguments that differ in the two forms of a function of MPI, as its one body gets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pure/number_array.h>

#include "api/mpi/constants.hpp"
#include "api/mpi/mpi_h.hpp"

namespace pure::core::mpi {

using number_array = pure_number_array;

inline std::vector<std::int64_t> copied(const number_array& numbers, std::size_t count) {
  std::vector<std::int64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = numbers[i];
  return all;
}

/// The form of the call that makes a datatype.
enum class call_form { small, large };

/// A function of MPI_Op_create, or of MPI_Op_create_c.
class program_function {
 public:
  program_function(MPI_User_function* of) noexcept  // NOLINT: implicit
      : address_(reinterpret_cast<void (*)()>(of)) {}
  program_function(MPI_User_function_c* of) noexcept  // NOLINT: implicit
      : address_(reinterpret_cast<void (*)()>(of)), is_large_(true) {}

  [[nodiscard]] void (*address() const noexcept)() { return address_; }
  [[nodiscard]] bool is_large() const noexcept { return is_large_; }

 private:
  void (*address_)();
  bool is_large_ = false;
};

}  // namespace pure::core::mpi
