// The parts of process_replacements(): what they are about has a file each, NAME_replacements.cpp for NAME_parts, else
// of the function's name.
#pragma once

#include <span>

#include "libc/replacements.hpp"

namespace pure::core {

std::span<const replacement> environment_parts() noexcept;
std::span<const replacement> environment_readers() noexcept;
std::span<const replacement> program_starts() noexcept;
std::span<const replacement> stream_parts() noexcept;
std::span<const replacement> input_parts() noexcept;
std::span<const replacement> printing_parts() noexcept;
std::span<const replacement> format_parts() noexcept;
std::span<const replacement> path_parts() noexcept;
std::span<const replacement> signal_parts() noexcept;
std::span<const replacement> processor_time_parts() noexcept;
std::span<const replacement> fork_parts() noexcept;
std::span<const replacement> notification_parts() noexcept;
std::span<const replacement> memory_parts() noexcept;
std::span<const replacement> child_parts() noexcept;

/// An object of the calling rank is going, as __cxa_finalize names it: what it has asked for around forks is not done
/// any more.
void forget_fork_handlers(const void* object) noexcept;

}  // namespace pure::core
