#include "runtime/last_output.hpp"

#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/libc.hpp"

namespace pure::core {

namespace {

std::atomic<int> status_if_stuck{1};

iovec part(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

void set_alarm(int in_seconds) noexcept {
  const itimerval once{.it_interval = {}, .it_value = {.tv_sec = in_seconds, .tv_usec = 0}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

}  // namespace

void print_message(std::string_view text) noexcept {
  std::array<iovec, 3> parts{part("pure: "), part(text), part("\n")};
  for (std::size_t first = 0; first < parts.size();) {
    ssize_t wrote = writev(STDERR_FILENO, parts.data() + first, static_cast<int>(parts.size() - first));
    if (wrote <= 0) return;
    for (; first < parts.size() && static_cast<std::size_t>(wrote) >= parts[first].iov_len; ++first) {
      wrote -= static_cast<ssize_t>(parts[first].iov_len);
    }
    if (first == parts.size()) return;
    parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + wrote;
    parts[first].iov_len -= static_cast<std::size_t>(wrote);
  }
}

void flush_or_exit(int status) noexcept {
  status_if_stuck.store(status,
                        std::memory_order_relaxed);  // relaxed: this thread's handler reads it, or a later one's
  struct sigaction action {};
  action.sa_handler = [](int) { libc::exit_now(status_if_stuck.load(std::memory_order_relaxed)); };
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  set_alarm(1);
  std::fflush(nullptr);
  set_alarm(0);
}

}  // namespace pure::core
