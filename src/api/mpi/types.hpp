// Datatypes of mpi.h: from their handles to what they are (MPI 5.0, chapter 5 and 20.2). Own thread of the rank only.
#pragma once

#include <array>
#include <cstdint>

#include "api/mpi/door.hpp"
#include "base/basic_types.hpp"
#include "comm/message_modes.hpp"
#include "objects/arguments.hpp"
#include "objects/datatype.hpp"
#include "objects/rank_objects.hpp"

namespace pure::core::mpi {

/// What is known of a predefined datatype when this is compiled.
struct predefined_type {
  const char* name = nullptr;  // null: no type has the number
  pure_datatype base = {};     // the type of pure.h with the same elements; PURE_DATATYPE_NULL: none
  // Of one, if elements that follow one another lie in a row, and are of that type; else 0.
  std::uint16_t row_bytes = 0;
  std::uint16_t code = 0;  // of the elements (match/element_types.hpp)
};

/// By the last bits of the handle.
inline constexpr std::uintptr_t first_type = 0x200;

[[nodiscard]] constexpr bool is_pair(pure_datatype base) noexcept {
  return base >= PURE_FLOAT_INT && base <= PURE_LONG_DOUBLE_INT;
}

[[nodiscard]] constexpr predefined_type predefined(const char* name, pure_datatype base) noexcept {
  const bool has_rows = base != PURE_DATATYPE_NULL && (!is_pair(base) || base == PURE_2INT);
  return {name, base, static_cast<std::uint16_t>(has_rows ? type_forms[base].bytes : 0),
          static_cast<std::uint16_t>(is_pair(base) ? PURE_DATATYPE_NULL : base)};
}

inline constexpr auto predefined_types = [] {
  std::array<predefined_type, 256> all{};
#define PURE_MPI_DATATYPE(value, name, base) all[(value)-first_type] = predefined(name, base);
#include "api/mpi/datatypes.inc"
#undef PURE_MPI_DATATYPE
  all[0x207 - first_type].code = 0;  // MPI_PACKED: packed data matches all (MPI 5.0, 5.2)
  return all;
}();

[[nodiscard]] inline const predefined_type* find_predefined(type_handle type) noexcept {
  const std::uintptr_t at = type.value - first_type;
  return at < predefined_types.size() && predefined_types[at].name != nullptr ? &predefined_types[at] : nullptr;
}

/// The bytes of one element, if elements of a predefined type lie in a row; 0: they do not, or the type is no such.
[[nodiscard]] inline std::size_t row_bytes_of(type_handle type) noexcept {
  const std::uintptr_t at = type.value - first_type;
  return at < predefined_types.size() ? predefined_types[at].row_bytes : 0;
}

/// Throws type: null, or no type of this rank. `argument`: what the standard calls it.
const datatype& type_of(const call& by, type_handle type, const char* argument);
/// For data that travels. Throws type, also for one that is not committed.
const datatype& committed_type_of(const call& by, type_handle type, const char* argument);
/// One that the program has made. Throws type.
datatype& made_type_of(const call& by, type_handle type, const char* argument);

/// The type of pure.h of a predefined datatype, also of one for Fortran; PURE_DATATYPE_NULL: it has none, or the type
/// is derived.
[[nodiscard]] pure_datatype base_of_derived(type_handle type) noexcept;
[[nodiscard]] inline pure_datatype base_of(type_handle type) noexcept {
  const predefined_type* const found = find_predefined(type);
  return found == nullptr ? base_of_derived(type) : found->base;
}

/// The codes of predefined datatypes that pure.h has no type for (datatype::code), above those that it has.
inline constexpr unsigned first_other_code = 64;
[[nodiscard]] inline type_handle predefined_with(unsigned other_code) noexcept {
  return type_handle{first_type + other_code - first_other_code};
}
/// The predefined datatype itself, or of one for Fortran the one with the same elements; MPI_DATATYPE_NULL of others.
[[nodiscard]] type_handle predefined_of(type_handle type) noexcept;

/// `count` elements at `buf`, which may be MPI_BOTTOM if the type says where they are. Throws type, count, buffer.
placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                         type_handle type, const char* argument);

/// The code of the elements, for checks (match/element_types.hpp); 0: of no type, or of several.
[[nodiscard]] unsigned code_of_derived(type_handle type) noexcept;
[[nodiscard]] inline unsigned code_of(type_handle type) noexcept {
  const predefined_type* const known = find_predefined(type);
  return known == nullptr ? code_of_derived(type) : known->code;
}

}  // namespace pure::core::mpi
