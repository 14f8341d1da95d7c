// The program's file, where it is not what this process executes (loader/loaded_program.hpp): nobody keeps others from
// writing to it while it runs, as the system does for what it executes, and its code is that of the file.
#pragma once

namespace pure::core {

/// `path` stays. Before there are ranks.
void note_program_file(const char* path) noexcept;

/// The path, if the file has been written to, or cut off, since; else null. Signal handlers, too.
const char* changed_program_file() noexcept;

}  // namespace pure::core
