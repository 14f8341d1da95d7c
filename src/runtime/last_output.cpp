#include "runtime/last_output.hpp"

#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/libc.hpp"
#include "base/output.hpp"

namespace pure::core {

namespace {

std::atomic<int> status_if_stuck{1};

void set_alarm(int in_seconds) noexcept {
  const itimerval once{.it_interval = {}, .it_value = {.tv_sec = in_seconds, .tv_usec = 0}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

}  // namespace

void print_message(std::string_view text) noexcept { say_plain({"pure: ", text, "\n"}); }

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
  const no_output_signals quiet;  // the status is the failure's, though nobody reads what the program has printed
  set_alarm(1);
  std::fflush(nullptr);
  set_alarm(0);
}

}  // namespace pure::core
