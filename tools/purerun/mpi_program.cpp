#include "purerun/mpi_program.hpp"

#include <elf.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/mapped_file.hpp"
#include "base/printable_text.hpp"
#include "hang/elf_globals.hpp"
#include "pure/globals_list.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

using pure::core::elf_globals;

constexpr std::string_view standard_abi = "libmpi_abi.so";

// libmpi.so.12, libmpich.so.12, libmpifort.so.12 are MPICH's, Intel's and Cray's; libmpi.so.40, libmpi_mpifh.so.40 and,
// of older versions, libmpi.so.20 Open MPI's.
mpi_family family_of(std::string_view library) {
  if (library.starts_with(standard_abi)) return mpi_family::pure;
  if (library.starts_with("libopen-")) return mpi_family::openmpi;
  const auto number = library.rfind(".so.");
  const std::string_view version = number == std::string_view::npos ? "" : library.substr(number + 4);
  if (library.starts_with("libmpich") || version.starts_with("12")) return mpi_family::mpich;
  if (version.starts_with("20") || version.starts_with("40")) return mpi_family::openmpi;
  return mpi_family::other;
}

// What a program has that is linked with libpure.a and stripped: the name of a setting.
bool has_pure_inside(std::span<const std::byte> content) {
  constexpr std::string_view text = "PURE_LAUNCH_FD";
  return memmem(content.data(), content.size(), text.data(), text.size()) != nullptr;
}

// A DT_RPATH comes before LD_LIBRARY_PATH, but for a file that has a DT_RUNPATH as well.
bool has_fixed_path(const elf_globals& elf) {
  std::size_t fixed = 0, other = 0;
  std::string_view ignored;
  return elf.next_dynamic(DT_RPATH, fixed, ignored) && !elf.next_dynamic(DT_RUNPATH, other, ignored);
}

// Of one file.
linked_mpi mpi_of_file(const std::string& path) {
  linked_mpi found;
  const pure::core::mapped_file file(path);
  const elf_globals elf(file.content());
  found.is_fixed = has_fixed_path(elf);
  std::string_view library;
  for (std::size_t at = 0; elf.next_dynamic(DT_NEEDED, at, library);) {
    if (library.starts_with("libpure.so")) found.is_of_pure_h = true;
    if (!elf_globals::is_of_mpi(library)) continue;
    const mpi_family family = family_of(library);
    // The library for C says more than those for Fortran and C++, or of what lies below.
    if (found.family == mpi_family::none || family == mpi_family::pure || library.starts_with("libmpi.so"))
      found.family = family, found.library = library;
  }
  if (found.family != mpi_family::pure && has_pure_inside(file.content())) found.is_of_pure_h = true;
  return found;
}

std::string_view name_of(mpi_family family) {
  switch (family) {
    case mpi_family::mpich: return "MPICH, or its ABI";
    case mpi_family::openmpi: return "Open MPI";
    default: return "another MPI";
  }
}

}  // namespace

linked_mpi mpi_linked_with(const std::string& path) {
  try {
    linked_mpi found = mpi_of_file(path);
    std::vector<std::string> missing;
    if (found.family == mpi_family::none && !found.is_of_pure_h) {
      for (const std::string& library : pure::tool::own_libraries(path, missing)) {
        const bool is_fixed = found.is_fixed;  // that of the program counts for its libraries, too
        found = mpi_of_file(library);
        found.is_fixed |= is_fixed;
        if (found.family != mpi_family::none || found.is_of_pure_h) break;
      }
    }
    if (found.is_of_pure_h) return {.library = "", .is_of_pure_h = true};
    return found;
  } catch (const std::runtime_error&) {
    return {};  // it cannot be read; whether it can be executed shows then
  }
}

void refuse_foreign_mpi(const std::string& program, const linked_mpi& its) {
  if (its.family == mpi_family::none || its.family == mpi_family::pure) return;
  throw program_error(
      not_linked,
      fmt::format("{} is built for {} ({}), not for Pure.\n"
                  "  Build it again with MPICC=purecc and MPICXX=purecxx, or, with CMake, with\n"
                  "  -DMPI_C_COMPILER=purecc -DMPI_CXX_COMPILER=purecxx; or start it with the\n"
                  "  mpiexec of that MPI.",
                  pure::core::printable_word(program), pure::core::printable_word(its.library), name_of(its.family)));
}

}  // namespace purerun
