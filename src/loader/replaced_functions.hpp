// By name, what a private object of a program is bound to in place of libc's (libc/replacements.hpp).
//
// Made before there are ranks; afterwards any thread may look.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "libc/replacements.hpp"

namespace pure::core {

class replaced_functions {
 public:
  /// The names last as long as the process.
  replaced_functions(std::initializer_list<std::span<const replacement>> all);

  /// Null: libc's own.
  [[nodiscard]] void* find(std::string_view name) const noexcept;

 private:
  std::unordered_map<std::string_view, void*> by_name_;
};

}  // namespace pure::core
