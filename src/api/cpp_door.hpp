// What the functions behind the typed interface share.
#pragma once

#include <pure/status.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::detail {

[[noreturn]] void throw_not_usable(const core::communicator& on, const core::call& by);

inline status public_status(const core::status& from) noexcept {
  return {from.source, from.tag, from.bytes, from.cancelled};
}

/// A comm is used by its own rank, until it is freed: not by a thread that the rank has made, nor in a chunk that
/// another rank runs. Throws state, comm.
inline void check_owner(const core::communicator& on, const core::call& by) {
  if (core::self() != &on.owner() || on.is_freed()) [[unlikely]]
    throw_not_usable(on, by);
}

}  // namespace pure::detail
