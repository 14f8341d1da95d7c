// What the system's dynamic linker makes of a program: asked by running it, as ldd does. The program itself never runs.
//
// Any thread, at any time: the child that lists the libraries is unknown to wait() and to handlers of SIGCHLD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pure::core {

struct listed_object {
  std::string name;  // as who needs it calls it, or LD_PRELOAD
  std::string path;  // empty: it was not found
};

struct linker_answer {
  std::vector<listed_object> objects;  // in the order in which they are loaded, without the program
  std::string complaint;               // the dynamic linker's own first line, without words of others; empty: none
};

/// From now on it is asked by an ordinary child, which signals can end, as they end this process: for tools of one
/// thread. (A file system that does not answer keeps whoever looks for a library there.)
void ask_dynamic_linker_as_a_tool() noexcept;

/// The path of the dynamic linker of this process, as its program has it.
const std::string& own_dynamic_linker();

/// Of the program or library at that path, with this process's dynamic linker. `first`: a library that is loaded before
/// all others, by a name or a path as LD_PRELOAD takes it; empty: none. `environment`: in which the program would run.
/// Throws std::system_error if there can be no child.
linker_answer ask_dynamic_linker(const std::string& path, const std::string& first, const char* const* environment);

/// What the dynamic linker has said, dlerror's text or its first line, and what that means where it is about memory,
/// which it does not name; null: it has said nothing. Any thread.
std::string explained_by_linker(const char* said);
/// Whether that is about memory.
bool is_about_memory(std::string_view said) noexcept;

}  // namespace pure::core
