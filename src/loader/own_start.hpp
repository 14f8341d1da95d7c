// What has to be so from a process's start: room for the program's thread_local variables below the thread pointer,
// and libraries that come before libc. The launcher, which loads programs, has room for small ones; for others it
// executes itself again.
//
// On the main thread, before there are others.
#pragma once

#include "loader/closure.hpp"

namespace pure::core {

/// Returns where this process can load that program; otherwise the process begins anew, with what it lacked. Afterwards
/// the environment is what it was before. Throws std::runtime_error if that is in vain, std::system_error.
void begin_anew_for(const program_closure& program, char** arguments);

}  // namespace pure::core
