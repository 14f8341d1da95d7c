// Names for code addresses: what dladdr() knows, and for functions that a program does not export, which are nearly all
// of its own, the symbol table of its file. Lines, and the functions that are inlined there, are those of source_lines;
// without, `addr2line -ie FILE OFFSET` gives them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hang/source_lines.hpp"

namespace pure::core {

struct code_place {
  std::string function;         // readable_name(); empty: unknown
  std::string source;           // "halo.cpp:12"; empty: unknown
  std::string file;             // of the program or library; empty: unknown
  std::uintptr_t offset = 0;    // in the file's own addresses, for addr2line
  bool is_own_library = false;  // the module that this code is in: libpure.so, or a program linked with libpure.a
  bool is_program = false;      // the program itself
};

/// The name of a function as programmers write it: that of C++ is demangled.
[[nodiscard]] std::string readable_name(const char* name);

/// The program is not what this process executes, but the file of that path, which each rank has in memory for itself
/// (loader/loaded_program.hpp). `path` stays. Before there are ranks.
void program_is_loaded_from(const char* path) noexcept;

/// Reads the symbol tables of the files it meets, and keeps them. One thread at a time.
class symbol_names {
 public:
  symbol_names();
  symbol_names(const symbol_names&) = delete;
  symbol_names& operator=(const symbol_names&) = delete;
  ~symbol_names();

  /// The functions that are inlined at the address, the innermost first, and last the one that has a symbol.
  const std::vector<code_place>& of(const void* address);

 private:
  class table;
  std::vector<code_place> look_up(const void* address);

  std::map<const void*, std::vector<code_place>> known_;
  source_lines lines_;
  std::map<std::string, std::unique_ptr<table>> tables_;  // by the path of the file
};

}  // namespace pure::core
