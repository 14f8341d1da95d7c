// Descriptors beside a program that closes all that it does not know.
#include "base/guarded_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace pure::core {
namespace {

owned_descriptor memory_file() { return owned_descriptor(memfd_create("test", MFD_CLOEXEC)); }

TEST(guarded_descriptor, is_the_files_until_the_program_closes_it) {
  const guarded_descriptor none;
  EXPECT_EQ(none.number(), -1);
  EXPECT_FALSE(none.was_open());
  owned_descriptor file = memory_file();
  const int number = file.number();
  guarded_descriptor kept(std::move(file));
  EXPECT_EQ(kept.number(), number);
  close(number);
  EXPECT_EQ(kept.number(), -1);
  EXPECT_TRUE(kept.was_open());
}

TEST(guarded_descriptor, leaves_another_file_under_its_number_alone) {
  int number = -1;
  {
    owned_descriptor file = memory_file();
    number = file.number();
    const guarded_descriptor kept(std::move(file));
    owned_descriptor programs = memory_file();
    ASSERT_EQ(dup2(programs.number(), number), number);  // closes, and opens, in one step
    EXPECT_EQ(kept.number(), -1);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), 0) << "the program's file was closed";
  close(number);
}

TEST(guarded_descriptor, closes_its_own_file_once) {
  owned_descriptor file = memory_file();
  const int number = file.number();
  {
    guarded_descriptor kept(std::move(file));
    const guarded_descriptor moved(std::move(kept));
    EXPECT_EQ(moved.number(), number);
    EXPECT_EQ(kept.number(), -1);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace pure::core
