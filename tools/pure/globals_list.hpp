// The writable globals of programs and libraries, as `pure globals` shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pure::tool {

struct listed_global {
  std::string name;    ///< as a program writes it; a static variable of a function with the function
  std::string symbol;  ///< as in the file
  std::uint64_t address = 0, bytes = 0;
  std::string section;
  std::string file;  ///< where it is defined; empty: not known
  int line = 0;
  bool is_copy = false;  ///< of a variable of a library, which uses the same
};

struct listed_file {
  std::string path;
  std::vector<listed_global> globals;      ///< the largest first
  std::vector<std::string> system_copies;  ///< of variables of the system's libraries, such as stdout
  std::vector<std::string> mpi_copies;     ///< of an MPI's, such as ompi_mpi_comm_world
  std::uint64_t constants = 0;             ///< left out: written once, when the program starts
  bool is_complete = true;                 ///< false: stripped, only what it exports is known
  bool is_static = false;
  bool has_debug_information = false;
  bool uses_pure = false;  ///< it calls Pure, or has it inside
  bool is_loaded = false;  ///< it needs Pure's MPI: purerun loads it once for each rank
};

/// Throws std::runtime_error that says what the file is, if it is not what is asked for. A tool without libdw
/// (globals_lines.hpp) knows no places, and takes constants for variables that the start computes.
listed_file list_globals(const std::string& path);

/// The libraries that a program or library needs, and those that these need, as far as they lie outside the system's
/// folders; without Pure's own and those of an MPI. `missing` gets the names of those not found.
std::vector<std::string> own_libraries(const std::string& path, std::vector<std::string>& missing);

/// Of which sort a program is, as far as its file and those of the libraries that it needs say.
enum class mpi_use {
  none,    ///< it uses Pure, and no MPI
  some,    ///< it needs an MPI, itself or by way of a library
  unknown  ///< a script, a program that does not use Pure, or one of whose libraries not all are found
};
/// Throws nothing: a file that cannot be read is unknown.
mpi_use mpi_use_of(const std::string& path) noexcept;

}  // namespace pure::tool
