// The bell of the thread that waits for the ranks, beside a program that closes descriptors which it does not know.
#include "runtime/monitor.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "support/bare_job.hpp"

namespace pure::core {
namespace {

constexpr std::int64_t a_day_ns = std::int64_t{24} * 3600 * 1'000'000'000;

TEST(monitor, wakes_by_itself_for_the_program_may_have_closed_what_it_sleeps_at) {
  test_support::bare_job job(1);
  monitor its(*job);
  its.wait_only(a_day_ns);  // returns
}

/// The descriptors that it makes are the lowest free ones: the test closes them, and has files of its own there.
TEST(monitor, rings_no_file_of_the_program) {
  test_support::bare_job job(1);
  const int first = dup(STDERR_FILENO);
  close(first);
  monitor its(*job);
  for (const int number : {first, first + 1}) {
    const int file = memfd_create("of the program", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    ASSERT_EQ(dup2(file, number), number);
    close(file);
  }
  its.ring();
  its.look_at_network_soon();
  its.wait_only(1'000'000);
  for (const int number : {first, first + 1}) {
    struct stat now {};
    ASSERT_EQ(fstat(number, &now), 0);
    EXPECT_EQ(now.st_size, 0) << "it has written into a file of the program";
    close(number);
  }
}

}  // namespace
}  // namespace pure::core
