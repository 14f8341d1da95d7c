// Arrays of counts and displacements, as the functions of pure.h take them.
#ifndef PURE_NUMBER_ARRAY_H
#define PURE_NUMBER_ARRAY_H

// One error, not many, as in pure.h.
#if !defined(__cplusplus) || __cplusplus < 201703L
#include <pure.h needs C++17: compile with -std=c++17 added, or with purecxx>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// An array of a program: of int, as programs ported from MPI have them, or of std::int64_t; or null. Made of a pointer
/// or an array where a function asks for it; it refers to the program's memory.
class pure_number_array {
 public:
  constexpr pure_number_array(std::nullptr_t) noexcept {}  // NOLINT: implicit
  template <class Number, class = std::enable_if_t<std::is_same_v<Number, int> || std::is_same_v<Number, std::int64_t>>>
  constexpr pure_number_array(const Number* numbers) noexcept  // NOLINT: implicit
      : first_(numbers), are_wide_(std::is_same_v<Number, std::int64_t>) {}

  constexpr bool is_null() const noexcept { return first_ == nullptr; }
  /// Of std::int64_t.
  constexpr bool is_wide() const noexcept { return are_wide_; }
  std::int64_t operator[](std::size_t i) const noexcept {
    return are_wide_ ? static_cast<const std::int64_t*>(first_)[i] : static_cast<const int*>(first_)[i];
  }
  /// Of what is_wide(), or is null.
  const std::int64_t* wide() const noexcept { return static_cast<const std::int64_t*>(first_); }

 private:
  const void* first_ = nullptr;
  bool are_wide_ = true;
};

#endif  // PURE_NUMBER_ARRAY_H
