// Datatypes: basic ones and those that programs derive from others (MPI 4.1, 5.1), and the messages that they describe.
//
// A datatype never changes, but for its name and its commitment. A message under way shares its layout, so that a
// program may free a type at any time. A door has names for basic types, and handles for the others: types are objects
// of a rank (objects/rank_objects.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/basic_types.hpp"
#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "layout/layout.hpp"
#include "match/stored_message.hpp"
#include "objects/type_contents.hpp"
#include "objects/type_signature.hpp"

namespace pure::core {

struct datatype {
  layout_pointer form;          // never null
  unsigned code = 0;            // of its elements, for checks (match/element_types.hpp); 0: of several types
  signature_pointer signature;  // never null
  std::shared_ptr<const type_contents> contents;  // null: its door does not ask how it was made
  std::shared_ptr<const datatype> whole = {};     // the same of pairs with the gaps inside them; null: it has none
  std::string name = {};                          // what the program calls it
  bool is_committed = false;                      // at the doors that ask for it (MPI 5.0, 5.1.9)

  /// Throws std::bad_alloc.
  datatype(layout of, unsigned of_elements, signature_pointer of_what);

  /// Elements that follow one another lie in a row.
  [[nodiscard]] bool is_row() const noexcept {
    return form->is_contiguous() && form->extent() == static_cast<std::ptrdiff_t>(form->bytes());
  }
  /// Displacements are addresses, for the buffer at null (MPI 5.0, 4.1.12): no object lies below 4096.
  [[nodiscard]] bool has_addresses() const noexcept { return form->true_lower_bound() >= 4096; }
  /// The basic type of whose elements it consists; PURE_DATATYPE_NULL: it has none, or several.
  [[nodiscard]] pure_datatype element() const noexcept;
};

/// The type of that code, which is basic. Any thread.
[[nodiscard]] const datatype& basic_datatype(pure_datatype code);

/// `count` elements at `buf`, which may be null for a type that has_addresses(). Throws count, buffer. What lies in a
/// row has no layout.
[[nodiscard]] placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                                       const datatype& type);

/// So many bytes further on: a number, also from null.
[[nodiscard]] inline void* moved_address(const void* from, std::ptrdiff_t bytes) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(from) +  // NOLINT: a number
                                 static_cast<std::uintptr_t>(bytes));
}

/// How many whole elements are `bytes` bytes (MPI 4.1, 5.1.11, of a type without bytes: 0); -1: no number of them.
[[nodiscard]] std::int64_t elements_in(std::int64_t bytes, const datatype& type) noexcept;

}  // namespace pure::core
