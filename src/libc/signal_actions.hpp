// What is done with a signal is one for the process; here each rank has its own. As soon as a rank has a function for a
// signal, the process has one for it that calls the function of the rank that is concerned:
//
//   a fault, raise, a pipe without a reader, a timer of the rank   the rank whose thread it is
//   the end of a child                                             the rank that has started it
//   what somebody sends to the process (SIGTERM, SIGUSR1)          all ranks that have a function for it, each in its
//   main
//                                                                  thread, as processes of a job would each get it
//
// A rank that has set nothing has what the process had before any rank set something. What the ranks ignore, or leave
// to the system, all of them, so has the process.
#pragma once

#include <signal.h>

namespace pure::core {

/// As libc's sigaction, for the calling rank. Any thread, signal handlers too.
int set_signal_action(int number, const struct sigaction* action, struct sigaction* before) noexcept;

/// Whether the calling rank ignores the ends of its children (SIG_IGN or SA_NOCLDWAIT for SIGCHLD). The process never
/// does, for it would be for all ranks. Signal handlers too.
bool ignores_children() noexcept;

/// Whether the calling rank has a function for it.
bool has_signal_function(int number) noexcept;

/// Whether that is the number of another rank of this process, which has a function for the signal: then it has got it.
bool send_to_other_rank(pid_t process, int number) noexcept;

/// The next signal of that number that the calling thread gets is its rank's, wherever it comes from.
void expect_own_signal(int number) noexcept;

}  // namespace pure::core
