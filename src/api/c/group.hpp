// Handles of groups and info objects of pure.h: to what they name, and back. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <cstdint>
#include <utility>

#include "api/c/door.hpp"
#include "comm/group.hpp"
#include "objects/info_object.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

/// Throws group for a handle that names none.
inline const group& group_of(const call& by, pure_group handle) {
  static const group nobody;  // PURE_GROUP_EMPTY
  rank_context& rank = rank_of(by);
  const auto value = static_cast<std::uint64_t>(handle);
  const group* const found = handle == PURE_GROUP_EMPTY ? &nobody : rank_objects::of(rank).groups.find(value);
  if (found == nullptr) throw_wrong_call(by, errc::group, why_unknown(rank, value, "group"));
  return *found;
}

inline void give_group(const call& by, group made, pure_group* result) {
  rank_objects& objects = rank_objects::of(rank_of(by));
  *result = made.empty() ? PURE_GROUP_EMPTY : static_cast<pure_group>(objects.groups.add(std::move(made)));
}

/// Throws info for a handle that names none.
inline info_object& info_of(const call& by, pure_info info) {
  rank_context& rank = rank_of(by);
  const auto value = static_cast<std::uint64_t>(info);
  info_object* const found = rank_objects::of(rank).infos.find(value);
  if (found == nullptr) throw_wrong_call(by, errc::info, why_unknown(rank, value, "info object"));
  return *found;
}

inline void give_info(const call& by, info_object made, pure_info* result) {
  *result = static_cast<pure_info>(rank_objects::of(rank_of(by)).infos.add(std::move(made)));
}

}  // namespace pure::core
