// Whether a debugger, or another tracer, has this process. Any thread.
#pragma once

namespace pure::core {

/// At this moment.
bool is_traced() noexcept;

}  // namespace pure::core
