// A program whose main runs already when it starts its rank (pure_init), in one process or several: adopted MODE
//
//   right            all is as it should be, twice: the second begin follows the first end
//   again N          begins and ends N times; says how many descriptors and threads, and how much memory, it had after
//   a
//                    quarter of these, and at the end; more descriptors or threads is a failure, and so are 4 MiB more
//                    (malloc may take 2 MiB for a thread at any time)
//   returns STATUS   main returns without pure_finalize, in process 0; the others wait for its messages
//   exits STATUS     likewise, by exit()
//   _exits STATUS    likewise, by _exit()
//   leaves           likewise, by pthread_exit
//   thread_returns   the rank is a thread that returns without pure_finalize; then main returns
//   forks            children are no ranks: what they call is refused, and how they end is nobody's affair
//   forks_FUNCTION   likewise: a child calls it
//   begins_twice     pure_init of a rank is refused; the rank stays
//   on_thread        the rank is another thread than main's
//   begins_beside    another thread calls pure_init, too
//   ends_beside      another thread calls pure_finalize
//   calls_after_end  a call after pure_finalize
//   ends_twice       a second pure_finalize
//   waits            every rank waits for ever
//   waits_beside     likewise, while a thread that was there before the rank sleeps, and ends the process after 3 s
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "adopted: wrong: %s: %s\n", what, pure_last_error());
  _exit(99);
}
void require(bool is_right, const char* what) {
  if (!is_right) fail(what);
}

/// Short and long messages go round.
void exchange() {
  const int rank = pure_rank(), size = pure_size();
  for (const int count : {1, 1000, 100'000}) {
    const std::vector<int> sent(static_cast<std::size_t>(count), rank + count);
    std::vector<int> got(sent.size());
    require(pure_sendrecv_msg(sent.data(), count, PURE_INT, (rank + 1) % size, 1, got.data(), count, PURE_INT,
                              (rank + size - 1) % size, 1, PURE_COMM_WORLD) == PURE_SUCCESS,
            "pure_sendrecv_msg");
    require(got == std::vector<int>(sent.size(), (rank + size - 1) % size + count), "what came");
  }
}

void begin() { require(pure_init() == PURE_SUCCESS, "pure_init"); }
void end() { require(pure_finalize() == PURE_SUCCESS, "pure_finalize"); }

void wait_for_ever() {
  int never = 0;
  pure_recv_msg(&never, 1, PURE_INT, PURE_ANY_SOURCE, 9, PURE_COMM_WORLD);
}

/// Process 0 goes on, the others wait for it.
void others_wait() {
  exchange();
  if (pure_rank() != 0) wait_for_ever();
}

void refused(int code, const char* part) {
  require(code == PURE_ERR_STATE, "it should be refused");
  if (std::strstr(pure_last_error(), part) == nullptr) fail(part);
}

void forks(const std::string& function) {
  begin();
  exchange();
  const pid_t child = fork();
  if (child == 0) {
    int token = 0;
    if (function == "send") pure_send_msg(&token, 1, PURE_INT, 0, 1, PURE_COMM_WORLD);
    if (function == "init") pure_init();
    if (function == "finalize") pure_finalize();
    std::exit(7);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child");
  require(WEXITSTATUS(status) == (function.empty() ? 7 : 1), "the child's status");
  exchange();
  end();
}

void begins_twice() {
  begin();
  pure_set_errhandler(PURE_ERRORS_RETURN);
  refused(pure_init(), "is a rank already");
  exchange();
  end();
}

void right() {
  for (int time = 0; time < 2; ++time) {
    begin();
    exchange();
    if (pure_rank() == 0) std::printf("right: %d ranks\n", pure_size());
    end();
  }
}

/// What this process has at the moment.
struct holdings {
  long descriptors = 0, threads = 0, kilobytes = 0;
};

long entries_of(const char* folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return std::distance(begin(all), std::filesystem::directory_iterator());
}

holdings look() {
  long all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return {entries_of("/proc/self/fd"), entries_of("/proc/self/task"), pages * (sysconf(_SC_PAGESIZE) / 1024)};
}

/// What malloc() keeps of the checks' memory (debug builds) has been 9 MB at one look, and 17 MB at another, after 50
/// starts as after 800.
constexpr long most_between_two_looks_kb = 12 * 1024;

int again(int times) {
  holdings early;
  const char* const process = std::getenv("PURE_PROCESS_NUMBER");
  for (int time = 1; time <= times; ++time) {
    begin();
    exchange();
    end();
    if (time == times / 4) early = look();
  }
  const holdings late = look();
  std::printf("process %s: %d times: descriptors %ld -> %ld, threads %ld -> %ld, memory %ld -> %ld KiB\n",
              process != nullptr ? process : "alone", times, early.descriptors, late.descriptors, early.threads,
              late.threads, early.kilobytes, late.kilobytes);
  return late.descriptors > early.descriptors || late.threads > early.threads ||
         late.kilobytes > early.kilobytes + most_between_two_looks_kb;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "right") {
    right();
  } else if (mode == "again") {
    return again(status);
  } else if (mode == "returns" || mode == "exits" || mode == "_exits" || mode == "leaves") {
    begin();
    others_wait();
    if (mode == "exits") std::exit(status);
    if (mode == "_exits") _exit(status);
    if (mode == "leaves") pthread_exit(nullptr);
    return status;
  } else if (mode == "thread_returns") {
    std::thread([] {
      begin();
      others_wait();
    }).join();
  } else if (mode.rfind("forks", 0) == 0) {
    forks(mode.size() > 6 ? mode.substr(6) : "");
  } else if (mode == "begins_twice") {
    begins_twice();
  } else if (mode == "on_thread") {
    std::thread(right).join();
  } else if (mode == "begins_beside" || mode == "ends_beside") {
    begin();
    std::thread([&] { mode == "ends_beside" ? pure_finalize() : pure_init(); }).join();
  } else if (mode == "calls_after_end" || mode == "ends_twice") {
    begin();
    end();
    int token = 0;
    mode == "ends_twice" ? pure_finalize() : pure_send_msg(&token, 1, PURE_INT, 0, 1, PURE_COMM_WORLD);
  } else if (mode == "waits") {
    begin();
    wait_for_ever();
  } else if (mode == "waits_beside") {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      std::exit(5);
    }).detach();
    begin();
    wait_for_ever();
  } else {
    return 77;
  }
  return 0;
}
