// The functions of libc that a loaded program does not get: Pure's own stand in their place, for each rank its own
// process. Only the program's private objects are bound to them (loader/rank_images.hpp); libc's own calls, Pure's and
// those of shared libraries stay as they are.
//
// A function here is called by any thread of any rank, from C as well: it has libc's type and contract, throws nothing,
// and keeps errno as libc's does.
#pragma once

#include <span>
#include <string_view>

namespace pure::core {

struct replacement {
  std::string_view name;  // as the program knows it
  void* function = nullptr;
};

template <class Function>
replacement replaced_by(std::string_view name, Function* function) noexcept {
  return {name, reinterpret_cast<void*>(function)};
}

// By what they are about; each is a file of that name.
std::span<const replacement> argument_replacements() noexcept;  // getopt and its relatives
std::span<const replacement> random_replacements() noexcept;
std::span<const replacement> text_replacements() noexcept;  // strtok, ...
std::span<const replacement> time_replacements() noexcept;
std::span<const replacement> locale_replacements() noexcept;
std::span<const replacement> database_replacements() noexcept;  // users, groups, hosts, ..., hash tables
std::span<const replacement> math_replacements() noexcept;      // what sets signgam
std::span<const replacement> error_replacements() noexcept;     // err, error and their relatives, which call exit
std::span<const replacement> process_replacements() noexcept;   // what ranks share, and only a warning is due

}  // namespace pure::core
