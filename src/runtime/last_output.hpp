// What a process that ends because of a failure still prints (base/output.hpp). Any thread; without memory and without
// threads of its own, for there may be no more of either.
#pragma once

#include <string_view>

namespace pure::core {

/// Writes "pure: TEXT" and the end of the line to stderr, in one piece if the system takes it so.
void print_message(std::string_view text) noexcept;

/// Flushes what the program has printed. If that takes longer than a second, for a rank may hold a stream's lock for
/// ever, the process ends with `status`. Takes SIGALRM.
void flush_or_exit(int status) noexcept;

}  // namespace pure::core
