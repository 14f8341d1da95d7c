// The program of a rank, as the functions in place of libc's know it: a thread that libc makes becomes one of the
// rank's, exit ends the rank. The room above implements it (loader/rank_program.hpp), and makes it known by
// hidden_state::program.
//
// Any thread of the rank.
#pragma once

#include <optional>

namespace pure::core {

class program_of_rank {
 public:
  /// The calling thread is one of the rank's from now on. By each of them, first of all.
  virtual void begin_thread() = 0;
  /// The end of the program, with its handlers and destructors, and then of the rank.
  [[noreturn]] virtual void exit(int status) = 0;
  /// The value in the auxiliary vector of a process that executes this program; none: that of this process.
  [[nodiscard]] virtual std::optional<unsigned long> auxiliary_value(unsigned long type) = 0;

 protected:
  program_of_rank() = default;
  program_of_rank(const program_of_rank&) = default;
  program_of_rank& operator=(const program_of_rank&) = default;
  ~program_of_rank() = default;
};

/// The program of the rank to which the calling thread belongs; null: it belongs to none, or none is loaded.
[[nodiscard]] program_of_rank* program_of_thread() noexcept;

/// The exit of that program; without one, of the process.
[[noreturn]] void exit_program(int status);

}  // namespace pure::core
