// Signals of each rank: set as libc sets them; each rank's function runs for what is the rank's, and all ranks' for
// what is sent to the process. In children, which have ranks in two threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "support/in_a_child.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace signals_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::kept_stderr;
using test_support::new_rank;
using test_support::replaced_of_process;

using handler_function = void (*)(int);

struct functions {
  int (*sigaction)(int, const struct sigaction*, struct sigaction*);
  handler_function (*signal)(int, handler_function);
  handler_function (*sysv_signal)(int, handler_function);
  int (*siginterrupt)(int, int);
  handler_function (*sigset)(int, handler_function);
  int (*sigignore)(int);
};

/// By its name, for a compiler warns of those that are old.
template <class Function>
Function* named(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

const functions libc = {sigaction,
                        signal,
                        sysv_signal,
                        named<int(int, int)>("siginterrupt"),
                        named<handler_function(int, handler_function)>("sigset"),
                        named<int(int)>("sigignore")};
const functions ours = {replaced_of_process<int(int, const struct sigaction*, struct sigaction*)>("sigaction"),
                        replaced_of_process<handler_function(int, handler_function)>("signal"),
                        replaced_of_process<handler_function(int, handler_function)>("__sysv_signal"),
                        replaced_of_process<int(int, int)>("siginterrupt"),
                        replaced_of_process<handler_function(int, handler_function)>("sigset"),
                        replaced_of_process<int(int)>("sigignore")};

// ---- what a program sees -----------------------------------------------------------------------------------------

volatile sig_atomic_t calls;
void count(int /*number*/) { calls = calls + 1; }
void count_more(int /*number*/) { calls = calls + 10; }
void count_with_information(int number, siginfo_t* information, void* /*context*/) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  calls = calls + 100 + (information->si_signo == number ? 1000 : 0) +
          (sigismember(&blocked, SIGUSR2) == 1 ? 10000 : 0) + (sigismember(&blocked, number) == 1 ? 100000 : 0);
}

std::string shown(handler_function handler) {
  if (handler == SIG_DFL) return "default";
  if (handler == SIG_IGN) return "ignored";
  if (handler == SIG_ERR) return "error";
  if (handler == SIG_HOLD) return "held";
  if (handler == count) return "count";
  return handler == count_more ? "more" : "information";
}

/// A program that does things at random, step by step.
std::string seen(const functions& from, unsigned seed) {
  const kept_stderr kept;
  const int status = in_a_child([&] {
    const as_rank here(new_rank());
    std::mt19937 random(seed);
    for (int i = 0; i < 150; ++i) {
      static constexpr int numbers[] = {SIGUSR1, SIGTERM, SIGWINCH, SIGUSR1, SIGURG, SIGKILL, 0, 65, 32};
      static const handler_function handlers[] = {count, count_more, SIG_IGN, count, SIG_DFL, SIG_ERR};
      const int number = numbers[random() % std::size(numbers)];
      const handler_function handler = handlers[random() % std::size(handlers)];
      std::string told = std::to_string(number) + " ";
      errno = 0;
      switch (random() % 8) {
        case 0: told += shown(from.signal(number, handler)); break;
        case 1: told += shown(from.sysv_signal(number, handler)); break;
        case 2: told += std::to_string(from.siginterrupt(number, static_cast<int>(random() % 2))); break;
        case 3:
          told += shown(from.sigset(number, random() % 4 == 0 ? SIG_HOLD : handler == SIG_ERR ? SIG_DFL : handler));
          break;
        case 4: told += std::to_string(from.sigignore(number)); break;
        case 5:
        case 6: {
          struct sigaction action = {}, before = {};
          action.sa_handler = handler;
          if (random() % 2 == 0) {
            action.sa_sigaction = count_with_information;
            action.sa_flags = SA_SIGINFO;
          }
          if (random() % 2 == 0) action.sa_flags |= SA_NODEFER;
          if (random() % 2 == 0) action.sa_flags |= SA_RESTART;
          if (random() % 4 == 0) action.sa_flags |= static_cast<int>(SA_RESETHAND);
          if (random() % 2 == 0) sigaddset(&action.sa_mask, SIGUSR2);
          told += std::to_string(from.sigaction(number, random() % 3 == 0 ? nullptr : &action, &before));
          told += " " + shown(before.sa_handler) + " " + std::to_string(before.sa_flags & ~0x4000000) + " " +
                  std::to_string(sigismember(&before.sa_mask, SIGUSR2));
          break;
        }
        default: {  // only what does not end the process
          struct sigaction now = {};
          if (from.sigaction(number, nullptr, &now) == 0 && number != SIGKILL && now.sa_handler != SIG_ERR &&
              (now.sa_handler != SIG_DFL || number == SIGWINCH || number == SIGURG))
            raise(number);
        }
      }
      told += " " + std::to_string(errno) + " calls " + std::to_string(calls) + "\n";
      if (write(2, told.data(), told.size()) < 0) return 1;
    }
    return 0;
  });
  return kept.text() + std::to_string(status);  // a signal that waited may have ended it
}

