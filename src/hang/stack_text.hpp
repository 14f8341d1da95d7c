// Stack traces for people: the names of the program's functions, with their lines where the program has debug
// information, and ranks with the same stack together. Frames of the runtime are left out.
#pragma once

#include <span>
#include <string>
#include <string_view>
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

/// The lines of a stack of a rank that has crashed, which may be inside of the runtime: without the frames below its
/// main alone.
std::string lines_of_crash(std::span<void* const> frames);

/// The code that a call returns to: "halo.cpp:12 (exchange)", or as much as is known of it. The resolver of call sites
/// that are addresses (base/call_site.hpp).
std::string text_of_return_address(const void* address);

/// A name as the linker shows it ("int ns::f<a, b>(c)"), without its result, template arguments and parameters: ns::f.
std::string_view own_name(std::string_view function) noexcept;

/// One paragraph for each different stack, two spaces indented: "stack of ranks 0-3:", and its lines. What has no trace
/// is named too.
std::string stacks_text(std::span<const stack_lines> all);

}  // namespace pure::core
