// What PURE_CHECK knows of the elements of a message: their type, as a code (MPI 4.1, 3.3.1).
//
// A code is a pure_datatype; above those, the number of a class (pure/detail/element_type.hpp). 0 is no knowledge, and
// matches all. Types with the same values match, under whatever names: PURE_INT, PURE_INT32_T and std::int32_t. Pure
// functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace pure::core {

struct element_type {
  static constexpr unsigned bits = 12;  // in a record
  static constexpr std::uint32_t mask = (1U << bits) - 1;

  std::uint32_t code = 0;

  /// Of the two that a call site can tell: what it sends, what it receives.
  static constexpr element_type sent(std::uint32_t types) noexcept { return {types & mask}; }
  static constexpr element_type received(std::uint32_t types) noexcept { return {(types >> 16) & mask}; }
};

/// False if elements of one type must not be received as the other.
[[nodiscard]] bool types_match(element_type sent, element_type received) noexcept;

/// "int", "std::complex<float>", "a class".
[[nodiscard]] std::string to_text(element_type type);

}  // namespace pure::core
