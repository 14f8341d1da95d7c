// Files and lines of code addresses, from the debug information of the program, with the functions that the compiler
// has inlined there.
//
// libdw of the elfutils reads it, where it is installed: it is opened when a report is made, for Pure itself links
// nothing that a program does not need. Separate files of debug information are not looked for: a server might be asked
// for them. Whoever has a source_lines keeps others from it: any threads, one at a time.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace pure::core {

struct source_line {
  std::string function;  // as the linker knows it, of an inlined one; empty: the function that has a symbol
  std::string place;     // "halo.cpp:12"
};

class source_lines {
 public:
  source_lines();
  source_lines(const source_lines&) = delete;
  source_lines& operator=(const source_lines&) = delete;
  ~source_lines();

  /// At this address: the innermost inlined function first, the one that has a symbol last. Empty: nothing is known.
  [[nodiscard]] std::vector<source_line> of(const void* address);

 private:
  class reader;
  std::unique_lock<std::mutex> in_use_;
  reader* reader_ = nullptr;  // of the process; null: there is no libdw
};

}  // namespace pure::core
