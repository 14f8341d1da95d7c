// Datatypes of pure.h: from their names to what they are. Own thread of the rank only.
#pragma once

#include <pure.h>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "objects/datatype.hpp"

namespace pure::core {

/// Not a basic type: it names one that the rank has made, or nothing.
[[nodiscard]] inline bool may_be_derived(pure_datatype type) noexcept { return type > PURE_LONG_DOUBLE_INT; }

/// What call::sends() and call::receives() say of it; 0 for what is no type. Of the calling rank.
[[nodiscard]] unsigned code_of_derived(pure_datatype type) noexcept;
[[nodiscard]] inline unsigned code_of(pure_datatype type) noexcept {
  return may_be_derived(type) ? code_of_derived(type) : static_cast<unsigned>(type);
}

/// Null for what is neither basic nor a type of the rank.
[[nodiscard]] const datatype* find_datatype(const rank_context& rank, pure_datatype type);
/// Throws type for what is neither basic nor a type of the rank.
[[nodiscard]] const datatype& datatype_of(const communicator& comm, const call& by, pure_datatype type);

/// "PURE_DOUBLE"; of a basic type.
[[nodiscard]] const char* type_name(pure_datatype type) noexcept;

}  // namespace pure::core
