// For tests of pure.hpp: what is thrown, the numbers of ranks that collectives run with, and data to send.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <pure/error.hpp>
#include <pure/run.hpp>

namespace test_support {

inline std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Checks that `call` throws an error of that kind whose text has all the words, and the caller's file as its place.
template <class Call>
void expect_error(pure::errc expected, const std::vector<std::string>& words, Call call,
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  try {
    call();
    ADD_FAILURE() << "line " << line << ": nothing was thrown; expected: " << words.front();
  } catch (const pure::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), expected) << "line " << line << ": " << text;
    for (const std::string& word : words) {
      EXPECT_NE(text.find(word), std::string::npos) << "line " << line << ": no '" << word << "' in: " << text;
    }
    EXPECT_NE(text.find(name_of_file(file) + ":" + std::to_string(error.site().line)), std::string::npos) << text;
    EXPECT_NE(std::string(error.site().file).find(name_of_file(file)), std::string::npos);
  }
}

/// What `function` throws as pure::Error, from the caller's file.
template <class Function>
pure::errc error_of(Function function, const char* file = __builtin_FILE()) {
  try {
    function();
  } catch (const pure::Error& error) {
    EXPECT_NE(std::string(error.what()).find(name_of_file(file)), std::string::npos) << error.what();
    return error.code();
  }
  return pure::errc::success;
}

inline constexpr int numbers_of_ranks[] = {1, 2, 3, 4, 7};

/// Runs `body` with each of these numbers of ranks.
template <class Body>
void at_all_sizes(Body body) {
  for (const int ranks : numbers_of_ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    EXPECT_EQ(pure::run(ranks, body), 0);
  }
}

inline std::vector<double> some_doubles(std::size_t n, int from) {
  std::vector<double> all(n);
  std::iota(all.begin(), all.end(), from * 1000.0);
  return all;
}

}  // namespace test_support
