// What ranks wait for that make a call together, in words.
#pragma once

#include "runtime/wait_reason.hpp"

namespace pure::core {

inline constexpr char advice_about_calls[] =
    "Look for a rank that does not make this call, or goes on though it is an error there: all ranks of a communicator "
    "make the same collective calls, in the same order.";

inline constexpr wait_kind same_call_by{"the same call by", advice_about_calls};
inline constexpr wait_kind call_to_be_told_by{"the same call, to tell what is wrong with its own arguments, by",
                                              advice_about_calls};
inline constexpr wait_kind same_pending_call_by{"a collective that waits for the same call by", advice_about_calls};

}  // namespace pure::core
