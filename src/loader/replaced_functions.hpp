// By name, what a private object of a program is bound to in place of libc's.
#pragma once

#include <string_view>

#include "loader/libc_variables.hpp"

namespace pure::core {

/// Null: libc's own.
void* replaced_function(std::string_view name) noexcept;

/// A variable of libc that each rank has for itself: its first name (signgam for __signgam); empty: it is none.
std::string_view rank_variable(std::string_view name) noexcept;

/// The same for all that libc_variables names, also those that are kept equal to libc's.
std::string_view named_variable(std::string_view name) noexcept;

/// The address of a rank's variable, by its first name.
void* address_of(const libc_variables& variables, std::string_view name) noexcept;

/// Such a variable is in the program's image from now on.
void point_to(libc_variables& variables, std::string_view name, void* place) noexcept;

}  // namespace pure::core