TEST(rank_signals, are_set_as_libc_sets_them) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(test_support::repetitions(60)); ++seed)
    ASSERT_EQ(seen(ours, seed), seen(libc, seed)) << seed;
}

// ---- whose signal it is ------------------------------------------------------------------------------------------

constexpr int ranks = 2;
std::atomic<int> handled[ranks];
std::atomic<pid_t> handled_by[ranks];
std::atomic<int> handled_code[ranks];

template <int Rank>
void on_signal_of(int number, siginfo_t* information, void* /*context*/) {
  handled_code[Rank].store(information->si_signo == number ? information->si_code : 77, std::memory_order_relaxed);
  handled_by[Rank].store(gettid(), std::memory_order_relaxed);
  handled[Rank].fetch_add(1, std::memory_order_relaxed);
}

void handle(int rank, int number) {
  struct sigaction action = {};
  action.sa_sigaction = rank == 0 ? on_signal_of<0> : on_signal_of<1>;
  action.sa_flags = SA_SIGINFO;
  EXPECT_EQ(ours.sigaction(number, &action, nullptr), 0);
}

int code_of(int rank) { return handled_code[rank].load(std::memory_order_relaxed); }

/// Runs body(rank, all) as two ranks in threads of a child whose main thread is none; `all` is where they meet. What it
/// returns is zero, if all is well.
template <class Body>
int two_ranks(Body body) {
  return in_a_child([&] {
    std::barrier<> all(ranks + 1);
    int results[ranks] = {};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        begin_rank(new_rank(rank));
        results[rank] = body(rank, all);
      });
    all.arrive_and_wait();   // all have begun
    all.arrive_and_wait();   // all have set their functions
    kill(getpid(), SIGHUP);  // by somebody who is no rank
    for (std::thread& thread : threads) thread.join();
    for (const int result : results)
      if (result != 0) return result;
    return 0;
  });
}

/// Until it is so, for ten seconds.
template <class Condition>
bool comes(Condition condition) {
  for (int i = 0; i < 10000 && !condition(); ++i) usleep(1000);
  return condition();
}

bool is_handled(int rank, int times) { return handled[rank].load(std::memory_order_relaxed) == times; }

TEST(rank_signals, of_the_process_come_to_all_ranks_that_have_a_function_each_in_its_main_thread) {
  EXPECT_EQ(two_ranks([](int rank, std::barrier<>& all) {
              handle(rank, SIGHUP);
              all.arrive_and_wait();
              all.arrive_and_wait();
              if (!comes([&] { return is_handled(rank, 1); })) return 1;
              if (handled_by[rank].load(std::memory_order_relaxed) != gettid()) return 2;
              return code_of(rank) == SI_USER ? 0 : 3;
            }),
            0);
}

