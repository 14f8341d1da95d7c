// What a process can be looked at only once for, or what would stay, in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace test_support {

/// Runs `check` in a child; returns the exit status that it returns, which says what is wrong. -1: the child has
/// crashed.
template <class Check>
int in_a_child(Check check) {
  const pid_t child = fork();
  if (child == 0) _exit(check());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace test_support
