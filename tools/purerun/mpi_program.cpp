#include "purerun/mpi_program.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/mapped_file.hpp"
#include "base/printable_text.hpp"
#include "hang/elf_globals.hpp"
#include "loader/dynamic_linker.hpp"
#include "loader/mpi_libraries.hpp"
#include "loader/object_file.hpp"
#include "own_mpi.hpp"
#include "pure/globals_list.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

using pure::core::elf_globals;
using pure::core::mpi_family_of;
using pure::core::object_file;
using pure::core::printable_word;

std::string_view last_of_path(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool has_text(std::span<const std::byte> content, std::string_view text) {
  return memmem(content.data(), content.size(), text.data(), text.size()) != nullptr;
}

// What a program has that is linked with libpure.a and stripped: the name of a setting.
bool has_pure_inside(std::span<const std::byte> content) { return has_text(content, "PURE_LAUNCH_FD"); }

// An MPI that is linked statically, or what stands for one in programs that are built without: MPI's functions, which
// those for Fortran call; where the symbols are stripped, a setting of MPICH or a function that Open MPI reports.
bool has_mpi_inside(const elf_globals& elf, std::span<const std::byte> content) {
  if (!elf.has_interpreter() && !elf.is_static()) return false;  // a library
  return elf.has_symbol("MPI_Init") ||
         (elf.is_stripped() && (has_text(content, "MPIR_CVAR_ALLREDUCE") || has_text(content, "ompi_mpi_init")));
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
  found.is_inside = found.family == mpi_family::none && !found.is_of_pure_h && has_mpi_inside(elf, file.content());
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

// What the dynamic linker will load in that environment; empty: it cannot say.
std::vector<pure::core::listed_object> objects_of(const std::string& path,
                                                  const std::vector<std::string>& environment) {
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  try {
    return pure::core::ask_dynamic_linker(path, "", pointers.data()).objects;
  } catch (const std::runtime_error&) {
    return {};
  }
}

constexpr std::size_t most_names = 4;  // in a message

// A name of C++ as a program has it.
std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return text ? text.get() : name;
}

// A function or a variable of an MPI, or of what Open MPI is made of.
bool is_name_of_mpi(std::string_view name) {
  constexpr std::string_view beginnings[] = {"MPI_",  "PMPI_", "MPIX_", "PMPIX_",  "mpi_",
                                             "pmpi_", "MPIR_", "MPII_", "OMPI_",   "ompi_",
                                             "opal_", "orte_", "mca_",  "_ZN3MPI", "_ZTVN3MPI"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [name](std::string_view each) { return name.starts_with(each); });
}

}  // namespace

