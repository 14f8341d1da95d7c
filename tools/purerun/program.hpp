// Finding the program as the shell does, and saying what is wrong when it cannot be run.
#pragma once

#include <stdexcept>
#include <string>

namespace purerun {

/// There is no such program, or it cannot be run; what() is for people, status() is the exit status that the shell
/// would give, 127 or 126.
class program_error : public std::runtime_error {
 public:
  program_error(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_;
};

/// The path to execute for a name: itself if it has a slash, otherwise the first executable file of that name in PATH.
/// Throws program_error.
std::string find_program(const std::string& name);

/// The same where a word may be none of a program: empty then.
std::string executable_named(const std::string& word);

/// Throws program_error if the program would run with more rights than purerun has: it reads no PURE_* variables
/// (base/environment.hpp), and so would not do what purerun has been asked for.
void refuse_privileged(const std::string& path);

/// Why execve of that path failed with `error`, as an exception to throw.
program_error explain_exec_failure(const std::string& path, int error);

}  // namespace purerun
