// What the start of a job has to say about the environment, for whoever set the variables.
#pragma once

#include "base/settings.hpp"

namespace pure::core {

/// Warns on stderr, once in the life of a process, of variables that count for nothing. `speaks`: whether this process
/// is the one of its job that does. What purerun has started here, it has warned of itself.
void warn_of_environment(const settings& values, bool speaks);

}  // namespace pure::core
