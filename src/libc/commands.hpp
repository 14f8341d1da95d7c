// Commands at the other end of a stream (popen; child_replacements.cpp).
#pragma once

#include <cstdio>

namespace pure::core {

/// Closes the stream, and waits for the end of its command, whose status it gives, or -1 and errno. False, and nothing
/// is done: it is no stream of a command. Any thread.
bool end_command(FILE* stream, int& status) noexcept;

}  // namespace pure::core
