// What the ranks of a process share though each sets it as if it were its own, and the warnings of that: one for each
// kind of thing, in the life of the process. Any thread; not in signal handlers.
#pragma once

#include <string_view>

namespace pure::core {

enum class shared_thing {
  directory,  // unless the rank has its own (libc/hidden_state.hpp)
  file_mask,  // as directory
  limit,
  timer,  // those that count processor time
  stream  // stdin, stdout, stderr, and their descriptors
};

/// The calling rank has set the thing of that name, "" where there is one. Says so when another rank has set it to
/// something else.
void note_setting(shared_thing kind, std::string_view name, std::string_view value) noexcept;

/// Says that the calling rank has done something to a thing that all ranks of the process have, if there are others:
/// "redirects stdout".
void note_for_all(shared_thing kind, std::string_view done) noexcept;

/// Says that the calling rank opens a library of which its older threads will have thread-local variables with
/// addresses in the model, and not in the rank's image. Once for the process.
void note_older_threads(std::string_view library) noexcept;

/// How many ranks the process will have: a rank may do something before others have begun. By any rank, first of all.
void expect_ranks(int count) noexcept;

/// Whether the process has several ranks, and is not a child that one has forked.
bool has_other_ranks() noexcept;

}  // namespace pure::core
