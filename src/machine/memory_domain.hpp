// Which processes can share memory that one of them makes.
#pragma once

#include <cstdint>

namespace pure::core {

/// Equal in two processes if they can pass descriptors of memory files to each other: on one machine, of one user, in
/// one network namespace. Of this process alone where that cannot be found out. Never 0.
std::uint64_t memory_domain();

}  // namespace pure::core
