// A child that lets its parent trace it knows so.
#include "base/tracer.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace pure::core {
namespace {

TEST(tracer, is_there_from_when_it_begins) {
  if (is_traced()) GTEST_SKIP() << "a debugger has this test";
  const pid_t child = fork();
  if (child == 0) {
    if (is_traced()) _exit(1);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(2);
    _exit(is_traced() ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "nobody may trace here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace pure::core
