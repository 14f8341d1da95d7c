// Pages of normal memory, and whether there are so many. Any thread.
#pragma once

#include <cstddef>

namespace pure::core {

/// Of normal memory.
std::size_t page_bytes() noexcept;

/// More than there is, so that to touch it would end the process. Asked for large memory only: it reads some files.
bool is_more_than_there_is(std::size_t bytes) noexcept;

}  // namespace pure::core
