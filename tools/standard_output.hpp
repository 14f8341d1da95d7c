// What a tool prints on its standard output, and whether that could be written: whoever reads it must not take half of
// it for the whole. For the one thread of a tool.
#pragma once

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/say.hpp"

namespace standard_output {

inline int error = 0;  // the first one

inline void write(std::string_view text) noexcept {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && error == 0) error = errno != 0 ? errno : EIO;
}

template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(fmt::format(format, std::forward<Arguments>(arguments)...));
}

inline void flush() noexcept {
  errno = 0;
  if (std::fflush(stdout) != 0 && error == 0) error = errno != 0 ? errno : EIO;
}

/// The last thing: `status`, or 1 and a message where not all could be written.
inline int close(std::string_view tool, int status) noexcept {
  flush();
  if (error == 0) return status;
  pure::core::say("{}: standard output cannot be written: {}\n", tool, std::generic_category().message(error));
  return status != 0 ? status : 1;
}

}  // namespace standard_output
