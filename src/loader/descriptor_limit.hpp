// How many descriptors a process may have (RLIMIT_NOFILE): each rank counts on as many as a process of its own has, and
// all ranks of a process have them together.
#pragma once

#include <sys/resource.h>

#include <optional>

namespace pure::core {

class program_model;

/// Raises the limit for so many ranks, as far as the process may. Not for programs that call select, which knows the
/// numbers below 1,024 only. Once, before the ranks' programs begin.
void raise_descriptor_limit(const program_model& model, int ranks) noexcept;

/// What a process of its own would have in place of the limit that this process has; none: there is no difference, or a
/// rank has set a limit since.
std::optional<rlim_t> descriptor_limit_of_rank() noexcept;

}  // namespace pure::core
