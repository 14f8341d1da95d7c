// Libraries of MPIs, by the names that programs have for them: Pure's own (libmpi_abi), or another one's, whose handles
// and constants have other values, and which knows nothing of Pure's ranks. Pure has doors of such names (api/foreign),
// which are told by what they define. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loader/closure.hpp"

namespace pure::core {

/// Whose functions an MPI program calls.
enum class mpi_family { none, pure, mpich, openmpi, old_openmpi, other };

/// Of a library for which elf_globals::is_of_mpi holds.
[[nodiscard]] mpi_family mpi_family_of(std::string_view library) noexcept;
/// For people.
[[nodiscard]] std::string_view name_of(mpi_family family) noexcept;

/// Whether a library of that name, or path, is another MPI's, or Pure's door for programs of it.
[[nodiscard]] bool is_of_another_mpi(std::string_view library) noexcept;
/// A symbol that a door of Pure's defines, and nothing else does.
inline constexpr const char* door_mark = "pure_foreign_door";
/// Whether the library at that path is one.
[[nodiscard]] bool is_own_door(const std::string& path) noexcept;
/// Whether a rank of Pure cannot have that library, at that path, beside Pure's.
[[nodiscard]] inline bool is_another_mpi_at(const std::string& path) noexcept {
  return is_of_another_mpi(path) && !is_own_door(path);
}

/// The interface that a library of Pure's own at that path has: libmpi_abi, or a door; none: it is something else.
[[nodiscard]] mpi_family own_interface_of(const std::string& path) noexcept;

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
