// A rank's environment (environment_replacements.cpp): a vector and texts of its own, which begin as the process's are.
// Where its vector is at the moment, the rank's variable `environ` says (libc/libc_variables.hpp): a program may
// assign to it.
#pragma once

#include <cstddef>
#include <forward_list>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace pure::core {

struct hidden_state;

struct environment_state {
  std::mutex lock;  // of setenv and its relatives, as libc has one

  // No vector and no text is freed: other threads of the rank may be going through them. One that is left for a larger
  // one was half as large.
  char** made = nullptr;  // the vector that setenv has made last
  std::size_t room = 0;   // of it, with the null pointer at its end
  std::forward_list<std::unique_ptr<char*[]>> vectors;
  std::set<std::string, std::less<>> texts;  // of setenv; the same place for the same text, as in libc
  std::unique_ptr<char[]> first_texts;
};

/// The rank's environment is a copy of the process's from now on. By its main thread, before its program runs.
void begin_environment(hidden_state& rank);

/// In place of libc's variable while this lives, so that what a function of libc reads there is the calling rank's
/// environment. One thread of the process at a time: others that call such functions wait. What libc sets meanwhile
/// (wordexp may) is the rank's.
///
/// Any thread; its holder may be interrupted by a signal handler that does the same.
class borrowed_environment {
 public:
  borrowed_environment();
  borrowed_environment(const borrowed_environment&) = delete;
  borrowed_environment& operator=(const borrowed_environment&) = delete;
  ~borrowed_environment();

  /// From here on libc has that vector.
  void lend(char** vector) noexcept;

 private:
  void take(char* const* vector);

  hidden_state& rank_;
  std::unique_lock<std::recursive_mutex> held_;
  char** before_ = nullptr;
  char** lent_ = nullptr;
  bool is_lent_ = false;
};

/// The rank's entry "NAME=VALUE" of a variable, and its value; null: there is none. Any thread.
char** own_entry(const char* name) noexcept;
char* own_variable(const char* name) noexcept;

}  // namespace pure::core
