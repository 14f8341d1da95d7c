// A serialized object on its way: what <pure/serialized.hpp> and the library both know of it. Not for programs.
//
// Types are told apart by their names, which are the same in all processes.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <typeinfo>
#include <utility>
#include <vector>

#include <pure/detail/transfer.hpp>

namespace pure::detail {

/// A serialized object, as a moved value: its memory changes hands.
struct archive {
  std::vector<std::byte> bytes;
  const char* type = nullptr;  // typeid(object).name(), which outlives it; null: `bytes` are a message of plain data

  [[nodiscard]] bool is_of(const std::type_info& wanted) const noexcept {
    return type != nullptr && (type == wanted.name() || std::strcmp(type, wanted.name()) == 0);
  }
};

inline const moved_operations operations_of_archive{
    .type = &typeid(archive),
    .move =
        [](void* to, void* from) noexcept {
          auto& source = *static_cast<archive*>(from);
          ::new (to) archive(std::move(source));
          source.~archive();
        },
    .destroy = [](void* at) noexcept { static_cast<archive*>(at)->~archive(); },
    .data = [](const void* at) noexcept -> const void* { return static_cast<const archive*>(at)->bytes.data(); },
    .bytes = [](const void* at) noexcept { return static_cast<const archive*>(at)->bytes.size(); },
    .serialized_type = [](const void* at) noexcept { return static_cast<const archive*>(at)->type; }};

}  // namespace pure::detail
