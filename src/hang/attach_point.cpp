#include "hang/attach_point.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
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

using std::chrono::steady_clock;

/// Rounded up: never 0 while there is time.
int ms_until(steady_clock::time_point when) noexcept {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

/// Whether the descriptor was ready in time.
bool is_ready(int fd, short for_what, steady_clock::time_point until) noexcept {
  for (;;) {
    pollfd asked{.fd = fd, .events = for_what, .revents = 0};
    const int ready = poll(&asked, 1, ms_until(until));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
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

void write_all(int connection, const std::string& text, steady_clock::time_point until) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    if (!is_ready(connection, POLLOUT, until)) return;
    const ssize_t wrote = ::send(connection, text.data() + done, text.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

/// All that comes until the other end closes.
void read_all(int connection, answer_limits& limits, job_answer& answer) {
  std::array<char, 4096> part{};
  for (;;) {
    if (ms_until(limits.until) == 0 || !is_ready(connection, POLLIN, limits.until)) {
      answer.end = job_answer::outcome::late;
      return;
    }
    const ssize_t got = recv(connection, part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return;
    const std::size_t taken = std::min(static_cast<std::size_t>(got), limits.bytes);
    answer.text.append(part.data(), taken);
    limits.bytes -= taken;
    if (taken < static_cast<std::size_t>(got)) {
      answer.end = job_answer::outcome::too_long;
      return;
    }
  }
}

/// Blocks until then at most. 0, or the error.
int connect_until(int connection, const address& to, steady_clock::time_point until) noexcept {
  const int ms = ms_until(until);
  if (ms == 0) return EAGAIN;
  const timeval limit{.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000};
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return connect(connection, as_any(to), to.length) == 0 ? 0 : errno;
}

}  // namespace

attach_point::attach_point() noexcept {
  owned_descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open()) return;
  for (int number = 0; number < most_jobs; ++number) {
    const address name = address_of(getpid(), number);
    if (bind(made.number(), as_any(name), name.length) != 0) {
      if (errno == EADDRINUSE) continue;  // another job of this process
      break;
    }
    constexpr int most_waiting = 4;
    if (listen(made.number(), most_waiting) == 0) socket_ = guarded_descriptor(std::move(made));
    break;
  }
}

void attach_point::answer(const std::function<std::string()>& text) const {
  const int own = descriptor();
  for (int connection; (connection = accept4(own, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (may_ask(connection)) write_all(connection, text(), steady_clock::now() + std::chrono::seconds(1));
    close(connection);
  }
}

std::vector<job_answer> ask_jobs_of(pid_t process, answer_limits& limits) {
  std::vector<job_answer> answers;
  for (int number = 0; number < most_jobs; ++number) {
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) break;
    const int error = connect_until(connection, address_of(process, number), limits.until);
    const std::optional<ucred> peer = error == 0 ? other_end(connection) : std::nullopt;
    if (peer && peer->pid == process) {  // any process may take any name
      job_answer& answer = answers.emplace_back();
      answer.user = peer->uid;
      if (peer->uid != geteuid() && geteuid() != 0)
        answer.end = job_answer::outcome::refused;
      else
        read_all(connection, limits, answer);
    } else if (error == EAGAIN) {  // it does not take the connections that it has
      answers.push_back({.end = job_answer::outcome::late, .user = geteuid(), .text = {}});
    }
    close(connection);
    if (ms_until(limits.until) == 0) break;
  }
  return answers;
}

}  // namespace pure::core
