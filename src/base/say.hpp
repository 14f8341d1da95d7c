// What Pure says to people, on stderr, with formats: whole lines. Never changes how a job ends (base/output.hpp): where
// a text cannot be made, for there is no memory, that is said in its place. Any thread; not in signal handlers.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/output.hpp"

namespace pure::core {

/// The text that make() returns. What make() throws goes no further.
template <std::invocable Make>
void say(Make make) noexcept {
  try {
    const std::string text = make();
    say_plain({text});
  } catch (...) {
    say_plain({"pure: there is not enough memory for a message that should be here\n"});
  }
}

template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  say([&] { return fmt::format(format, std::forward<Arguments>(arguments)...); });
}

}  // namespace pure::core
