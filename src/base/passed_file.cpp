#include "base/passed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include <fmt/core.h>

namespace pure::core {

namespace {

bool is_file(int descriptor, std::uintmax_t device, std::uintmax_t inode) noexcept {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

}  // namespace

owned_descriptor to_be_passed(owned_descriptor file) noexcept {
  constexpr int first_number = 200;
  owned_descriptor high(fcntl(file.number(), F_DUPFD, first_number));
  return high.is_open() ? std::move(high) : std::move(file);
}

std::string text_of_passed(const owned_descriptor& file) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return {};
  return fmt::format("{}:{}:{}:{}", getpid(), file.number(), status.st_dev, status.st_ino);
}

owned_descriptor open_passed(const char* text, int access) noexcept {
  int pid = 0, number = 0;
  std::uintmax_t device = 0, inode = 0;
  if (std::sscanf(text, "%d:%d:%" SCNuMAX ":%" SCNuMAX, &pid, &number, &device, &inode) != 4) return {};
  if (is_file(number, device, inode)) {
    fcntl(number, F_SETFD, FD_CLOEXEC);  // it is not for the programs that this one starts
    return owned_descriptor(fcntl(number, F_DUPFD_CLOEXEC, 0));
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, number);
  owned_descriptor opened(open(path, access | O_CLOEXEC));
  return opened.is_open() && is_file(opened.number(), device, inode) ? std::move(opened) : owned_descriptor();
}

}  // namespace pure::core
