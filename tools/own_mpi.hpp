// Where Pure's own MPI is, the library libmpi_abi that belongs to the tool which asks. Any thread may.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#ifndef PURE_MPI_LIBRARY_FOLDER  // of an installed copy, from its prefix
#define PURE_MPI_LIBRARY_FOLDER "lib/pure/mpi/lib"
#endif
#ifndef PURE_DOORS_FOLDER
#define PURE_DOORS_FOLDER "lib/pure/doors"
#endif

namespace own_mpi {

inline constexpr const char* library = "libmpi_abi.so.1";

/// The folder of that library, in an installed copy or in a build; empty if there is none.
inline std::string folder() {
  std::error_code ignored;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* const from_prefix : {PURE_MPI_LIBRARY_FOLDER, "lib"}) {
    const std::filesystem::path place = (bin.parent_path() / from_prefix).lexically_normal();
    if (!bin.empty() && std::filesystem::exists(place / library, ignored)) return place.string();
  }
  return {};
}

/// The folder of the libraries for programs of that MPI ("openmpi": libmpi.so.40, "mpich": libmpich.so.12); empty:
/// there is none.
inline std::string doors_folder(const std::string& interface) {
  std::error_code ignored;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* const from_prefix : {PURE_DOORS_FOLDER, "lib/doors"}) {
    const std::filesystem::path place = (bin.parent_path() / from_prefix / interface).lexically_normal();
    if (!bin.empty() && std::filesystem::exists(place, ignored)) return place.string();
  }
  return {};
}

/// What CMake takes as MPI_HOME: in an installed copy the folder above; otherwise a form of it, for people.
inline std::string home() {
  const std::filesystem::path above = std::filesystem::path(folder()).parent_path();
  std::error_code ignored;
  return std::filesystem::exists(above / "bin/mpicc", ignored) ? above.string() : "PREFIX/lib/pure/mpi";
}

/// Executed in place of a program, which it loads for each rank: over this library, and over libpure, beside which it
/// lies.
inline constexpr const char* launcher_name = "pure_ranks_mpi";
inline constexpr const char* launcher_of_pure_h = "pure_ranks_h";

/// The path of the first; empty if there is none.
inline std::string launcher() {
  const std::filesystem::path path = std::filesystem::path(folder()) / launcher_name;
  std::error_code ignored;
  return path.has_parent_path() && std::filesystem::exists(path, ignored) ? path.string() : std::string();
}

}  // namespace own_mpi
