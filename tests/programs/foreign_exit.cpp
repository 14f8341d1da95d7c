// For tests/errors and tests/net: the process is ended while ranks send messages round, by a thread that is no rank.
//
// usage: foreign_exit HOW STATUS       pure::run is on the main thread; another one ends the process: exit, quick_exit,
//                                      _exit, _Exit, err, errx, error, abort, throw, or handler, a signal handler that
//                                      calls _exit
//        foreign_exit host HOW STATUS  pure::run is on a thread; main ends the process so, or returns: main
// Of several processes, the one with the number PURETEST_PROCESS does so; without that, all.
// A destructor of a static object that runs under the ranks says so.
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>

#include <err.h>
#include <error.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/// What ranks use all the time, as a program's global tables are.
struct global_table {
  std::vector<int> numbers = std::vector<int>(1000, 1);
  ~global_table() {
    static_cast<void>(!write(STDERR_FILENO, "destroyed under the ranks\n", 26));
    numbers = {};
  }
};

std::atomic<bool> must_end{false};
std::atomic<bool> are_running{false};
int status_of_handler = 0;

void send_round(pure::comm world) {
  static global_table table;
  const int next = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
  for (int lap = 0; !must_end; ++lap) {
    const pure::request sending = world.isend(table.numbers, next, 1);
    if (world.recv<std::vector<int>>(before, 1).size() != 1000) std::abort();
    if (lap == 100) are_running = true;
  }
}

void end_by(const std::string& how, int status) {
  while (!are_running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (how == "exit") std::exit(status);
  if (how == "quick_exit") std::quick_exit(status);
  if (how == "_exit") _exit(status);
  if (how == "_Exit") std::_Exit(status);
  if (how == "err") err(status, "the text of err");
  if (how == "errx") errx(status, "the text of errx");
  if (how == "error") error(status, 0, "the text of error");
  if (how == "abort") std::abort();
  if (how == "throw") throw std::runtime_error("nobody catches this");
  if (how == "handler") {
    status_of_handler = status;
    signal(SIGUSR1, [](int) { _exit(status_of_handler); });
    kill(getpid(), SIGUSR1);
    for (;;) pause();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 77;
  const bool is_host = std::strcmp(argv[1], "host") == 0;
  const std::string how = argv[is_host ? 2 : 1];
  const int status = std::atoi(argv[is_host ? 3 : 2]);
  const char* const process = std::getenv("PURETEST_PROCESS");  // of several, the one whose thread it is
  const char* own = nullptr;
  for (const char* const name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PURE_PROCESS_NUMBER"}) {
    if (own == nullptr) own = std::getenv(name);
  }
  const bool is_here = process == nullptr || own == nullptr || std::strcmp(process, own) == 0;
  const auto run = [] { pure::run([](pure::comm world) { send_round(world); }); };
  if (!is_host) {
    if (is_here) std::thread([=] { end_by(how, status); }).detach();
    run();
    return 0;
  }
  std::thread ranks(run);
  if (!is_here) ranks.join();
  if (how == "main") {
    while (!are_running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ranks.detach();
    return status;
  }
  end_by(how, status);
  return 1;
}
