// Where a call was made: file and line, taken by the compiler at the place of the call.
//
// Two words, so that it travels in registers. C++17 has no std::source_location, and Clang 14 has none with libstdc++;
// where there is one, it converts into this.
#pragma once

#if __cplusplus >= 202002L && __has_include(<source_location>)
#include <source_location>
#endif

struct pure_call_site {
  const char* file = "";
  unsigned line = 0;
  unsigned types = 0;  ///< of what the call sends and receives, for PURE_CHECK; set by the library

  constexpr pure_call_site() noexcept = default;
  constexpr pure_call_site(const char* in_file, unsigned at_line) noexcept : file(in_file), line(at_line) {}
#ifdef __cpp_lib_source_location
  constexpr pure_call_site(const std::source_location& place) noexcept  // NOLINT: implicit on purpose
      : file(place.file_name()), line(place.line()) {}
#endif

  /// As a default argument: the place of the call.
  static constexpr pure_call_site current(const char* in_file = __builtin_FILE(),
                                          unsigned at_line = __builtin_LINE()) noexcept {
    return {in_file, at_line};
  }
};

namespace pure {

/// What the typed interface takes as the call site: std::source_location where the compiler has it.
#ifdef __cpp_lib_source_location
using call_site = std::source_location;
#else
using call_site = pure_call_site;
#endif

}  // namespace pure
