// Texts.
#pragma once

#include <string>

namespace mpi2pure {

inline bool begins_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

}  // namespace mpi2pure
