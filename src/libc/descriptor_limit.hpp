// How many descriptors a process may have (RLIMIT_NOFILE): each rank counts on as many as a process of its own has, and
// all ranks of a process have them together.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>

namespace pure::core {

/// Raises the limit for so many ranks, as far as the process may. Not if their program calls select, which knows the
/// numbers below 1,024 only: that is asked where there is a limit to raise. Once, before the ranks' programs begin.
void raise_descriptor_limit(int ranks, bool (*calls_select)()) noexcept;

/// What a process of its own would have in place of the limit that this process has; none: there is no difference, or a
/// rank has set a limit since.
std::optional<rlim_t> descriptor_limit_of_rank() noexcept;

/// The calling process has that limit itself, for the program that it executes: a rank, or its child.
class descriptor_limit_of_new_program {
 public:
  descriptor_limit_of_new_program() noexcept;
  descriptor_limit_of_new_program(const descriptor_limit_of_new_program&) = delete;
  descriptor_limit_of_new_program& operator=(const descriptor_limit_of_new_program&) = delete;
  /// The program could not be executed.
  ~descriptor_limit_of_new_program();

 private:
  std::optional<rlimit> before_;
};

/// The same for a program that another process has just begun with. (Only what that asks for in its first moment, while
/// the dynamic linker is at work, may be told of all ranks' limit.)
void limit_descriptors_of(pid_t child) noexcept;

}  // namespace pure::core
