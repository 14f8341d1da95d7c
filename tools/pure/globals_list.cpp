#include "pure/globals_list.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "hang/elf_globals.hpp"
#include "own_mpi.hpp"
#include "pure/globals_lines.hpp"

namespace pure::tool {
namespace {

namespace fs = std::filesystem;
using core::elf_globals;
using core::mapped_file;

bool begins_with(std::span<const std::byte> content, std::string_view text) {
  return content.size() >= text.size() && std::memcmp(content.data(), text.data(), text.size()) == 0;
}

// What a file is that has no list of globals, and what to do about it.
std::string explanation(elf_globals::fault fault, std::span<const std::byte> content) {
  using enum elf_globals::fault;
  switch (fault) {
    case no_elf:
      if (content.empty()) return "it is empty";
      if (begins_with(content, "#!")) return "it is a script; name the program that it starts";
      if (begins_with(content, "!<arch>\n")) return "it is a static library; name a program that is linked with it";
      return "it is not a program or library (no ELF file)";
    case not_64_bit: return "it is a program of 32 bits, and Pure is for 64";
    case big_endian: return "it is for a processor that has the highest byte first; Pure is for x86-64 and aarch64";
    case other_machine: return "it is for another processor; Pure is for x86-64 and aarch64";
    case object_file: return "it is an object file; name a program or shared library that is linked with it";
    case core_file: return "it is a core dump; name the program that left it";
    case damaged: return "it is damaged, or cut off";
    case no_symbols:
      return "it has no symbol table, so nobody knows the names of its variables: build it without -s, and do not strip it";
    case none: break;
  }
  return "";
}

// Opened for its list: refuses what has none.
elf_globals checked(const std::string& path, const mapped_file& file) {
  const elf_globals elf(file.content());
  if (elf.what_is_wrong() == elf_globals::fault::none) return elf;
  throw std::runtime_error(fmt::format("{}: {}.", path, explanation(elf.what_is_wrong(), file.content())));
}

// Compilers number variables of the same name: count.0, count.lto_priv.1.
std::string_view without_number(std::string_view symbol) {
  for (;;) {
    const auto dot = symbol.rfind('.');
    if (dot == 0 || dot == std::string_view::npos) return symbol;
    const std::string_view rest = symbol.substr(dot + 1);
    const bool is_number = !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number && rest != "lto_priv" && rest != "llvm") return symbol;
    symbol = symbol.substr(0, dot);
  }
}

std::string readable_name(std::string_view symbol) {
  const std::string bare(without_number(symbol));
  return bare.starts_with("_Z") ? core::type_name(bare.c_str()) : bare;
}

std::string shown_path(const std::string& file) {
  std::error_code ignored;
  const std::string here = fs::current_path(ignored).string() + "/";
  const std::string plain = fs::path(file).lexically_normal().string();
  return plain.starts_with(here) ? plain.substr(here.size()) : plain;
}

std::vector<std::string> texts_of(const elf_globals& elf, std::int64_t tag) {
  std::vector<std::string> texts;
  std::string_view text;
  for (std::size_t at = 0; elf.next_dynamic(tag, at, text);) texts.emplace_back(text);
  return texts;
}

/// A program of MPI's functions: names of Pure in it are those of tasks, or of Fortran's side, which is a part of
/// programs.
bool is_for_mpi(const std::vector<std::string>& needed) {
  const auto needs = [&](std::string_view library) {
    return std::any_of(needed.begin(), needed.end(),
                       [&](const std::string& each) { return each.starts_with(library); });
  };
  return needs("libmpi_abi.so") && !needs("libpure.so");
}

}  // namespace

