// For tests/net/own_ends.sh: ranks that stay in one state for ever, so that their processes can be ended in it:
// moments WHERE [WORD, by which its processes are found]
//
//   compute      no rank makes a call
//   receive      all wait for a message that never comes, but the last rank, which sleeps
//   payload      messages of 4 MB to and fro, which travel in pieces
//   collective   reductions
//   window       put and flush, in an epoch of all parts
//   finalize     the mains of process 0 have ended; the last rank sleeps in its own
//
// Each process says "process N is PID" when it is there. On SIGUSR2 a process leaves by _exit(3).
#include <pure.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <unistd.h>

namespace {

void say_where_it_is() {
  static thread_local bool has_said = false;
  if (has_said) return;
  has_said = true;
  // Not by the ranks' order: a process may have any of them.
  std::printf("process %s is %d\n", std::getenv("PURE_PROCESS_NUMBER"), static_cast<int>(getpid()));
  std::fflush(stdout);
}

void compute() {
  say_where_it_is();
  for (volatile bool is_over = false; !is_over;) {
  }
}

void sleep_for_ever() {
  for (;;) pause();
}

void receive() {
  say_where_it_is();
  int never = 0;
  if (pure_rank() == pure_size() - 1) sleep_for_ever();
  pure_recv_msg(&never, 1, PURE_INT, PURE_ANY_SOURCE, 1, PURE_COMM_WORLD);
}

void payload() {
  std::vector<char> out(4'000'000, 'x'), in(out.size());
  const int other = (pure_rank() + pure_size() / 2) % pure_size();  // of the other process
  for (;;) {
    pure_sendrecv_msg(out.data(), static_cast<std::int64_t>(out.size()), PURE_CHAR, other, 0, in.data(),
                      static_cast<std::int64_t>(in.size()), PURE_CHAR, other, 0, PURE_COMM_WORLD);
    say_where_it_is();
  }
}

void collective() {
  for (long mine = 1, all = 0;;) {
    pure_allreduce(&mine, &all, 1, PURE_LONG, PURE_SUM, PURE_COMM_WORLD);
    say_where_it_is();
  }
}

void window() {
  std::int64_t* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_win_allocate(64, 8, PURE_INFO_NULL, PURE_COMM_WORLD, &base, &win);
  pure_win_lock_all(0, win);
  for (std::int64_t value = 0;; ++value) {
    pure_put(&value, 1, PURE_INT64_T, (pure_rank() + pure_size() / 2) % pure_size(), 3, 1, PURE_INT64_T, win);
    pure_win_flush_all(win);
    say_where_it_is();
  }
}

void finalize() {
  say_where_it_is();
  if (pure_rank() == pure_size() - 1) sleep_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGUSR2, [](int) { _exit(3); });
  struct {
    const char* name;
    void (*stay)();
  } const states[] = {{"compute", compute},       {"receive", receive}, {"payload", payload},
                      {"collective", collective}, {"window", window},   {"finalize", finalize}};
  for (const auto& each : states) {
    if (argc < 2 || std::strcmp(argv[1], each.name) != 0) continue;
    each.stay();
    return 0;
  }
  std::fprintf(stderr, "moments: which state?\n");
  return 2;
}
