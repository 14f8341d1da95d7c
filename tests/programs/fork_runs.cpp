// For tests/errors/forks.sh and tests/net/forks.sh: forks by threads that are no rank, around pure::run.
//
//   fork_runs WHEN CHILD
//
//   WHEN   before, between: the main thread forks before the first pure::run, or after it; beside: a thread of the
//          program's does, while ranks run
//   CHILD  run: calls pure::run and ends with status 3 if that went well; exit: ends with exit(3); return: its main
//          returns 3 (not beside)
//
// Prints "child: N", its status, and "went well" when the parent's own runs have.
#include <pure/pure.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace {

void run() {
  pure::run(2, [](pure::comm world) {
    for (int round = 0; round < 100; ++round) {
      if (world.all_reduce(1, std::plus<>()) != world.size()) std::abort();
    }
  });
}

enum class side { parent, child };

side fork_and_say(const std::string& what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (what == "run") run();
    if (what != "return") std::exit(3);
    return side::child;
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
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