TEST(rank_signals, that_a_rank_raises_or_sends_itself_are_its_own) {
  EXPECT_EQ(two_ranks([](int rank, std::barrier<>& all) {
              ours.signal(SIGHUP, SIG_IGN);
              handle(rank, SIGUSR1);
              all.arrive_and_wait();
              if (rank == 1) {
                if (raise(SIGUSR1) != 0 || !is_handled(1, 1)) return 1;
                if (replaced_of_process<int(pid_t, int)>("kill")(getpid(), SIGUSR1) != 0 || !is_handled(1, 2)) return 2;
                if (replaced_of_process<int(pid_t, int, sigval)>("sigqueue")(getpid(), SIGUSR1, sigval{}) != 0)
                  return 3;
                if (!is_handled(1, 3) || code_of(1) != SI_QUEUE) return 4;
              }
              all.arrive_and_wait();
              usleep(1000);
              return is_handled(0, 0) ? 0 : 5;
            }),
            0);
}

TEST(rank_signals, are_ignored_by_one_and_handled_by_another) {
  EXPECT_EQ(two_ranks([](int rank, std::barrier<>& all) {
              ours.signal(SIGHUP, SIG_IGN);
              static std::atomic<bool> is_set{false};
              if (rank == 1) {
                handle(1, SIGPIPE);
                is_set.store(true, std::memory_order_relaxed);
              } else {
                if (!comes([] { return is_set.load(std::memory_order_relaxed); })) return 4;
                ours.signal(SIGPIPE, SIG_IGN);  // the last word
              }
              int ends[2];
              if (pipe(ends) != 0) return 1;
              close(ends[0]);
              all.arrive_and_wait();
              if (write(ends[1], "x", 1) != -1 || errno != EPIPE) return 2;
              if (!is_handled(rank, rank)) return 3;
              all.arrive_and_wait();
              return 0;
            }),
            0);
}

thread_local sigjmp_buf back;
template <int Rank>
void on_fault_of(int /*number*/) {
  handled[Rank].fetch_add(1, std::memory_order_relaxed);
  siglongjmp(back, 1);
}

TEST(rank_signals, of_faults_are_those_of_the_rank_that_made_them) {
  EXPECT_EQ(two_ranks([](int rank, std::barrier<>& all) {
              ours.signal(SIGHUP, SIG_IGN);
              ours.signal(SIGSEGV, rank == 0 ? on_fault_of<0> : on_fault_of<1>);
              all.arrive_and_wait();
              void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              for (int i = 0; i < 100; ++i)
                if (sigsetjmp(back, 1) == 0) *static_cast<volatile int*>(page) = 1;
              if (!is_handled(rank, 100)) return 1;
              all.arrive_and_wait();
              return 0;
            }),
            0);
}

