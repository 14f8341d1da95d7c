// What a crash report says of the likeliest cause in a program that was written for processes: its ranks are threads
// now, and share its global variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/rank.hpp"

namespace pure::core {

/// From now on every rank runs the program's main. Before the ranks start.
void ranks_run_the_same_main() noexcept;

/// Writes the hint to `descriptor`: names of the largest writable globals of the program's file, and one that the
/// faulting address lies near to, or points near to it, first. Nothing if there are none, if this process has one rank
/// only, or if main is not run by every rank. For signal handlers: maps the program's file and allocates nothing.
void hint_at_globals(const rank_context& crashed, std::uintptr_t faulting_address, int descriptor) noexcept;

/// A mangled name as people know it, as far as that is simple: "_ZN2ns5tableE" as ns::table, "_ZZ4stepvE5calls" as
/// calls. Others as they are. Written to `room`, with a null character; the length.
std::size_t write_plain_name(std::string_view name, char* room, std::size_t room_bytes) noexcept;

}  // namespace pure::core
