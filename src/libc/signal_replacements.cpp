// sigaction, signal and their relatives for each rank, signals that a rank sends to its process, which is itself, and
// an alarm for each rank. Any thread; what POSIX allows in signal handlers is allowed there.
//
// The timers that count a process's processor time (ITIMER_VIRTUAL, ITIMER_PROF) stay shared.
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "libc/hidden_state.hpp"
#include "libc/notifications.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/shared_things.hpp"
#include "libc/signal_actions.hpp"

namespace pure::core {

namespace {

using handler_function = void (*)(int);

int rank_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return set_signal_action(number, action, before);
}

/// With these flags; the handler before, or SIG_ERR.
handler_function set_handler(int number, handler_function handler, int flags, bool blocks_itself) noexcept {
  if (handler == SIG_ERR || number < 1 || number >= signal_state::signals) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {};
  struct sigaction before;
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (blocks_itself) sigaddset(&action.sa_mask, number);
  return set_signal_action(number, &action, &before) != 0 ? SIG_ERR : before.sa_handler;
}

std::uint64_t bit_of_signal(int number) noexcept {
  return number < 1 || number >= signal_state::signals ? 0 : std::uint64_t{1} << (number - 1);
}

handler_function rank_signal(int number, handler_function handler) {
  const bool interrupts = (hidden_state_here().signals.interrupting & bit_of_signal(number)) != 0;
  return set_handler(number, handler, interrupts ? 0 : SA_RESTART, true);
}

/// Of System V: in effect once.
handler_function rank_sysv_signal(int number, handler_function handler) {
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER, false);
}

int rank_siginterrupt(int number, int interrupts) {
  struct sigaction action;
  if (set_signal_action(number, nullptr, &action) != 0) return -1;
  std::uint64_t& all = hidden_state_here().signals.interrupting;
  if (interrupts != 0) {
    all |= bit_of_signal(number);
    action.sa_flags &= ~SA_RESTART;
  } else {
    all &= ~bit_of_signal(number);
    action.sa_flags |= SA_RESTART;
  }
  return set_signal_action(number, &action, nullptr);
}

handler_function rank_sigset(int number, handler_function handler) {
  sigset_t alone, before;
  struct sigaction now;
  sigemptyset(&alone);
  if (sigaddset(&alone, number) != 0) return SIG_ERR;
  if (handler == SIG_HOLD) {
    if (pthread_sigmask(SIG_BLOCK, &alone, &before) != 0) return SIG_ERR;
    if (sigismember(&before, number) == 1) return SIG_HOLD;
    return set_signal_action(number, nullptr, &now) != 0 ? SIG_ERR : now.sa_handler;
  }
  struct sigaction action = {};
  action.sa_handler = handler;
  if (set_signal_action(number, &action, &now) != 0 || pthread_sigmask(SIG_UNBLOCK, &alone, &before) != 0)
    return SIG_ERR;
  return sigismember(&before, number) == 1 ? SIG_HOLD : now.sa_handler;
}

int rank_sigignore(int number) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  return set_signal_action(number, &action, nullptr);
}

// ---- sending -----------------------------------------------------------------------------------------------------

/// Whether it is a signal of the rank to itself.
bool is_to_itself(pid_t process, int number) noexcept {
  return is_number_of_rank(process) && is_process_of_ranks() && has_signal_function(number);
}

int rank_kill(pid_t process, int number) {
  if (is_to_itself(process, number)) return raise(number);
  return process > 0 && send_to_other_rank(process, number) ? 0 : kill(process, number);
}

