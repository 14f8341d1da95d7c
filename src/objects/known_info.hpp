// The keys of info objects that mean something to Pure; others are ignored (MPI 4.1, 10).
#pragma once

#include <string>

#include "base/call.hpp"
#include "comm/create.hpp"
#include "objects/info_object.hpp"
#include "window/create.hpp"
#include "window/window.hpp"

namespace pure::core {

/// What a window shall be (MPI 4.1, 12.2.1 and others). Throws info for a value that its key does not have.
[[nodiscard]] window_options window_options_of(const call& by, const info_object& from, bool is_contiguous);
/// The same of a window that is there.
[[nodiscard]] info_object info_of(const window& of);

/// Adds what the info object says of `to`, whose kind is set (MPI 4.1, 7.4.2).
void read_split_keys(const info_object& from, split_wish& to);
/// Says what hardware a split of that kind has found for this rank, if the kind is one that tells.
void note_split_result(info_object& to, split_kind kind, const std::string& found);

}  // namespace pure::core
