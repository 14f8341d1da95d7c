// For tests of pure.h: ranks whose errors are returned, and what an error has to say.
#pragma once

#include <pure.h>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include <pure/run.hpp>

#define EXPECT_OK(call) EXPECT_EQ(call, PURE_SUCCESS) << pure_last_error()

namespace test_support {

inline constexpr pure_comm world = PURE_COMM_WORLD;

/// Checks the code of a call, and that the text of the error has every one of `words`, and the caller's file as its
/// place.
inline void expect_error(int code, pure_error_code expected, const std::vector<std::string>& words,
                         const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const std::string text = pure_last_error();
  EXPECT_EQ(code, expected) << "line " << line << ": " << text;
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "line " << line << ": no '" << word << "' in: " << text;
  }
  const std::string path = file;
  EXPECT_NE(text.find(path.substr(path.rfind('/') + 1) + ":"), std::string::npos) << "no call site in: " << text;
}

/// Runs function() or function(rank) on ranks whose errors are returned.
template <class Function>
void on_ranks(int ranks, Function function) {
  pure::run(ranks, [&] {
    EXPECT_OK(pure_set_errhandler(PURE_ERRORS_RETURN));
    EXPECT_STREQ(pure_last_error(), "");
    if constexpr (std::is_invocable_v<Function, int>) {
      function(pure_rank());
    } else {
      function();
    }
  });
}

}  // namespace test_support
