// What the functions behind the typed interface share.
#pragma once

#include <cstddef>

#include <pure/detail/library.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/status.hpp>

#include "api/cpp/boundary.hpp"
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

/// Runs body(*on, by) for the owner of the communicator, where `by` is the call `operation`.
template <class Body>
[[nodiscard, gnu::always_inline]] inline failure* on_communicator(core::communicator* on, const char* operation,
                                                                  const pure_call_site& site, Body&& body) {
  return at_boundary([&] {
    const core::call by{operation, site};
    check_owner(*on, by);
    body(*on, by);
  });
}

/// What a call is named in each mode, in the order of send_mode.
struct names_by_mode {
  const char* names[4];
  [[nodiscard]] constexpr const char* operator[](send_mode mode) const noexcept {
    return names[static_cast<std::size_t>(mode)];
  }
};
inline constexpr names_by_mode send_names{{"send", "bsend", "ssend", "rsend"}};
inline constexpr names_by_mode start_send_names{{"isend", "ibsend", "issend", "irsend"}};
inline constexpr names_by_mode make_send_names{{"send_init", "bsend_init", "ssend_init", "rsend_init"}};
static_assert(send_names[send_mode::standard][0] == 's' && send_names[send_mode::buffered][0] == 'b' &&
              send_names[send_mode::synchronous][1] == 's' && send_names[send_mode::ready][0] == 'r');

}  // namespace pure::detail
