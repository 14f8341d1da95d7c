#include "base/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/printable_text.hpp"

namespace pure::core {

namespace {

constexpr std::array output_signals{SIGPIPE, SIGXFSZ};
constexpr std::int64_t longest_wait_ms = 2000;  // for a descriptor that does not block

class errno_kept {
 public:
  errno_kept() noexcept : before_(errno) {}
  errno_kept(const errno_kept&) = delete;
  errno_kept& operator=(const errno_kept&) = delete;
  ~errno_kept() { errno = before_; }

 private:
  const int before_;
};

std::int64_t clock_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// Whether a descriptor that had no room has some; false when the time is over.
bool has_room_until(int descriptor, std::int64_t deadline_ms) noexcept {
  for (;;) {
    const std::int64_t left_ms = deadline_ms - clock_ms();
    if (left_ms <= 0) return false;
    pollfd one{.fd = descriptor, .events = POLLOUT, .revents = 0};
    const int ready = poll(&one, 1, static_cast<int>(left_ms));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/// All of the parts, which it changes.
bool write_parts(int descriptor, iovec* parts, std::size_t count) noexcept {
  const errno_kept keep;
  const no_output_signals quiet;
  std::int64_t deadline_ms = 0;  // 0: there has been room
  const iovec* const end = parts + count;
  for (;;) {
    while (parts != end && parts->iov_len == 0) ++parts;
    if (parts == end) return true;
    const ssize_t wrote = writev(descriptor, parts, static_cast<int>(end - parts));
    if (wrote == 0) return false;
    if (wrote < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return false;
      if (deadline_ms == 0) deadline_ms = clock_ms() + longest_wait_ms;
      if (!has_room_until(descriptor, deadline_ms)) return false;
      continue;
    }
    deadline_ms = 0;
    for (auto left = static_cast<std::size_t>(wrote); left > 0;) {
      const std::size_t taken = std::min(left, parts->iov_len);
      parts->iov_base = static_cast<char*>(parts->iov_base) + taken;
      parts->iov_len -= taken;
      left -= taken;
      if (parts->iov_len == 0) ++parts;
    }
  }
}

iovec part_of(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

/// Whether nothing of it has to be escaped.
bool is_plain(std::string_view text) noexcept {
  printable_pieces pieces(text);
  const std::string_view first = pieces.next();
  return text.empty() || (first.data() == text.data() && first.size() == text.size());
}

/// Gathers text, and writes it in whole lines as far as they fit: lines of several processes then stay whole.
class line_writer {
 public:
  explicit line_writer(int descriptor) noexcept : descriptor_(descriptor) {}

  void put(std::string_view text) noexcept {
    while (!text.empty()) {
      if (length_ == room_.size()) write_lines();
      const std::size_t taken = std::min(text.size(), room_.size() - length_);
      std::memcpy(room_.data() + length_, text.data(), taken);
      length_ += taken;
      text.remove_prefix(taken);
    }
  }
  bool flush() noexcept {
    write(length_);
    return is_good_;
  }

 private:
  void write_lines() noexcept {
    const std::size_t last = std::string_view(room_.data(), length_).rfind('\n');
    write(last == std::string_view::npos ? length_ : last + 1);
  }
  void write(std::size_t bytes) noexcept {
    is_good_ = is_good_ && write_all(descriptor_, {room_.data(), bytes});
    std::memmove(room_.data(), room_.data() + bytes, length_ - bytes);
    length_ -= bytes;
  }

  const int descriptor_;
  bool is_good_ = true;
  std::size_t length_ = 0;
  std::array<char, 4096> room_;  // what a pipe takes in one piece
};

}  // namespace

no_output_signals::no_output_signals() noexcept {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : output_signals) sigaddset(&ours, number);
  sigpending(&pending_);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

no_output_signals::~no_output_signals() {
  const errno_kept keep;
  for (const int number : output_signals) {
    if (sigismember(&pending_, number) == 1) continue;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    constexpr timespec at_once{};
    while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool write_all(int descriptor, std::string_view bytes) noexcept {
  iovec one = part_of(bytes);
  return write_parts(descriptor, &one, 1);
}

bool show(int descriptor, std::initializer_list<std::string_view> parts) noexcept {
  std::array<iovec, 4> as_they_are;
  const bool are_plain = parts.size() <= as_they_are.size() && std::all_of(parts.begin(), parts.end(), is_plain);
  if (are_plain) {
    std::transform(parts.begin(), parts.end(), as_they_are.begin(), part_of);
    return write_parts(descriptor, as_they_are.data(), parts.size());
  }
  line_writer out(descriptor);
  for (const std::string_view part : parts) {
    printable_pieces pieces(part);
    for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) out.put(piece);
  }
  return out.flush();
}

void say_plain(std::initializer_list<std::string_view> parts) noexcept { show(STDERR_FILENO, parts); }

void keep_numbers_of_closed_streams() noexcept {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened for what nobody does with it: its use stays the error that it was.
    const int opened = open("/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    if (opened >= 0 && opened != number) close(opened);  // a thread that should not be there was faster
  }
}

}  // namespace pure::core
