// Arguments that differ in the two forms of a function of MPI, as its one body gets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/mpi/mpi_h.hpp"

namespace pure::core::mpi {

/// An array of a program: of ints, or of 64-bit numbers.
class number_array {
 public:
  number_array(const int* numbers) noexcept : first_(numbers) {}                            // NOLINT: implicit
  number_array(const std::int64_t* numbers) noexcept : first_(numbers), are_wide_(true) {}  // NOLINT: implicit

  [[nodiscard]] bool is_null() const noexcept { return first_ == nullptr; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept {
    return are_wide_ ? static_cast<const std::int64_t*>(first_)[i] : static_cast<const int*>(first_)[i];
  }
  [[nodiscard]] bool is_wide() const noexcept { return are_wide_; }
  /// If is_wide().
  [[nodiscard]] const std::int64_t* wide() const noexcept { return static_cast<const std::int64_t*>(first_); }
  [[nodiscard]] std::vector<std::int64_t> copy(std::size_t count) const {
    std::vector<std::int64_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = (*this)[i];
    return all;
  }

 private:
  const void* first_;
  bool are_wide_ = false;
};

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
