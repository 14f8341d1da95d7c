// One-sided operations: put, get, and those that are atomic (MPI 4.1, 12.3).
//
// All memory of a window is addressable: an operation is done, here and there, when its call returns. Atomic operations
// on one element exclude each other, whatever their types and lengths: each is done under the lock of the element's
// stripe, or of both where it goes across the end of one; or, in windows of hardware atomics, by one instruction where
// there is one (element_atomics.hpp). Their elements are aligned as their types are, or are one to another the same
// bytes.
//
// An operation of no bytes is right at any offset, and from a null address: the rank and the epoch are looked at.
//
// All throw pure::Error: win, rank, rma_sync, rma_range, count, type, op.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "layout/placed_message.hpp"
#include "window/combination.hpp"
#include "window/window.hpp"
#include "window/window_place.hpp"

namespace pure::core {

/// Where the place is. Throws rma_range. The rank is one of the window's.
std::byte* address_of(window& of, const call& by, const window_place& where);

void put(window& to, const call& by, const placed_message& what, const window_place& where);
/// `request`: of PURE_CHECK, if it completes the read (read_request.hpp); else 0.
void get(window& from, const call& by, const placed_message& into, const window_place& where,
         std::uint64_t request = 0);

/// new = there op origin, element by element. `before`: where what was there goes; null: nowhere. `what` may be without
/// memory if nothing is combined. `request`: as of get().
void accumulate(window& at, const call& by, const placed_message& what, const placed_message* before,
                const window_place& where, const combination& how, std::uint64_t request = 0);

/// One element: replaced by `desired` if it has the bytes of `expected`. `before`: what was there.
void compare_and_swap(window& at, const call& by, const void* expected, const void* desired, void* before,
                      std::size_t bytes, int rank, std::int64_t offset);

}  // namespace pure::core
