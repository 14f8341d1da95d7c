// Handles of groups and info objects of pure.h: to what they name, and back. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <cstdint>
#include <span>
#include <utility>

#include "api/c/door.hpp"
#include "comm/communicator_table.hpp"
#include "comm/group.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

/// Throws group for a handle that names none.
inline const group& group_of(const call& by, pure_group handle) {
  rank_context& rank = rank_of(by);
  const auto value = static_cast<std::uint64_t>(handle);
  const group* const found = communicator_table::of(rank).find_group(value);
  if (found == nullptr) throw_wrong_call(by, errc::group, why_unknown(rank, value, "group"));
  return *found;
}

/// Refuses a null pointer.
inline void require_pointer(const call& by, const void* result, const char* name) {
  rank_of(by);
  if (result == nullptr) throw_wrong_call(by, errc::argument, std::string("the pointer `") + name + "` is null");
}

/// Throws info for a handle that names none.
inline info_table::entries& info_of(const call& by, pure_info info) {
  rank_context& rank = rank_of(by);
  info_table::entries* const found = c_door_state::of(rank).infos.find(info);
  if (found == nullptr)
    throw_wrong_call(by, errc::info, why_unknown(rank, static_cast<std::uint64_t>(info), "info object"));
  return *found;
}

inline void give_group(const call& by, group made, pure_group* result) {
  *result = static_cast<pure_group>(communicator_table::of(rank_of(by)).add_group(std::move(made)));
}

/// An array of a program, of `count` elements.
template <class T>
std::span<const T> array_of(const call& by, int count, const T* elements, const char* name) {
  if (count < 0) throw_wrong_call(by, errc::count, "the count " + std::to_string(count) + " is negative");
  if (count > 0) require_pointer(by, elements, name);
  return {elements, static_cast<std::size_t>(count)};
}

}  // namespace pure::core
