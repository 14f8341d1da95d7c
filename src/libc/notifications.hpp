// Functions that libc calls in threads of its own when something is done (notification_replacements.cpp).
#pragma once

#include <signal.h>

namespace pure::core {

/// If the event is to call a function, that function is called as in a thread of the calling rank. Any thread; the
/// event may be one that has been here before.
void notify_in_rank(sigevent& event) noexcept;

}  // namespace pure::core
