// Which MPI a program is linked with: Pure's own (libmpi_abi), one for which Pure has a door of the same name
// (api/foreign), or another one, whose ranks purerun cannot start.
#pragma once

#include <string>
#include <vector>

#include "loader/mpi_libraries.hpp"

namespace purerun {

using pure::core::mpi_family;

struct linked_mpi {
  mpi_family family = mpi_family::none;
  std::string library;        ///< its file name, as the program has it
  bool is_of_pure_h = false;  ///< it is linked with libpure, or has it inside
  bool is_inside = false;     ///< of no library, but a part of the program (libmpi.a): it can only be alone
  bool is_fixed = false;  ///< the program says itself where it is, and LD_LIBRARY_PATH counts for nothing (DT_RPATH)
};

/// The MPI of the program at that path, or of a library that it brings along. None: it has none, it is a script, say,
/// or it is a program of pure.h, which may have an MPI of its own.
linked_mpi mpi_linked_with(const std::string& path);

/// A program that another one, such as gdb or env, may be there to start.
struct named_program {
  std::string name;  ///< empty: none
  linked_mpi its;
};

/// The first word behind the program of that command that names one which is linked with an MPI, or of pure.h.
named_program program_named_behind(const std::vector<std::string>& command);

/// The folder of Pure's doors for programs of that MPI; empty: there is none.
[[nodiscard]] std::string doors_for(mpi_family family);
/// Whether ranks of purerun can be of that MPI: Pure's own, or one that Pure has a door for.
[[nodiscard]] bool is_run_here(mpi_family family);

/// Throws program_error if that is an MPI that Pure has no door for, or one inside of a program of several ranks: what
/// it is, and what to do.
void refuse_foreign_mpi(const std::string& program, const linked_mpi& its, int ranks);

/// The same for a program of an MPI that Pure has a door for, if it or one of its libraries, in that environment, calls
/// what no door has: says what that is.
void refuse_what_doors_lack(const std::string& program, const std::string& path,
                            const std::vector<std::string>& environment);

/// The same for a program at that path, if it or one of its libraries brings another one into that
/// environment: calls of one library would reach the other's functions, with handles that mean nothing there.
void refuse_second_mpi(const std::string& program, const std::string& path, const linked_mpi& its,
                       const std::vector<std::string>& environment);

}  // namespace purerun
