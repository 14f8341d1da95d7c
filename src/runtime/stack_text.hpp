// Stack traces for people: names, without the runtime's own frames at either end, and ranks with the same stack
// together.
#pragma once

#include <span>
#include <string>

#include "runtime/stack_traces.hpp"

namespace pure::core {

struct stack_of {
  std::string who;  // "rank 3"
  int rank;
  stack_trace frames;
};

/// One paragraph for each different stack, two spaces indented: "stack of ranks 0-3:", and a line for each function.
/// What has no trace is named too.
std::string stacks_text(std::span<const stack_of> all);

}  // namespace pure::core
