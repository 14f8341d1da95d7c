// A file as it lies on the disk, in memory: read-only, for as long as the object lives.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/core.h>

namespace pure::core {

class mapped_file {
 public:
  enum class keep { content, descriptor_too };

  /// Throws std::runtime_error if it is no file that can be read. Never waits: a pipe is no file.
  explicit mapped_file(const std::string& path, keep what = keep::content)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) fail(path, std::generic_category().message(errno));
    struct stat status {};
    if (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
      close(fd_);
      fail(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a file");
    }
    bytes_ = static_cast<std::size_t>(status.st_size);
    if (bytes_ != 0) memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (memory_ == MAP_FAILED) {
      const int error = errno;
      close(fd_);
      fail(path, std::generic_category().message(error));
    }
    if (what == keep::content) close(std::exchange(fd_, -1));  // of those a process may have few
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
    if (fd_ >= 0) close(fd_);
  }

  /// -1: it was not to be kept.
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    return {static_cast<const std::byte*>(memory_), bytes_};
  }

 private:
  [[noreturn]] static void fail(const std::string& path, const std::string& why) {
    throw std::runtime_error(fmt::format("{} cannot be read: {}.", path, why));
  }

  int fd_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pure::core
