// The line to purerun: what a process says arrives, over closed descriptors too, and never in somebody else's file.
#include "runtime/launcher_link.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "support/in_a_child.hpp"

namespace {

using namespace pure::core;

settings started_by(const launcher_link& link) {
  settings values;
  values.launch_fd = link.text();
  return values;
}

int descriptor(const launcher_link& link) {
  int pid = 0, fd = -1;
  EXPECT_EQ(std::sscanf(link.text().c_str(), "%d:%d:", &pid, &fd), 2);
  return fd;
}

TEST(LauncherLink, SaysThatRanksStarted) {
  const launcher_link link;
  ASSERT_FALSE(link.text().empty());
  EXPECT_FALSE(link.has_started());
  EXPECT_EQ(0, test_support::in_a_child([&] {
              tell_launcher_started(started_by(link));
              const bool inherited_no_further = (fcntl(descriptor(link), F_GETFD) & FD_CLOEXEC) != 0;
              tell_launcher_started(started_by(link));
              return inherited_no_further ? 0 : 1;
            }));
  EXPECT_TRUE(link.has_started());
  EXPECT_FALSE(link.is_linked());  // that is said when the library is loaded
}

TEST(LauncherLink, SaysThatAJobHasEnded) {
  const launcher_link link;
  EXPECT_EQ(0, test_support::in_a_child([&] {
              tell_launcher_started(started_by(link));
              return link.has_ended() ? 1 : 0;
            }));
  EXPECT_EQ(0, test_support::in_a_child([&] {
              tell_launcher_ended(started_by(link));
              return 0;
            }));
  EXPECT_TRUE(link.has_ended());
}

TEST(LauncherLink, SaysWithWhichStatusAJobWasEnded) {
  for (const auto& [status, seen] : {std::pair{3, 3}, {255, 255}, {0, 1}, {256, 1}}) {
    const launcher_link link;
    EXPECT_EQ(link.abort_status(), 0);
    for (const int told : {status, 59}) {  // the first is what counts
      EXPECT_EQ(0, test_support::in_a_child([&] {
                  tell_launcher_aborted(started_by(link), told);
                  return 0;
                }));
    }
    EXPECT_EQ(link.abort_status(), seen) << status;
    EXPECT_FALSE(link.has_ended());
  }
}

TEST(LauncherLink, WorksWhereAScriptClosedTheDescriptor) {
  const launcher_link link;
  EXPECT_EQ(0, test_support::in_a_child([&] {
              close(descriptor(link));
              tell_launcher_started(started_by(link));
              return 0;
            }));
  EXPECT_TRUE(link.has_started());
}

TEST(LauncherLink, NeverWritesToAnotherFile) {
  const launcher_link link;
  const int other = memfd_create("other", 0);
  ASSERT_GE(other, 0);
  EXPECT_EQ(0, test_support::in_a_child([&] {
              dup2(other, descriptor(link));  // the number now belongs to somebody else
              tell_launcher_started(started_by(link));
              return 0;
            }));
  struct stat status {};
  ASSERT_EQ(fstat(other, &status), 0);
  EXPECT_EQ(status.st_size, 0);
  EXPECT_TRUE(link.has_started());  // by way of /proc
  close(other);
}

TEST(LauncherLink, NonsenseIsIgnored) {
  for (const char* text : {"", "x", "1", "1:2", "1:2:3", "-1:-1:0:0", "0:0:0:0", "999999999:1:2:3"}) {
    EXPECT_EQ(0, test_support::in_a_child([&] {
                settings values;
                values.launch_fd = text;
                tell_launcher_started(values);
                return 0;
              }))
        << text;
  }
}

}  // namespace
