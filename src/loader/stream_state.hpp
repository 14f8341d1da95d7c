// A rank's stdin, stdout and stderr: with buffers of its own over the descriptors of the process, as a process has
// them. Rank 0 of the job reads what there is to read; for the others there is nothing, as with processes.
#pragma once

#include <cstdio>

namespace pure::core {

struct stream_state {
  FILE* input = nullptr;  // as the program's variable stdin; and so on. Null before the rank begins
  FILE* output = nullptr;
  FILE* errors = nullptr;

  // What they were at first: the rank's own. Null: closed.
  FILE* own_input = nullptr;
  FILE* own_output = nullptr;
  FILE* own_errors = nullptr;

  /// Makes them. Where there can be none, they are the process's.
  void begin(bool reads);
  /// Whether that is one of them; it gets a descriptor of its own then, and may be closed and opened anew.
  bool detach(FILE* stream) noexcept;
  /// The same, and it is no more.
  bool forget(FILE* stream) noexcept;
  /// What is written has to be on its way when the rank ends.
  void flush() noexcept;
};

}  // namespace pure::core
