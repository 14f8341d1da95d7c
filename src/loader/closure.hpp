// A program and the libraries that it needs: which of them each rank has for itself, and what stands in the way of that.
//
// Private are the program and its libraries, those of the system, too: libstdc++, libgomp, libgfortran keep state.
// Shared are libc with its parts, libm, libgcc_s, the dynamic linker, Pure's own libraries, and what must be one for
// the process: a sanitizer's runtime, an allocator.
#pragma once

#include <string>
#include <vector>

namespace pure::core {

struct program_object {
  std::string name;  // as DT_NEEDED has it; of the program, its path
  std::string path;
  bool is_private = false;
};

struct program_closure {
  std::vector<program_object> objects;  // the program, then its libraries, breadth first, as the dynamic linker has them
  std::vector<std::string> preloads;    // paths: shared objects that have to come before libc (allocators, sanitizers)
  std::string interpreter;              // the dynamic linker that it asks for
};

/// Of the program at that path; `for_plug_in`: of a library that a rank opens. Throws loader_refusal (why it cannot be
/// loaded for each rank, for people), std::runtime_error if the file cannot be read.
program_closure closure_of(const std::string& path);

}  // namespace pure::core
