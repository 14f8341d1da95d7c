// The libc functions that libpure stands in front of, and the real ones behind them.
#pragma once

namespace pure::core::libc {

/// The next definition of `name` after libpure's own; ends the process if there is none (a static program).
void* next_definition(const char* name);

/// _exit of the system, whichever function of that name the program sees.
[[noreturn]] void exit_now(int status) noexcept;

}  // namespace pure::core::libc
