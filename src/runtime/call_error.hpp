// The errors of calls: one form for all of them.
#pragma once

#include <string>
#include <string_view>

#include <pure/error.hpp>

#include "base/call.hpp"

namespace pure::core {

/// "OPERATION: TEXT\n  at SITE"; without the last line where the site is unknown.
std::string text_of_error(const call& by, std::string_view text);
/// The error with that text.
Error call_error(const call& by, errc code, std::string_view text);
/// "OPERATION: rank R: TEXT\n  at SITE"; without the rank in a thread that has none. Any thread.
[[noreturn]] void throw_wrong_call(const call& by, errc code, std::string_view text);

}  // namespace pure::core
