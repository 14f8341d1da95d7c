// For tests/errors/forks.sh and tests/net/forks.sh: forks by threads that are no rank, around pure::run.
//
//   fork_runs WHEN CHILD
//
//   WHEN   before, between: the main thread forks before the first pure::run, or after it; beside: a thread of the
//          program's does, while ranks run
//   CHILD  exit, _exit, quick_exit, return: how it ends, with status 3 (return, its main's, not beside); run_exit and
//   so
//          on: the same after a pure::run; run_exit_0 and so on: with status 0, which no cut-off rank would let it
//          have; run_segv: by a crash; run_cancel: cancels a thread of its own, and ends well
//
// Prints "child: N", its status, and "went well" when the parent's own runs have.
#include <pure/pure.hpp>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace {

int* volatile nowhere = reinterpret_cast<int*>(16);  // compilers do not know where it points

void run() {
  pure::run(2, [](pure::comm world) {
    for (int round = 0; round < 100; ++round) {
      if (world.all_reduce(1, std::plus<>()) != world.size()) std::abort();
    }
  });
}

/// By whatever pthread_t the system gives it, which may have been a rank's in the parent.
void cancel_a_thread() {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    if (pthread_create(
            &thread, nullptr, [](void*) -> void* { return pause(), nullptr; }, nullptr) != 0)
      std::abort();
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
  }
}

enum class side { parent, child };

side fork_and_say(const std::string& what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::string how = what;
    if (how.starts_with("run_")) {
      run();
      how.erase(0, 4);
    }
    const int status = how.ends_with("_0") ? 0 : 3;
    if (status == 0) how.erase(how.size() - 2);
    if (how == "cancel") cancel_a_thread();
    if (how == "segv") *nowhere = 1;
    if (how == "_exit") _exit(status);
    if (how == "quick_exit") std::quick_exit(status);
    if (how != "return") std::exit(status);
    return side::child;
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  return side::parent;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string when = argc > 1 ? argv[1] : "", what = argc > 2 ? argv[2] : "";
  if (when == "before" && fork_and_say(what) == side::child) return 3;
  run();
  if (when == "between" && fork_and_say(what) == side::child) return 3;
  if (when == "beside") {
    std::atomic<bool> runs{false}, has_forked{false};
    std::thread beside([&] {
      while (!runs) usleep(1000);
      fork_and_say(what);
      has_forked = true;
    });
    pure::run(2, [&](pure::comm world) {
      world.barrier();
      runs = true;
      while (world.all_reduce(has_forked ? 1 : 0, std::plus<>()) < world.size()) world.barrier();
    });
    beside.join();
  }
  run();
  std::puts("went well");
}
