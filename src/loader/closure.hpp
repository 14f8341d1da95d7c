// A program and the libraries that it needs: which of them each rank has for itself, and what stands in the way of
// that.
//
// Private are the program and its libraries, those of the system, too: libstdc++, libgomp, libgfortran keep state.
// Shared are libc with its parts, libm, libgcc_s, the dynamic linker, Pure's own libraries, and what must be one for
// the process: a sanitizer's runtime, an allocator.
//
// Any thread, at any time: each call has one child process, the dynamic linker (dynamic_linker.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "loader/loader_refusal.hpp"

namespace pure::core {

struct program_object {
  std::string name;  // as DT_NEEDED has it; of the program, its path
  std::string path;
  bool is_private = false;
  // Of a private one: which object each of its DT_NEEDED entries means, in the order of the file. Two names may mean
  // the same object.
  std::vector<std::size_t> needs;
};

struct program_closure {
  // The program, then its libraries, breadth first, as the dynamic linker has them; without those that only shared
  // libraries need.
  std::vector<program_object> objects;
  std::vector<std::string> preloads;  // paths: shared objects that have to come before libc (allocators, sanitizers)
  std::string interpreter;            // the dynamic linker that it asks for
  std::uint64_t tls_bytes = 0;        // of the program's own thread_local variables, which lie below the thread pointer
  std::uint64_t tls_alignment = 1;
  std::uint64_t static_tls_bytes = 0;  // of private libraries, if one wants its own at a fixed distance from it, too
};

/// Of the program at that path. `environment`: in which it would run; null: this process's. Throws loader_refusal (why
/// it cannot be loaded for each rank), std::runtime_error if the file cannot be read or the dynamic linker not be
/// asked.
program_closure closure_of(const std::string& path, const char* const* environment = nullptr);

/// Of a library that a rank opens, by the name or path that dlopen got: the library is the first object. `opened_by`:
/// the path of the program or library that calls dlopen, whose search path counts. Throws as closure_of does.
program_closure closure_of_plug_in(const std::string& name, const std::string& opened_by,
                                   const char* const* environment = nullptr);

}  // namespace pure::core