int rank_sigqueue(pid_t process, int number, const sigval value) {
  if (!is_to_itself(process, number)) return sigqueue(process, number, value);
  expect_own_signal(number);
  const int error = pthread_sigqueue(pthread_self(), number, value);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

// ---- timers ------------------------------------------------------------------------------------------------------

sigevent to_main_thread(const signal_state& state, int number) noexcept {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event._sigev_un._tid = state.main_thread.load(std::memory_order_relaxed);
  return event;
}

bool has_main_thread(const signal_state& state) noexcept {
  return state.main_thread.load(std::memory_order_relaxed) != 0 && is_process_of_ranks();
}

timeval in_micros(const timespec& time) noexcept { return {time.tv_sec, time.tv_nsec / 1000}; }
timespec in_nanos(const timeval& time) noexcept { return {time.tv_sec, time.tv_usec * 1000}; }

/// As libc's, for ITIMER_REAL, by a timer of the rank.
int set_own_timer(signal_state& state, const itimerval* value, itimerval* before) noexcept {
  if (!state.has_timer) {
    sigevent event = to_main_thread(state, SIGALRM);
    if (timer_create(CLOCK_MONOTONIC, &event, &state.timer) != 0) return -1;
    state.has_timer = true;
  }
  const itimerspec wanted = {in_nanos(value->it_interval), in_nanos(value->it_value)};
  itimerspec old;
  if (timer_settime(state.timer, 0, &wanted, &old) != 0) return -1;
  if (before != nullptr) *before = {in_micros(old.it_interval), in_micros(old.it_value)};
  return 0;
}

void note_timer(int which) noexcept {
  const auto rank = reinterpret_cast<std::uintptr_t>(&hidden_state_here());  // each sets one that is meant for it
  note_setting(shared_thing::timer, which == ITIMER_PROF ? "ITIMER_PROF" : "ITIMER_VIRTUAL",
               {reinterpret_cast<const char*>(&rank), sizeof rank});
}

int rank_setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) {
  signal_state& state = hidden_state_here().signals;
  if (which == ITIMER_REAL && value != nullptr && has_main_thread(state)) return set_own_timer(state, value, before);
  const int result = setitimer(which, value, before);
  if (result == 0 && which != ITIMER_REAL) note_timer(static_cast<int>(which));
  return result;
}

int rank_getitimer(__itimer_which_t which, itimerval* value) {
  signal_state& state = hidden_state_here().signals;
  if (which != ITIMER_REAL || !has_main_thread(state)) return getitimer(which, value);
  itimerspec now = {};
  if (state.has_timer && timer_gettime(state.timer, &now) != 0) return -1;
  *value = {in_micros(now.it_interval), in_micros(now.it_value)};
  return 0;
}

/// What was left is told in whole seconds, rounded, but for none of a timer that runs, as the system does it.
unsigned rank_alarm(unsigned seconds) {
  const itimerval value = {{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval before = {};
  if (rank_setitimer(ITIMER_REAL, &value, &before) != 0) return 0;
  const auto left = static_cast<unsigned>(before.it_value.tv_sec);
  const long micros = before.it_value.tv_usec;
  return left + ((left == 0 && micros != 0) || micros >= 500000 ? 1 : 0);
}

useconds_t rank_ualarm(useconds_t micros, useconds_t interval) {
  const itimerval value = {{0, static_cast<suseconds_t>(interval)}, {0, static_cast<suseconds_t>(micros)}};
  itimerval before = {};
  if (rank_setitimer(ITIMER_REAL, &value, &before) != 0) return static_cast<useconds_t>(-1);
  return static_cast<useconds_t>(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

/// A timer that is to send a signal sends it to the rank; one that is to call a function calls it there.
int rank_timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    sigevent calling = *event;
    notify_in_rank(calling);
    return timer_create(clock, &calling, timer);
  }
  const signal_state& state = hidden_state_here().signals;
  const bool is_signal = event == nullptr || event->sigev_notify == SIGEV_SIGNAL;
  if (!is_signal || !has_main_thread(state)) return timer_create(clock, event, timer);
  sigevent own = to_main_thread(state, event == nullptr ? SIGALRM : event->sigev_signo);
  if (event != nullptr) own.sigev_value = event->sigev_value;
  return timer_create(clock, &own, timer);
}

}  // namespace

std::span<const replacement> signal_parts() noexcept {
  static const replacement table[] = {
      replaced_by("sigaction", rank_sigaction),
      replaced_by("__sigaction", rank_sigaction),
      replaced_by("signal", rank_signal),
      replaced_by("bsd_signal", rank_signal),
      replaced_by("ssignal", rank_signal),
      replaced_by("sysv_signal", rank_sysv_signal),
      replaced_by("__sysv_signal", rank_sysv_signal),
      replaced_by("siginterrupt", rank_siginterrupt),
      replaced_by("sigset", rank_sigset),
      replaced_by("sigignore", rank_sigignore),
      replaced_by("kill", rank_kill),
      replaced_by("sigqueue", rank_sigqueue),
      replaced_by("setitimer", rank_setitimer),
      replaced_by("getitimer", rank_getitimer),
      replaced_by("alarm", rank_alarm),
      replaced_by("ualarm", rank_ualarm),
      replaced_by("timer_create", rank_timer_create),
  };
  return table;
}

}  // namespace pure::core
