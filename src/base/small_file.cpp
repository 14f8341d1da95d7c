#include "base/small_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/text.hpp"

namespace pure::core {

namespace {

std::string why_unread(int error) { return "cannot be read: " + std::generic_category().message(error); }

}  // namespace

std::string read_small_file(const std::string& path, std::string& content) {
  content.clear();
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return why_unread(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory, not a file";
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return "is neither a file nor a pipe";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return why_unread(errno);
  std::string problem;
  std::array<char, 16 * 1024> part;
  for (;;) {
    const ssize_t got = read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) problem = why_unread(errno);
    if (got <= 0) break;
    if (content.size() + static_cast<std::size_t>(got) > most_bytes_of_small_file) {
      problem = "has more than " + bytes_text(most_bytes_of_small_file);
      break;
    }
    content.append(part.data(), static_cast<std::size_t>(got));
  }
  close(file);
  if (!problem.empty()) content.clear();
  return problem;
}

}  // namespace pure::core
