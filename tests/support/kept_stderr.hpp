// What is written to stderr, by whatever way, kept for a test.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace test_support {

/// While it lives, descriptor 2 leads to a file.
class kept_stderr {
 public:
  kept_stderr() : file_(memfd_create("stderr", 0)), before_(dup(2)) { dup2(file_, 2); }
  kept_stderr(const kept_stderr&) = delete;
  kept_stderr& operator=(const kept_stderr&) = delete;
  ~kept_stderr() {
    dup2(before_, 2);
    close(before_);
    close(file_);
  }
  std::string text() const {
    std::string bytes(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return bytes;
  }

 private:
  int file_;
  int before_;
};

}  // namespace test_support