TEST(rank_signals, without_a_function_end_the_process) {
  const auto ended_by = [](auto body) {
    const pid_t child = fork();
    if (child == 0) {
      const as_rank one(new_rank());
      ours.signal(SIGUSR1, count);
      const as_rank other(new_rank());
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  EXPECT_EQ(ended_by([] { raise(SIGUSR1); }), SIGUSR1);  // set by the other only
  EXPECT_EQ(ended_by([] {
              ours.signal(SIGUSR1, SIG_DFL);
              raise(SIGUSR1);
            }),
            SIGUSR1);
  EXPECT_EQ(ended_by([] {
              ours.sysv_signal(SIGUSR1, count);
              raise(SIGUSR1);
              if (calls == 1) raise(SIGUSR1);
            }),
            SIGUSR1);
  EXPECT_EQ(ended_by([] {
              ours.sysv_signal(SIGURG, count);  // which the system ignores
              raise(SIGURG);
              if (calls == 1) raise(SIGURG);
            }),
            0);
}

TEST(rank_signals, that_all_ranks_ignore_are_ignored_by_programs_that_they_start) {
  EXPECT_EQ(in_a_child([] {
              struct sigaction now;
              for (int i = 0; i < 2; ++i) {
                const as_rank here(new_rank());
                ours.signal(SIGUSR1, SIG_IGN);
              }
              if (sigaction(SIGUSR1, nullptr, &now) != 0 || now.sa_handler != SIG_IGN) return 1;
              const as_rank here(new_rank());
              ours.signal(SIGUSR1, count);
              if (sigaction(SIGUSR1, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) == 0) return 2;
              ours.signal(SIGUSR1, SIG_IGN);
              return sigaction(SIGUSR1, nullptr, &now) == 0 && now.sa_handler == SIG_IGN ? 0 : 3;
            }),
            0);
}

// ---- timers ------------------------------------------------------------------------------------------------------

TEST(rank_signals, of_alarms_come_to_the_rank_that_set_one) {
  const auto set_alarm = replaced_of_process<unsigned(unsigned)>("alarm");
  const auto micro_alarm = replaced_of_process<useconds_t(useconds_t, useconds_t)>("ualarm");
  EXPECT_EQ(two_ranks([&](int rank, std::barrier<>& all) {
              ours.signal(SIGHUP, SIG_IGN);
              handle(rank, SIGALRM);
              if (set_alarm(rank == 0 ? 1000 : 2000) != 0) return 1;
              all.arrive_and_wait();
              if (rank == 1) {
                micro_alarm(1000, 1000);
                if (!comes([] { return handled[1].load(std::memory_order_relaxed) >= 3; })) return 2;
                if (handled_by[1].load(std::memory_order_relaxed) != gettid()) return 3;
                itimerval now = {};
                if (replaced_of_process<int(int, itimerval*)>("getitimer")(ITIMER_REAL, &now) != 0 ||
                    now.it_interval.tv_usec != 1000)
                  return 4;
                set_alarm(0);
              }
              all.arrive_and_wait();
              if (rank == 0 && (set_alarm(5) != 1000 || set_alarm(0) != 5 || set_alarm(0) != 0)) return 5;
              return is_handled(0, 0) ? 0 : 6;
            }),
            0);
}

TEST(rank_signals, of_timers_come_to_the_rank_that_made_them) {
  EXPECT_EQ(two_ranks([](int rank, std::barrier<>& all) {
              ours.signal(SIGHUP, SIG_IGN);
              handle(rank, SIGUSR2);
              all.arrive_and_wait();
              if (rank == 1) {
                sigevent event = {};
                event.sigev_signo = SIGUSR2;
                timer_t timer{};
                if (replaced_of_process<int(clockid_t, sigevent*, timer_t*)>("timer_create")(CLOCK_MONOTONIC, &event,
                                                                                             &timer) != 0)
                  return 1;
                const itimerspec soon = {{0, 0}, {0, 1000}};
                sigset_t alone;  // while it is blocked here, the system would give a signal of the process to another
                sigemptyset(&alone);
                sigaddset(&alone, SIGUSR2);
                pthread_sigmask(SIG_BLOCK, &alone, nullptr);
                timer_settime(timer, 0, &soon, nullptr);
                usleep(20000);
                pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
                if (!is_handled(1, 1)) return 2;
              }
              all.arrive_and_wait();
              return is_handled(0, 0) ? 0 : 3;
            }),
            0);
}

TEST(rank_signals, of_timers_of_processor_time_are_warned_of) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([] {
              const auto set = replaced_of_process<int(int, const itimerval*, itimerval*)>("setitimer");
              const itimerval late = {{0, 0}, {1000, 0}};
              for (int rank = 0; rank < 3; ++rank) {
                const as_rank here(new_rank(rank));
                if (set(ITIMER_PROF, &late, nullptr) != 0) return 1;
              }
              return 0;
            }),
            0);
  EXPECT_EQ(kept.text(),
            "pure: warning: ranks 0 and 1 set the timer ITIMER_PROF differently,\n"
            "  and share it: each gets what was set last. `purerun --ranks-as processes`\n"
            "  gives each rank its own.\n");
}

}  // namespace signals_test