linked_mpi mpi_linked_with(const std::string& path) {
  try {
    linked_mpi found = mpi_of_file(path);
    std::vector<std::string> missing;
    if (found.family == mpi_family::none && !found.is_of_pure_h) {  // a program that names neither
      for (const std::string& library : pure::tool::own_libraries(path, missing)) {
        const linked_mpi of_program = found;
        found = mpi_of_file(library);
        found.is_fixed |= of_program.is_fixed;  // that of the program counts for its libraries, too
        found.is_inside = of_program.is_inside && found.family == mpi_family::none && !found.is_of_pure_h;
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

std::string doors_for(mpi_family family) {
  if (family != mpi_family::openmpi && family != mpi_family::mpich) return {};
  return own_mpi::doors_folder(family == mpi_family::openmpi ? "openmpi" : "mpich");
}

bool is_run_here(mpi_family family) { return family == mpi_family::pure || !doors_for(family).empty(); }

void refuse_foreign_mpi(const std::string& program, const linked_mpi& its, int ranks) {
  if (its.is_inside && ranks > 1) {
    throw program_error(
        not_linked, fmt::format("{} has an MPI inside of it (linked statically, or in place of one), which knows\n"
                                "  nothing of other ranks: each of {} would be a job of its own.\n"
                                "  Link it with the shared library of its MPI, or with purecc or purefc. As so many\n"
                                "  processes that are each alone, 'purerun -n {} env {}' starts it.",
                                printable_word(program), ranks, ranks, printable_word(program)));
  }
  if (its.family == mpi_family::none || is_run_here(its.family)) return;
  throw program_error(not_linked,
                      fmt::format("{} is built for {} ({}), not for Pure.\n"
                                  "  Build it again with MPICC=purecc, MPICXX=purecxx and MPIFC=purefc; with CMake,\n"
                                  "  with -DMPI_HOME={}\n"
                                  "  or start it with the mpiexec of that MPI.",
                                  pure::core::printable_word(program), pure::core::printable_word(its.library),
                                  name_of(its.family), own_mpi::home()));
}

void refuse_what_doors_lack(const std::string& program, const std::string& path,
                            const std::vector<std::string>& environment) {
  std::deque<object_file> files;
  const auto add = [&](const std::string& each) {
    try {
      files.emplace_back(each);
    } catch (const std::runtime_error&) {  // the dynamic linker has found it, and says what is wrong with it
    }
  };
  add(path);
  for (const pure::core::listed_object& each : objects_of(path, environment)) {
    if (each.path.find('/') != std::string::npos) add(each.path);
  }
  for (const object_file& file : files) {
    const std::vector<std::string_view> needed = file.texts(DT_NEEDED);
    if (std::none_of(needed.begin(), needed.end(), elf_globals::is_of_mpi)) continue;
    std::vector<std::string> missing;
    for (const Elf64_Sym& symbol : file.symbols()) {
      const std::string_view name = file.name_of(symbol);
      if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK || !is_name_of_mpi(name)) continue;
      if (std::none_of(files.begin(), files.end(), [&](const object_file& each) { return each.defines(name); }))
        missing.push_back(readable(std::string(name)));
    }
    if (missing.empty()) continue;
    const std::size_t more = missing.size() > most_names ? missing.size() - most_names : 0;
    missing.resize(std::min(missing.size(), most_names));
    const std::string who = &file == &files.front() ? printable_word(program)
                                                    : printable_word(std::string(last_of_path(file.path())));
    throw program_error(
        not_linked,
        fmt::format("{} calls what only its own MPI has: {}{}.\n"
                    "  Start it with the mpiexec of that MPI (docs/shipped_programs.md has what Pure's doors lack).",
                    who, fmt::join(missing, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
  }
}

void refuse_second_mpi(const std::string& program, const std::string& path, const linked_mpi& its,
                       const std::vector<std::string>& environment) {
  const std::vector<pure::core::listed_object> all = objects_of(path, environment);
  std::vector<std::string> paths{path};
  for (const pure::core::listed_object& each : all) {
    if (!each.path.empty()) paths.push_back(each.path);
  }
  for (const pure::core::listed_object& each : all) {
    const std::string_view library = last_of_path(each.name);
    const mpi_family own = pure::core::own_interface_of(each.path);
    if (own == its.family || (own == mpi_family::none && !pure::core::is_of_another_mpi(library))) continue;
    const std::string by = who_needs(std::string(library), paths);
    const auto shown = [](mpi_family family, std::string_view name) {
      return fmt::format("{} ({})", family == mpi_family::pure ? "Pure's" : name_of(family),
                         printable_word(std::string(name)));
    };
    throw program_error(
        not_linked,
        fmt::format("{} needs two MPIs: {}, and {}, which {} brings along.\n"
                    "  A program can be of one only. Build what brings the other one with purecc or\n"
                    "  purefc, or leave it out; or build all for that MPI, for its own mpiexec.",
                    printable_word(program), shown(its.family, its.library), shown(mpi_family_of(library), library),
                    by == path ? "its own command to link" : printable_word(std::string(last_of_path(by)))));
  }
}

}  // namespace purerun
