#include "loader/replaced_functions.hpp"

namespace pure::core {

replaced_functions::replaced_functions(std::initializer_list<std::span<const replacement>> all) {
  for (const auto replacements : all)
    for (const replacement& each : replacements) by_name_.emplace(each.name, each.function);
}

void* replaced_functions::find(std::string_view name) const noexcept {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace pure::core
