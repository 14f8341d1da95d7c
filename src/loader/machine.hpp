// What loading a program depends on in the machine: its relocations, where a thread's block lies, how a program is
// entered. A machine of its own is a header of its own; on all others loader/closure.cpp refuses programs, and nothing
// here is called.
#pragma once

#include <elf.h>

#if defined(__x86_64__)
#include "loader/machine_x86_64.hpp"
#else
#include "loader/machine_of_no_loader.hpp"
#endif

namespace pure::core {

inline relocation type_of(const Elf64_Rela& entry) noexcept {
  return static_cast<relocation>(ELF64_R_TYPE(entry.r_info));
}

}  // namespace pure::core
