// Lines of several ranks on one file: what libc writes when its buffer is full ends in the middle of a line, and the
// rest of it comes behind a line of another rank. A stream that hands on each line by itself keeps them whole, up to
// the size of its buffer (4096 bytes for a pipe, which the kernel also writes in one piece).
//
// Costs a system call for each line where there was one for each buffer. On a terminal libc does so anyway.
#pragma once

#include <cstdio>

namespace pure::core {

/// From its next line on. A program that sets the buffer itself has its own way.
inline void write_whole_lines(FILE* stream) noexcept { setvbuf(stream, nullptr, _IOLBF, 0); }

}  // namespace pure::core
