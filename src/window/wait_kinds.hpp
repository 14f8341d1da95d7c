// What ranks wait for at windows, in words.
#pragma once

#include "runtime/wait_reason.hpp"

namespace pure::core {

inline constexpr char advice_about_epochs[] =
    "Look for an epoch that only one side opens or ends: a start needs the posts of its targets, a wait the completes of "
    "its origins.";

inline constexpr wait_kind lock_of_window_at{
    "the lock of window \"{name}\" at",
    "Look for a lock that is not unlocked, or ranks that take several locks in different orders."};
inline constexpr wait_kind notification_of_window{
    "notification {number} of window \"{name}\"",
    "Look for a notification that nobody sends, or a wait for more of them than are sent."};
inline constexpr wait_kind post_of_window_by{"the post of the window by", advice_about_epochs};
inline constexpr wait_kind end_of_origins_epochs{"the end of the epochs of its post's origins", advice_about_epochs};

}  // namespace pure::core
