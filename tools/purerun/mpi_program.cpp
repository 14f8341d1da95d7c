#include "purerun/mpi_program.hpp"

#include <elf.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/mapped_file.hpp"
#include "base/printable_text.hpp"
#include "hang/elf_globals.hpp"
#include "loader/dynamic_linker.hpp"
#include "loader/mpi_libraries.hpp"
#include "own_mpi.hpp"
#include "pure/globals_list.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

using pure::core::elf_globals;
using pure::core::mpi_family_of;

std::string_view last_of_path(std::string_view path) { return path.substr(path.rfind('/') + 1); }

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
    const mpi_family family = mpi_family_of(library);
    // The library for C says more than those for Fortran and C++, or of what lies below.
    if (found.family == mpi_family::none || family == mpi_family::pure || library.starts_with("libmpi.so"))
      found.family = family, found.library = library;
  }
  if (found.family != mpi_family::pure && has_pure_inside(file.content())) found.is_of_pure_h = true;
  return found;
}

// The file of `those` that needs that library by itself; empty: none does.
std::string who_needs(const std::string& library, const std::vector<std::string>& those) {
  for (const std::string& each : those) {
    try {
      const pure::core::mapped_file file(each);
      const elf_globals elf(file.content());
      std::string_view needed;
      for (std::size_t at = 0; elf.next_dynamic(DT_NEEDED, at, needed);) {
        if (needed == library) return each;
      }
    } catch (const std::runtime_error&) {
      continue;  // the dynamic linker has found it, and says what is wrong with it
    }
  }
  return {};
}

}  // namespace

linked_mpi mpi_linked_with(const std::string& path) {
  try {
    linked_mpi found = mpi_of_file(path);
    std::vector<std::string> missing;
    if (found.family == mpi_family::none && !found.is_of_pure_h) {  // a program that names neither
      for (const std::string& library : pure::tool::own_libraries(path, missing)) {
        const bool is_fixed = found.is_fixed;  // that of the program counts for its libraries, too
        found = mpi_of_file(library);
        found.is_fixed |= is_fixed;
        if (found.family != mpi_family::none || found.is_of_pure_h) break;
      }
    }
    if (found.family == mpi_family::pure) {
      found.is_of_pure_h = false;  // its ranks are MPI's, which both interfaces have
    } else if (found.is_of_pure_h) {
      return {.library = "", .is_of_pure_h = true};
    }
    return found;
  } catch (const std::runtime_error&) {
    return {};  // it cannot be read; whether it can be executed shows then
  }
}

named_program program_named_behind(const std::vector<std::string>& command) {
  for (std::size_t word = 1; word < command.size(); ++word) {
    const std::string path = command[word].starts_with('-') ? std::string() : executable_named(command[word]);
    if (path.empty()) continue;
    linked_mpi its = mpi_linked_with(path);
    if (its.family != mpi_family::none || its.is_of_pure_h) return {.name = command[word], .its = std::move(its)};
  }
  return {};
}

void refuse_foreign_mpi(const std::string& program, const linked_mpi& its) {
  if (its.family == mpi_family::none || its.family == mpi_family::pure) return;
  throw program_error(not_linked,
                      fmt::format("{} is built for {} ({}), not for Pure.\n"
                                  "  Build it again with MPICC=purecc, MPICXX=purecxx and MPIFC=purefc; with CMake,\n"
                                  "  with -DMPI_HOME={}\n"
                                  "  or start it with the mpiexec of that MPI.",
                                  pure::core::printable_word(program), pure::core::printable_word(its.library),
                                  name_of(its.family), own_mpi::home()));
}

void refuse_second_mpi(const std::string& program, const std::string& path,
                       const std::vector<std::string>& environment) {
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  pure::core::linker_answer all;
  try {
    all = pure::core::ask_dynamic_linker(path, "", pointers.data());
  } catch (const std::runtime_error&) {
    return;
  }
  std::vector<std::string> paths{path};
  for (const pure::core::listed_object& each : all.objects) {
    if (!each.path.empty()) paths.push_back(each.path);
  }
  for (const pure::core::listed_object& each : all.objects) {
    const std::string_view library = last_of_path(each.name);
    if (!pure::core::is_of_another_mpi(library)) continue;
    const std::string by = who_needs(std::string(library), paths);
    throw program_error(
        not_linked, fmt::format("{} needs two MPIs: Pure's ({}), and {} ({}), which {} brings along.\n"
                                "  A program can be of one only. Build what brings the other one with purecc or\n"
                                "  purefc, or leave it out; or build all for that MPI, for its own mpiexec.",
                                pure::core::printable_word(program), own_mpi::library, name_of(mpi_family_of(library)),
                                pure::core::printable_word(std::string(library)),
                                by == path ? "its own command to link"
                                           : pure::core::printable_word(std::string(last_of_path(by)))));
  }
}

}  // namespace purerun
