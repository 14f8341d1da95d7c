// Where a call was made: file, line and function, taken by the compiler at the place of the call.
//
// The same as std::source_location, which C++17 does not have; the two convert into each other.
#pragma once

struct pure_call_site {
  const char* file = "";
  unsigned line = 0;
  const char* function = "";

  /// As a default argument: the place of the call.
  static constexpr pure_call_site current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) noexcept {
    return {file, line, function};
  }
};
