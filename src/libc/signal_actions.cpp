#include "libc/signal_actions.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "libc/child_processes.hpp"
#include "libc/hidden_state.hpp"

namespace pure::core {

namespace {

struct actions_of_process {
  std::mutex lock;
  struct sigaction before[signal_state::signals];  // what it had before a rank set something
  std::atomic<bool> is_known[signal_state::signals] = {};
};

constinit actions_of_process of_process{};

std::uint64_t bit_of(int number) noexcept { return std::uint64_t{1} << (number - 1); }

bool is_function(const struct sigaction& action) noexcept {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;  // with SA_SIGINFO, too
}

bool is_same(const struct sigaction& one, const struct sigaction& other) noexcept {
  return one.sa_handler == other.sa_handler && one.sa_flags == other.sa_flags &&
         std::memcmp(&one.sa_mask, &other.sa_mask, sizeof one.sa_mask) == 0;
}

/// What the rank has set; null: nothing.
const struct sigaction* action_of(const hidden_state& rank, int number) noexcept {
  // acquire: what it says; pairs with the release in set_signal_action().
  const known_action* const known = rank.signals.actions[number].load(std::memory_order_acquire);
  return known == nullptr ? nullptr : &known->action;
}

// ---- in the handler ----------------------------------------------------------------------------------------------

/// What the system does with a signal that nobody handles.
void leave_to_system(int number) noexcept {
  switch (number) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT: return;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU: kill(getpid(), SIGSTOP); return;
    default: {
      signal(number, SIG_DFL);
      sigset_t alone;
      sigemptyset(&alone);
      sigaddset(&alone, number);
      pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
      raise(number);  // with the place of a fault in its core, which is this stack
    }
  }
}

void act_on(const struct sigaction& action, int number, siginfo_t* information, void* context) noexcept {
  if (!is_function(action)) {
    if (action.sa_handler == SIG_DFL) leave_to_system(number);
    return;
  }
  // The mask ends with this handler: the system has the one before in `context`.
  pthread_sigmask(SIG_BLOCK, &action.sa_mask, nullptr);
  if ((action.sa_flags & SA_NODEFER) != 0) {
    sigset_t alone;
    sigemptyset(&alone);
    sigaddset(&alone, number);
    pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  }
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(number, information, context);
  else
    action.sa_handler(number);
}

void act_for(hidden_state& rank, int number, siginfo_t* information, void* context) noexcept {
  // acquire: as in action_of().
  const known_action* const known = rank.signals.actions[number].load(std::memory_order_acquire);
  if (known == nullptr) return act_on(of_process.before[number], number, information, context);
  if (known->afterwards != nullptr && is_function(known->action))
    rank.signals.actions[number].store(known->afterwards, std::memory_order_relaxed);
  act_on(known->action, number, information, context);
}

/// Whether it is the business of the thread that has got it, and not of the process.
bool is_of_thread(int number, const siginfo_t& information) noexcept {
  if (information.si_code == SI_TKILL || information.si_code == SI_TIMER) return true;
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS: return information.si_code > 0;
    case SIGPIPE:
    case SIGXFSZ:  // of a call that it makes: the system says no more than that it comes from here
      return information.si_code == SI_KERNEL || information.si_pid == getpid();
    default: return false;
  }
}

constexpr int code_beside = 1 << 30;  // codes are small, and numbers of errors are, too

void forward_to(hidden_state& rank, int number, const siginfo_t* information) noexcept {
  const struct sigaction* const action = action_of(rank, number);
  const pid_t thread = rank.signals.main_thread.load(std::memory_order_relaxed);
  if (action == nullptr || !is_function(*action) || thread == 0) return;
  rank.signals.forwarded.fetch_or(bit_of(number), std::memory_order_relaxed);  // the system call orders it
  // The system lets no program say that a signal comes from elsewhere: the code travels beside it.
  siginfo_t queued = *information;
  queued.si_code = SI_QUEUE;
  queued.si_errno = information->si_code + code_beside;
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, &queued) != 0)
    syscall(SYS_tgkill, getpid(), thread, number);
}

void deliver(hidden_state& to, const hidden_state* here, int number, siginfo_t* information, void* context) noexcept {
  if (&to != here) return forward_to(to, number, information);
  if (action_of(to, number) != nullptr) act_for(to, number, information, context);
}

/// Something has happened to a child. Signals of several children may have come as one. False: nobody knows whose it
/// is.
bool act_on_child(const hidden_state* here, siginfo_t* information, void* context) noexcept {
  if (information->si_code <= 0) return false;  // somebody has sent it
  const bool is_end = information->si_code == CLD_EXITED || information->si_code == CLD_KILLED ||
                      information->si_code == CLD_DUMPED;
  hidden_state* its = rank_of_child(information->si_pid);
  bool is_due = its != nullptr && (!is_end || claim_telling(information->si_pid));
  std::size_t place = 0;
  siginfo_t untold;
  for (hidden_state* other = nullptr; next_untold_end(place, other, untold);) {
    deliver(*other, here, SIGCHLD, &untold, context);
  }
  if (its == nullptr) {
    if (keep_for_start(*information)) return true;
    its = rank_of_child(information->si_pid);  // its start may have been over just then
    if (its == nullptr) return is_end && has_been_reaped(information->si_pid);  // its rank has been told before
    is_due = !is_end || claim_telling(information->si_pid);
  }
  if (is_due) deliver(*its, here, SIGCHLD, information, context);
  return true;
}

