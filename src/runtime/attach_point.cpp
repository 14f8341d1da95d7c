#include "runtime/attach_point.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include <fmt/core.h>

namespace pure::core {

namespace {

constexpr int most_jobs = 64;  // of a process, at the same time

struct address {
  sockaddr_un bytes{};
  socklen_t length = 0;
};

address address_of(pid_t process, int number) {
  address result;
  const std::string name = fmt::format("pure.{}.{}", process, number);
  result.bytes.sun_family = AF_UNIX;
  std::memcpy(result.bytes.sun_path + 1, name.data(), name.size());  // a first byte of 0: abstract, not in a directory
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

const sockaddr* as_any(const address& a) noexcept { return reinterpret_cast<const sockaddr*>(&a.bytes); }

void set_timeout(int fd, int option, int ms) noexcept {
  const timeval limit{.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000};
  setsockopt(fd, SOL_SOCKET, option, &limit, sizeof limit);
}

std::optional<ucred> other_end(int connection) noexcept {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return std::nullopt;
  return peer;
}

bool may_ask(int connection) noexcept {
  const std::optional<ucred> peer = other_end(connection);
  return peer && (peer->uid == geteuid() || peer->uid == 0);
}

/// Any process may take any name.
bool is_answered_by(pid_t process, int connection) noexcept {
  const std::optional<ucred> peer = other_end(connection);
  return peer && peer->pid == process;
}

void write_all(int connection, const std::string& text) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::send(connection, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

/// All that comes until the other end closes; less if that takes too long.
std::string read_all(int connection) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = recv(connection, part.data(), part.size(), 0);
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

attach_point::attach_point() noexcept : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (fd_ < 0) return;
  for (int number = 0; number < most_jobs; ++number) {
    const address name = address_of(getpid(), number);
    if (bind(fd_, as_any(name), name.length) != 0) {
      if (errno == EADDRINUSE) continue;  // another job of this process
      break;
    }
    constexpr int most_waiting = 4;
    if (listen(fd_, most_waiting) == 0) return;
    break;
  }
  close(fd_);
  fd_ = -1;
}

attach_point::~attach_point() {
  if (fd_ >= 0) close(fd_);
}

void attach_point::answer(const std::function<std::string()>& text) const {
  for (int connection; (connection = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (may_ask(connection)) {
      set_timeout(connection, SO_SNDTIMEO, 1000);
      write_all(connection, text());
    }
    close(connection);
  }
}

std::vector<std::string> ask_jobs_of(pid_t process, int timeout_ms) {
  std::vector<std::string> answers;
  for (int number = 0; number < most_jobs; ++number) {
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) break;
    set_timeout(connection, SO_RCVTIMEO, timeout_ms);
    set_timeout(connection, SO_SNDTIMEO, timeout_ms);
    const address name = address_of(process, number);
    if (connect(connection, as_any(name), name.length) == 0) {
      if (is_answered_by(process, connection)) answers.push_back(read_all(connection));
    } else if (errno == EAGAIN) {  // it does not take the connections that it has
      answers.emplace_back();
    }
    close(connection);
  }
  return answers;
}

}  // namespace pure::core
