// What the functions behind the typed interface share.
#pragma once

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::detail {

[[noreturn]] void throw_not_usable(const core::communicator& on, const core::call& by);

/// A comm is used by its own rank, until it is freed: not by a thread that the rank has made, nor in a chunk that
/// another rank runs. Throws state, comm.
inline void check_owner(const core::communicator& on, const core::call& by) {
  if (core::self() != &on.owner() || on.is_freed()) [[unlikely]]
    throw_not_usable(on, by);
}

}  // namespace pure::detail
