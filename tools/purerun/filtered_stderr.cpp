#include "purerun/filtered_stderr.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/output.hpp"

namespace purerun {
namespace {

constexpr int pause_ms = 200;

std::pair<int, int> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {ends[0], ends[1]};
}

void close_one(int& descriptor) noexcept {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

filtered_stderr::filtered_stderr(box_filter filter) : filter_(std::move(filter)) {
  std::tie(own_end_, child_end_) = make_pipe();
  std::tie(stop_, told_to_stop_) = make_pipe();
}

filtered_stderr::~filtered_stderr() {
  end();
  for (int* each : {&own_end_, &child_end_, &stop_}) close_one(*each);
}

void filtered_stderr::begin() {
  close_one(child_end_);
  thread_ = std::thread([this] { run(); });
}

void filtered_stderr::end() {
  close_one(told_to_stop_);
  if (thread_.joinable()) thread_.join();
}

void filtered_stderr::run() {
  std::array<char, 4096> piece;
  for (;;) {
    std::array<pollfd, 2> ends{{{own_end_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int ready = poll(ends.data(), ends.size(), pause_ms);
    if (ready == 0) pure::core::write_all(STDERR_FILENO, filter_.pause());
    if (ready <= 0) continue;
    if (ends[0].revents == 0) break;  // nothing more, and told to stop
    const ssize_t got = read(own_end_, piece.data(), piece.size());
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) pure::core::write_all(STDERR_FILENO, filter_.take({piece.data(), static_cast<std::size_t>(got)}));
  }
  pure::core::write_all(STDERR_FILENO, filter_.rest());
}

}  // namespace purerun
