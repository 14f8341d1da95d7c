// The libc functions that Pure stands in front of, and the real ones behind them.
//
// The library that a program names has them by libc's names, because what it finds first counts: libpure, or a door over
// the core (api/doors), which gets at the core's by the names of base/second_name.hpp.
#pragma once

namespace pure::core::libc {

/// The next definition of `name` behind Pure's own; ends the process if there is none (a static program).
void* next_definition(const char* name);

/// Whether a door stands before libc: the program is one of MPI, whose ranks begin in MPI_Init.
[[nodiscard]] bool has_door_before() noexcept;

/// _exit of the system, whichever function of that name the program sees.
[[noreturn]] void exit_now(int status) noexcept;

}  // namespace pure::core::libc
