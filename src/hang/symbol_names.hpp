// Names for code addresses: what dladdr() knows, and for functions that a program does not export, which are nearly all
// of its own, the symbol table of its file. No debug information is read: `addr2line -e FILE OFFSET` gives the line.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace pure::core {

struct code_place {
  std::string function;         // demangled; empty: unknown
  std::string file;             // of the program or library; empty: unknown
  std::uintptr_t offset = 0;    // in the file's own addresses, for addr2line
  bool is_own_library = false;  // the module that this code is in: libpure.so, or a program linked with libpure.a
};

/// Reads the symbol tables of the files it meets, and keeps them. One thread at a time.
class symbol_names {
 public:
  symbol_names();
  symbol_names(const symbol_names&) = delete;
  symbol_names& operator=(const symbol_names&) = delete;
  ~symbol_names();

  const code_place& of(const void* address);

 private:
  class table;
  code_place look_up(const void* address);

  std::map<const void*, code_place> known_;
  std::map<const void*, std::unique_ptr<table>> tables_;  // by the address of the module
};

}  // namespace pure::core
