// Libraries of MPIs, by the names that programs have for them: Pure's own (libmpi_abi), or another one's, whose handles
// and constants have other values, and which knows nothing of Pure's ranks. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loader/closure.hpp"

namespace pure::core {

/// Whose functions an MPI program calls.
enum class mpi_family { none, pure, mpich, openmpi, other };

/// Of a library for which elf_globals::is_of_mpi holds.
[[nodiscard]] mpi_family mpi_family_of(std::string_view library) noexcept;
/// For people.
[[nodiscard]] std::string_view name_of(mpi_family family) noexcept;

/// Whether a rank of Pure cannot have that library, by its name or path, beside Pure's: it is another MPI's.
[[nodiscard]] bool is_of_another_mpi(std::string_view library) noexcept;

/// The object of a closure that is another MPI's, and which one needs it, if not the first; by names.
struct foreign_library {
  std::string library;
  std::string needed_by;
};
/// Of what a rank opens; no library: it has none. Throws std::runtime_error: its file cannot be read.
[[nodiscard]] foreign_library foreign_library_in(const program_closure& closure);

/// Paths of what the dynamic linker has loaded into this process: Pure's library, and another MPI's. Empty: there is
/// none.
struct loaded_mpi_libraries {
  std::string own;
  std::string another;
};
/// A network's plug-in may have brought the other one: before there is a job.
[[nodiscard]] loaded_mpi_libraries mpis_of_process();

}  // namespace pure::core
