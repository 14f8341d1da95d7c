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

  bool has_input = true;  // what the job's standard input gives

  /// Makes them. Where there can be none, they are the process's.
  void begin(bool reads);
  /// What descriptor 0 leads to: itself, or a file in which there is nothing.
  [[nodiscard]] int input_descriptor() const noexcept;
  /// A rank has put another file at descriptor 0, which is all ranks' then.
  static void share_input() noexcept;
  /// Whether that is one of them; it gets a descriptor of its own then, and may be closed and opened anew.
  bool detach(FILE* stream) noexcept;
  /// The same, and it is no more.
  bool forget(FILE* stream) noexcept;
  /// What is written has to be on its way when the rank ends.
  void flush() noexcept;
};

}  // namespace pure::core