/// The process's function for signals that ranks have functions for.
void on_signal(int number, siginfo_t* information, void* context) noexcept {
  const int error = errno;
  hidden_state* const rank = hidden_state_of_thread();
  const std::uint64_t bit = bit_of(number);
  const bool is_forwarded = rank != nullptr &&
                            (rank->signals.forwarded.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
  if (is_forwarded && information->si_errno > code_beside / 2) {
    information->si_code = information->si_errno - code_beside;
    information->si_errno = 0;
  }
  if (is_forwarded || is_of_thread(number, *information)) {
    if (rank != nullptr)
      act_for(*rank, number, information, context);
    else
      act_on(of_process.before[number], number, information, context);
  } else if (number != SIGCHLD || !act_on_child(rank, information, context)) {
    for (hidden_state* other = first_hidden_state(); other != nullptr; other = other->next)
      if (other != rank) forward_to(*other, number, information);
    if (rank != nullptr && action_of(*rank, number) != nullptr) act_for(*rank, number, information, context);
  }
  errno = error;
}

// ---- setting it --------------------------------------------------------------------------------------------------

/// While it lives, no handler runs in this thread: one might set an action itself.
class no_signals {
 public:
  no_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  no_signals(const no_signals&) = delete;
  no_signals& operator=(const no_signals&) = delete;
  ~no_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

const known_action* kept(signal_state& state, const struct sigaction& action) {
  for (const known_action& one : state.known)
    if (is_same(one.action, action)) return &one;
  const known_action* afterwards = nullptr;
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0 && is_function(action)) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    afterwards = kept(state, reset);
  }
  return &state.known.emplace_front(known_action{action, afterwards});
}

bool is_without_ends_of_children(const struct sigaction& action) noexcept {
  return action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0;
}

/// Nothing comes of SIGCHLD by default, either; but the system keeps how children have ended, for those ranks that ask.
struct sigaction with_ends_of_children(int number, struct sigaction action) noexcept {
  if (number != SIGCHLD) return action;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  action.sa_flags &= ~SA_NOCLDWAIT;
  return action;
}

/// What the process has to have, by what the ranks have set.
struct sigaction action_for_all(int number, struct sigaction last) noexcept {
  last = with_ends_of_children(number, last);
  bool are_same = true;
  for (const hidden_state* rank = first_hidden_state(); rank != nullptr; rank = rank->next) {
    const struct sigaction* const set = action_of(*rank, number);
    are_same = are_same && (set == nullptr || with_ends_of_children(number, *set).sa_handler == last.sa_handler);
  }
  // Functions are the same where they are no rank's own: what was there before.
  if (are_same && (!is_function(last) || last.sa_handler == of_process.before[number].sa_handler)) return last;
  struct sigaction all = {};
  all.sa_sigaction = on_signal;
  all.sa_flags = SA_SIGINFO | (last.sa_flags & (SA_RESTART | SA_ONSTACK | SA_NOCLDSTOP | SA_NOCLDWAIT));
  return all;
}

}  // namespace

int set_signal_action(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  struct sigaction now;
  if (sigaction(number, nullptr, &now) != 0) return -1;
  if (action != nullptr && (number == SIGKILL || number == SIGSTOP)) {
    errno = EINVAL;
    return -1;
  }
  hidden_state& rank = hidden_state_here();
  const no_signals while_locked;
  std::unique_lock held(of_process.lock, std::defer_lock);
  if (is_process_of_ranks()) held.lock();  // a forked child has one thread; others may have had the lock
  const struct sigaction* const set = action_of(rank, number);
  const struct sigaction wanted = action == nullptr ? now : *action;  // may be the place of `before`
  if (before != nullptr)
    *before = set != nullptr ? *set : of_process.is_known[number] ? of_process.before[number] : now;
  if (action == nullptr) return 0;
  if (!of_process.is_known[number]) {
    of_process.before[number] = now;
    of_process.is_known[number] = true;
  }
  // release: publishes the action; pairs with the acquire in action_of().
  rank.signals.actions[number].store(kept(rank.signals, wanted), std::memory_order_release);
  const struct sigaction all = action_for_all(number, wanted);
  return sigaction(number, &all, nullptr);
}

void tell_end_of_child(hidden_state* rank, const siginfo_t& end) noexcept {
  if (rank != nullptr) return forward_to(*rank, SIGCHLD, &end);
  for (hidden_state* each = first_hidden_state(); each != nullptr; each = each->next) forward_to(*each, SIGCHLD, &end);
}

bool ignores_children() noexcept {
  if (!is_process_of_ranks()) return false;
  const struct sigaction* const action = action_of(hidden_state_here(), SIGCHLD);
  return action != nullptr && is_without_ends_of_children(*action);
}

bool has_signal_function(int number) noexcept {
  if (number <= 0 || number >= signal_state::signals) return false;
  const struct sigaction* const action = action_of(hidden_state_here(), number);
  return action != nullptr && is_function(*action);
}

bool send_to_other_rank(pid_t process, int number) noexcept {
  if (number <= 0 || number >= signal_state::signals || !is_process_of_ranks()) return false;
  for (hidden_state* rank = first_hidden_state(); rank != nullptr; rank = rank->next) {
    if (rank->signals.main_thread.load(std::memory_order_relaxed) != process) continue;
    const struct sigaction* const action = action_of(*rank, number);
    return action != nullptr && is_function(*action) && syscall(SYS_tgkill, getpid(), process, number) == 0;
  }
  return false;
}

void expect_own_signal(int number) noexcept {
  hidden_state_here().signals.forwarded.fetch_or(bit_of(number), std::memory_order_relaxed);
}

}  // namespace pure::core
