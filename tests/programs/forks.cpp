// For tests/errors/forks.sh and tests/net/forks.sh: children of ranks, however made and however ended.
//
//   forks MAKE END [THEN]
//
//   MAKE  fork, vfork; fork_late, when the other ranks sleep; fork_in_chunk, in a chunk of a task; fork_in_thread, by a
//   thread that is no rank; clone, which tells
//         the child nothing
//   END   what the child does: a way to end it, or a call of Pure
//   THEN  how the parent ends afterwards, while the other ranks wait for rank 0; without it: well
//
// Rank 0 has the child. It prints "before" into its buffer first (or flushes it, where exit prints what is buffered),
// then "child: exit N" or "child: signal N". All ranks then exchange messages, and rank 0 prints "went well".
#include <pure.h>

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <pure/parallel.hpp>
#include <pure/run.hpp>

namespace {

int* volatile nowhere = reinterpret_cast<int*>(16);  // compilers do not know where it points
char nothing[] = "/nonexistent/program";

struct end_of_child {
  const char* name;
  void (*act)();
  bool prints_buffers = false;  // as exit does
};
constexpr end_of_child ends[] = {
    {"exit_0", [] { std::exit(0); }, true},
    {"exit_3", [] { std::exit(3); }, true},
    {"return_3", [] {}, true},
    {"_exit_0", [] { _exit(0); }},
    {"_exit_4", [] { _exit(4); }},
    {"_Exit_5", [] { std::_Exit(5); }},
    {"quick_exit_0", [] { std::quick_exit(0); }},
    {"quick_exit_6", [] { std::quick_exit(6); }},
    {"pthread_exit", [] { pthread_exit(nullptr); }, true},
    {"thrd_exit", [] { thrd_exit(0); }, true},
    {"abort", [] { std::abort(); }},
    {"throw", [] { throw std::runtime_error("the child's own cause"); }},
    {"segv", [] { *nowhere = 1; }},
    {"exec", [] { execl("/bin/sh", "sh", "-c", "exit 8", nullptr); }},
    {"no_exec",
     [] {
       char* arguments[] = {nothing, nullptr};
       execv(nothing, arguments);
       _exit(127);
     }},
    {"send", [] { pure_send_msg("x", 1, PURE_CHAR, 0, 0, PURE_COMM_WORLD); }},
    {"barrier", [] { pure_barrier(PURE_COMM_WORLD); }},
    {"rank", [] { pure_rank(); }},
    {"pure_abort", [] { pure_abort(9); }},
    {"run", [] { pure::run(2, [] {}); }},
    {"task", [] { pure::parallel_for(0, 100, [](int) {}); }},
};

struct child_of_vfork_must_not_return {
  ~child_of_vfork_must_not_return() { _exit(99); }
};

void say(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/// True in the child, where main has to end.
bool have_child(const std::string& make, const end_of_child& end) {
  pid_t child = 0;
  const auto make_here = [&] {
    child = make == "clone" ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr))
                            : fork();
    if (child == 0) end.act();
  };
  if (make == "vfork") {
    child = vfork();
    if (child == 0) {
      const child_of_vfork_must_not_return guard;
      end.act();
    }
  } else if (make == "fork_in_chunk") {
    const std::thread::id owner = std::this_thread::get_id();
    bool has_forked = false;  // the owner's
    pure::parallel_for(0, 1000, [&](int) {
      if (std::this_thread::get_id() == owner && !std::exchange(has_forked, true)) make_here();
    });
  } else if (make == "fork_in_thread") {
    std::thread(make_here).join();
  } else {
    if (make == "fork_late") std::this_thread::sleep_for(std::chrono::milliseconds(300));
    make_here();
  }
  if (child == 0) return true;
  say(child);
  return false;
}

void go_on() {
  const int rank = pure_rank(), size = pure_size();
  for (int round = 0; round < 100; ++round) {
    int from_left = -1, sum = 0;
    pure_sendrecv_msg(&rank, 1, PURE_INT, (rank + 1) % size, 0, &from_left, 1, PURE_INT, (rank + size - 1) % size, 0,
                      PURE_COMM_WORLD);
    pure_allreduce(&from_left, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD);
    if (sum != size * (size - 1) / 2) pure_abort(77);
  }
}

void end_badly(const std::string& how) {
  if (how == "exit_3") std::exit(3);
  if (how == "throw") throw std::runtime_error("the parent's own cause");
  if (how == "segv") *nowhere = 1;
  int never = 0;
  if (how == "deadlock") pure_recv_msg(&never, 1, PURE_INT, 0, 1, PURE_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string make = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "", then = argc > 3 ? argv[3] : "";
  const end_of_child* end = nullptr;
  for (const end_of_child& each : ends) {
    if (how == each.name) end = &each;
  }
  if (end == nullptr) return 78;
  if (pure_rank() == 0) {
    std::atexit([] { std::fputs("handlers run\n", stdout); });
    std::puts("before");
    if (end->prints_buffers && make != "vfork") std::fflush(stdout);
    if (have_child(make, *end)) return 3;
  }
  go_on();
  if (pure_rank() == 0 && !then.empty()) std::fflush(stdout);
  if (!then.empty()) end_badly(pure_rank() == 0 ? then : "deadlock");
  if (pure_rank() == 0) std::puts("went well");
  return 0;
}
