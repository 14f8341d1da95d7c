// From the leader's answer to the communicator of this rank. For create.cpp and split_type.cpp.
#pragma once

#include <string>

#include "comm/agreement.hpp"
#include "comm/communicator_table.hpp"

namespace pure::core {

/// "dup of world". Names of descendants do not grow without end.
inline std::string name_after(const communicator& parent, const std::string& relation) {
  constexpr std::size_t longest = 60;
  std::string name = relation + " of " + parent.name();
  if (name.size() > longest) name.replace(longest - 3, std::string::npos, "...");
  return name;
}

/// Null if the rank gets none.
inline communicator* adopt_made(communicator& from, const answer& got, const std::string& relation) {
  if (got.made == nullptr) return nullptr;
  return &communicator_table::of(from.owner()).adopt(*got.made, got.rank, name_after(from, relation));
}

}  // namespace pure::core