listed_file list_globals(const std::string& path) {
  const mapped_file file(path, mapped_file::keep::descriptor_too);
  const elf_globals elf = checked(path, file);
  const variable_places places = places_of_variables(file.descriptor());
  listed_file listed{.path = path, .globals = {}, .system_copies = {}, .mpi_copies = {}};
  listed.is_complete = !elf.is_stripped();
  listed.is_static = elf.is_static();
  listed.has_debug_information = places.is_there;
  const std::vector<std::string> needed = texts_of(elf, DT_NEEDED);
  listed.uses_pure = (elf.has_symbol("pure_") || elf.has_symbol("_ZN4pure")) && !is_for_mpi(needed);
  listed.is_loaded = std::find(needed.begin(), needed.end(), own_mpi::library) != needed.end();
  std::set<std::uint64_t> addresses;
  core::global_variable found;
  for (std::size_t at = 0; elf.next(at, found);) {
    if (!addresses.insert(found.address).second) continue;  // another name of one that is listed
    if (found.from == core::global_variable::origin::system_copy) {
      listed.system_copies.push_back(readable_name(found.name.substr(0, found.name.find('@'))));
      continue;
    }
    if (found.from == core::global_variable::origin::mpi_copy) {
      listed.mpi_copies.push_back(readable_name(found.name));
      continue;
    }
    const auto place = places.by_address.find(found.address);
    const bool is_known = place != places.by_address.end();
    if (is_known && place->second.is_constant) {
      ++listed.constants;
      continue;
    }
    listed_global& one = listed.globals.emplace_back();
    one.symbol = found.name;
    one.name = readable_name(found.name);
    one.address = found.address;
    one.bytes = found.bytes;
    one.section = found.section;
    one.is_copy = found.from == core::global_variable::origin::copy;
    if (is_known) one.file = shown_path(place->second.file);
    if (is_known) one.line = place->second.line;
  }
  std::stable_sort(listed.globals.begin(), listed.globals.end(), [](const listed_global& a, const listed_global& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  std::sort(listed.system_copies.begin(), listed.system_copies.end());
  std::sort(listed.mpi_copies.begin(), listed.mpi_copies.end());
  return listed;
}

namespace {

void add_folders(std::vector<std::string>& folders, std::string_view list, const fs::path& origin) {
  for (const std::string_view part : core::split(list, ':')) {
    std::string folder(part);
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      if (const auto at = folder.find(word); at != std::string::npos) folder.replace(at, word.size(), origin.string());
    }
    if (!folder.empty()) folders.push_back(folder);
  }
}

// Where the dynamic linker looks, as far as files of its own say.
std::vector<std::string> folders_for(const elf_globals& elf, const fs::path& origin) {
  std::vector<std::string> folders;
  const std::vector<std::string> run_paths = texts_of(elf, DT_RUNPATH);
  if (run_paths.empty()) {
    for (const std::string& each : texts_of(elf, DT_RPATH)) add_folders(folders, each, origin);
  }
  if (const char* const list = core::environment_variable("LD_LIBRARY_PATH")) add_folders(folders, list, origin);
  for (const std::string& each : run_paths) add_folders(folders, each, origin);
  std::error_code error;
  std::set<fs::path> lists;
  for (fs::directory_iterator entry("/etc/ld.so.conf.d", error), end; !error && entry != end; entry.increment(error))
    lists.insert(entry->path());
  for (const fs::path& list : lists) {
    std::ifstream file(list);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('/')) folders.push_back(line);
    }
  }
  for (const char* const usual : {"/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    folders.emplace_back(usual);
  return folders;
}

bool is_of_system(const std::string& path) {
  constexpr std::string_view system_folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::any_of(std::begin(system_folders), std::end(system_folders),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

// The dynamic linker passes over libraries for other machines, of which there are some where programs of 32 bits run.
bool is_for_this_machine(const std::string& path) {
  using enum elf_globals::fault;
  try {
    const mapped_file file(path);
    const elf_globals::fault fault = elf_globals(file.content()).what_is_wrong();
    return fault != not_64_bit && fault != big_endian && fault != other_machine;
  } catch (const std::runtime_error&) {
    return true;  // whoever reads it says what is wrong
  }
}

// Empty: there is none.
std::string found_library(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return fs::exists(name, ignored) ? fs::weakly_canonical(name).string() : "";
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / name;
    if (fs::is_regular_file(path, ignored) && is_for_this_machine(path))
      return fs::weakly_canonical(path, ignored).string();
  }
  return {};
}

}  // namespace

std::vector<std::string> own_libraries(const std::string& path, std::vector<std::string>& missing) {
  std::vector<std::string> libraries;
  std::set<std::string> seen;
  for (std::deque<std::string> unread{path}; !unread.empty(); unread.pop_front()) {
    const std::string current = unread.front();
    const mapped_file file(current);
    const elf_globals elf(file.content());
    std::error_code ignored;
    const fs::path origin = fs::weakly_canonical(current, ignored).parent_path();
    for (const std::string& name : texts_of(elf, DT_NEEDED)) {
      if (name.starts_with("libpure.so") || elf_globals::is_of_mpi(name) || !seen.insert(name).second) continue;
      const std::string found = found_library(name, folders_for(elf, origin));
      if (found.empty()) {
        missing.push_back(name);
      } else if (!is_of_system(found)) {
        libraries.push_back(found);
        unread.push_back(found);
      }
    }
  }
  return libraries;
}

namespace {

// The runtimes of C and C++, which need no MPI and are in every program: not looked for.
bool is_runtime(std::string_view library) {
  constexpr std::string_view beginnings[] = {"libc.so",       "libm.so",  "libstdc++.so", "libgcc_s.so", "libc++",
                                             "libpthread.so", "libdl.so", "librt.so",     "ld-linux",    "linux-vdso"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view each) { return library.starts_with(each); });
}

}  // namespace

mpi_use mpi_use_of(const std::string& path) noexcept {
  try {
    bool uses_pure = false;
    bool are_all_known = true;
    std::set<std::string> seen;
    for (std::deque<std::string> unread{path}; !unread.empty(); unread.pop_front()) {
      const mapped_file file(unread.front());
      const elf_globals elf(file.content());
      using enum elf_globals::fault;
      if (elf.what_is_wrong() != none && elf.what_is_wrong() != no_symbols) return mpi_use::unknown;
      uses_pure = uses_pure || elf.has_symbol("pure_") || elf.has_symbol("_ZN4pure");
      const fs::path origin = fs::weakly_canonical(unread.front()).parent_path();
      if (elf.has_symbol("MPI_Init")) return mpi_use::some;  // its libraries are in the program (libmpi.a)
      for (const std::string& name : texts_of(elf, DT_NEEDED)) {
        if (elf_globals::is_of_mpi(name)) return mpi_use::some;
        if (is_runtime(name) || !seen.insert(name).second) continue;
        if (name.starts_with("libpure.so")) {  // what it needs in turn is no MPI
          uses_pure = true;
          continue;
        }
        const std::string found = found_library(name, folders_for(elf, origin));
        if (found.empty()) {
          are_all_known = false;
        } else {
          unread.push_back(found);
        }
      }
    }
    return uses_pure && are_all_known ? mpi_use::none : mpi_use::unknown;
  } catch (const std::exception&) {
    return mpi_use::unknown;
  }
}

}  // namespace pure::tool
