// Stack traces for people: names, without the runtime's own frames at either end, and ranks with the same stack
// together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hang/stack_traces.hpp"

namespace pure::core {

struct stack_of {
  std::string who;  // "rank 3"
  int rank;
  stack_trace frames;
};

/// The same as the lines of a report, which say the same in all processes of a program: four spaces indented, a line
/// for each function; empty: it has no trace.
struct stack_lines {
  std::string who;
  int rank;
  std::string lines;
};
std::vector<stack_lines> lines_of(std::span<const stack_of> all);

/// One paragraph for each different stack, two spaces indented: "stack of ranks 0-3:", and its lines. What has no trace
/// is named too.
std::string stacks_text(std::span<const stack_lines> all);

}  // namespace pure::core
