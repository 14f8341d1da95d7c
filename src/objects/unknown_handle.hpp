// What is said of a handle that no object has.
#pragma once

#include <cstdint>
#include <string>

namespace pure::core {

class rank_context;

/// Why a handle that has no object at rank `self` is wrong: "the communicator is the null communicator", or freed, or
/// of another rank, or never made. `what`: "communicator", "group" and so on.
std::string why_unknown(const rank_context& self, std::uint64_t handle, const char* what);

}  // namespace pure::core
