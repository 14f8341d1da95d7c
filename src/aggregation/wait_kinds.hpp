// What ranks wait for in aggregations, in words.
#pragma once

#include "runtime/wait_reason.hpp"

namespace pure::core {

inline constexpr char advice_about_handling[] =
    "Look for a rank that no longer handles items: it does so in calls and waits of Pure, until its main returns.";

inline constexpr wait_kind room_under_memory_cap{
    "room under the memory cap of aggregation \"{name}\": items to be handled by other ranks", advice_about_handling};
inline constexpr wait_kind items_handled_by{"items of aggregation \"{name}\" to be handled by", advice_about_handling};
inline constexpr wait_kind items_handled_elsewhere{"items of aggregation \"{name}\" to be handled by other processes",
                                                   advice_about_handling};
inline constexpr wait_kind end_of_phase{"the end of aggregation \"{name}\" (items under way: {number})"};
inline constexpr wait_kind finish_by{
    "finish of aggregation \"{name}\" (items under way: {number}) to be called by",
    "Look for a rank that does not call finish: all ranks do, behind their last item, and those that send none."};

}  // namespace pure::core
