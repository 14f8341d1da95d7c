// What the functions behind the typed interface share.
#pragma once

#include <pure/detail/library.hpp>
#include <pure/status.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "match/stored_message.hpp"

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

inline core::send_mode core_mode(send_mode mode) noexcept {
  switch (mode) {
    case send_mode::buffered: return core::send_mode::buffered;
    case send_mode::synchronous: return core::send_mode::synchronous;
    case send_mode::ready: return core::send_mode::ready;
    default: return core::send_mode::standard;
  }
}

inline const char* call_name(send_mode mode, const char* standard, const char* buffered, const char* synchronous,
                             const char* ready) noexcept {
  switch (mode) {
    case send_mode::buffered: return buffered;
    case send_mode::synchronous: return synchronous;
    case send_mode::ready: return ready;
    default: return standard;
  }
}

}  // namespace pure::detail
