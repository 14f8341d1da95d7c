// read_small_file(): files and pipes up to its limit, and nothing that might never end.
#include "base/small_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace {

using pure::core::most_bytes_of_small_file;
using pure::core::read_small_file;

class SmallFile : public testing::Test {
 protected:
  SmallFile() {
    char made[] = "/tmp/small_file.XXXXXX";
    folder_ = mkdtemp(made);
  }
  ~SmallFile() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  [[nodiscard]] std::string path() const { return folder_ + "/one"; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }
  /// What is wrong with it; its content is in content_.
  std::string read(const std::string& from) { return read_small_file(from, content_); }

  std::string content_ = "from before";

 private:
  std::string folder_;
};

TEST_F(SmallFile, IsReadWhole) {
  const std::string text = std::string(50'000, 'x') + std::string("\0\n", 2) + "end";
  write(text);
  EXPECT_EQ(read(path()), "");
  EXPECT_EQ(content_, text);
  write("");
  EXPECT_EQ(read(path()), "");
  EXPECT_EQ(content_, "");
}

TEST_F(SmallFile, MayBeAPipe) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  std::thread writer([this] { write("0 1\n"); });
  EXPECT_EQ(read(path()), "");
  writer.join();
  EXPECT_EQ(content_, "0 1\n");
}

TEST_F(SmallFile, HasALimit) {
  write("x");
  ASSERT_EQ(truncate(path().c_str(), static_cast<off_t>(most_bytes_of_small_file)), 0);
  EXPECT_EQ(read(path()), "");
  EXPECT_EQ(content_.size(), most_bytes_of_small_file);
  ASSERT_EQ(truncate(path().c_str(), static_cast<off_t>(most_bytes_of_small_file) + 1), 0);
  EXPECT_EQ(read(path()), "has more than 16 MiB");
  EXPECT_EQ(content_, "");
}

TEST_F(SmallFile, IsNoFolderAndNoDevice) {
  EXPECT_EQ(read(folder()), "is a directory, not a file");
  EXPECT_EQ(read("/dev/zero"), "is neither a file nor a pipe");
  EXPECT_EQ(read("/dev/null"), "is neither a file nor a pipe");
  EXPECT_EQ(read(path()), "cannot be read: No such file or directory");
  EXPECT_EQ(content_, "");
}

}  // namespace
