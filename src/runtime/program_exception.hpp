// An exception of the program on its way through the library: thrown by the library's runtime, it stands for one that
// the program keeps (pure/detail/failure.hpp).
//
// It is of the same kind, with the same text, so that whoever catches an Error, a std::bad_alloc or a std::exception
// catches those of the program, too. Any thread.
#pragma once

#include <pure/detail/failure.hpp>

namespace pure::core {

class program_exception {
 public:
  program_exception(const program_exception&) = delete;
  program_exception& operator=(const program_exception&) = delete;

  /// The program's exception; valid as long as this one is kept.
  [[nodiscard]] detail::kept_exception& original() const noexcept { return original_; }

 protected:
  /// Takes what `thrown` refers to.
  explicit program_exception(const detail::failure& thrown) noexcept;
  ~program_exception();

 private:
  mutable detail::kept_exception original_;
};

/// Throws what stands for `thrown`, whose original it takes.
[[noreturn]] void throw_for_program(const detail::failure& thrown);

}  // namespace pure::core
