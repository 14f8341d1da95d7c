// The one place from which Pure's own words leave the process: warnings, statistics, reports, causes of an end.
//
// Nothing that is said may change how a job ends. So no function here throws, allocates or takes a lock; none raises a
// signal, though nobody may read the pipe any more (SIGPIPE) or the file may have its full size (SIGXFSZ); errno stays.
// What cannot be written is lost. Any thread, signal handlers too. Knows no other file of ours that has to be linked
// but printable_text.cpp: the network's plug-ins have a copy of both. base/say.hpp has the same with formats.
#pragma once

#include <csignal>
#include <initializer_list>
#include <string_view>

namespace pure::core {

/// While it lives, a write by the calling thread to a pipe without a reader, or beyond the limit for files, is an error
/// and no signal.
class no_output_signals {
 public:
  no_output_signals() noexcept;
  no_output_signals(const no_output_signals&) = delete;
  no_output_signals& operator=(const no_output_signals&) = delete;
  ~no_output_signals();

 private:
  sigset_t before_;   // the thread's mask
  sigset_t pending_;  // what waited already, and is not ours to take
};

/// Writes the bytes as they are. Blocks as long as the descriptor does; one that does not block is given two seconds.
/// False if some could not be written.
bool write_all(int descriptor, std::string_view bytes) noexcept;

/// Writes whole lines of text, the parts one after the other, in one piece if the system takes it so; with escapes in
/// place of what a terminal would obey (base/printable_text.hpp), wherever the text has it from.
bool show(int descriptor, std::initializer_list<std::string_view> parts) noexcept;

/// The same, to stderr, for people.
void say_plain(std::initializer_list<std::string_view> parts) noexcept;

/// Where stdin, stdout or stderr is closed, something takes its number that can be neither read nor written, and is not
/// inherited: else a file or a connection that is opened later would get that number, and what is said would go there.
/// Before there are threads.
void keep_numbers_of_closed_streams() noexcept;

}  // namespace pure::core
