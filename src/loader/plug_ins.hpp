// Libraries that a rank's program opens while it runs: dlopen and its relatives, for each rank as for a process.
//
// A plug-in is private, as the program is, and so are the libraries that it brings along; what is shared (libc, MPI) is
// opened as ever. Its model is that of all ranks that bind it alike (loader/program_model.hpp), images are each rank's.
// dlsym finds the rank's own; dlclose runs the plug-in's destructors, and when it is opened again it begins anew.
#pragma once

#include "libc/replacements.hpp"
#include "loader/machine.hpp"

namespace pure::core {

std::span<const replacement> plug_in_replacements() noexcept;

/// For rank_images::bind_late_by: as the dynamic linker's lazy binding; ends the process if the function is nowhere.
std::uint64_t bind_late_call(late_calls* of_image, std::uint64_t relocation);

}  // namespace pure::core
