// Datatypes of pure.h beyond the basic ones: their names, and the messages they describe. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "layout/layout.hpp"
#include "match/handle_table.hpp"
#include "match/stored_message.hpp"

namespace pure::core {

/// The types that one rank has made.
class type_table {
 public:
  explicit type_table(int rank) : made_(handle_kind::datatype, rank), rank_(static_cast<std::uint32_t>(rank)) {}

  struct derived {
    layout_pointer form;
    unsigned code;  // of its elements, for checks (match/element_types.hpp); 0: of several types
  };

  /// Throws std::bad_alloc.
  pure_datatype add(layout made, unsigned code) {
    return static_cast<pure_datatype>(
        made_.make(derived{std::make_shared<const layout>(std::move(made)), code}).name.value);
  }
  /// Null if the rank has no type of that name; basic ones are not here. The pointer is good until the type is freed.
  [[nodiscard]] const derived* find(pure_datatype type) noexcept {
    const handle key{static_cast<std::uint64_t>(type)};
    return key.kind() == handle_kind::datatype && key.rank() == rank_ ? made_.find(key) : nullptr;
  }
  void free(pure_datatype type) noexcept { made_.free({static_cast<std::uint64_t>(type)}); }

 private:
  handle_table<derived> made_;
  const std::uint32_t rank_;
};

/// Not a basic type: it names a layout, or nothing.
[[nodiscard]] inline bool may_be_derived(pure_datatype type) noexcept { return type > PURE_LONG_DOUBLE_INT; }

/// What call::sends() and call::receives() say of it; 0 for what is no type. Of the calling rank.
[[nodiscard]] unsigned code_of_derived(pure_datatype type) noexcept;
[[nodiscard]] inline unsigned code_of(pure_datatype type) noexcept {
  return may_be_derived(type) ? code_of_derived(type) : static_cast<unsigned>(type);
}

/// Throws type for what is neither basic nor a type of the rank.
[[nodiscard]] const layout& layout_of(const communicator& comm, const call& by, pure_datatype type);

/// `count` elements of any type at `buf`. Throws type, count, buffer. One that lies in a row has no layout.
[[nodiscard]] placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                                       pure_datatype type);

}  // namespace pure::core
