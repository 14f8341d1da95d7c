// For tests/errors/purerun_signals.sh and tests/net/ends.sh: a program that waits for signals. Its first rank says
// "ready PID".
//
// usage: interrupted default | finishes | ignores
//   finishes: half a second after the first SIGINT it says how many it has got, and ends in order
//   ignores:  SIGINT and SIGTERM
#include <pure.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include <unistd.h>

namespace {

volatile std::sig_atomic_t signals = 0;

void rest(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (pure_rank() == 0) {
    if (std::strcmp(mode, "finishes") == 0) std::signal(SIGINT, [](int) { signals = signals + 1; });
    if (std::strcmp(mode, "ignores") == 0) std::signal(SIGINT, SIG_IGN), std::signal(SIGTERM, SIG_IGN);
    std::printf("ready %d\n", static_cast<int>(getpid()));
    std::fflush(stdout);
    while (signals == 0) rest(10);
    rest(500);
    std::printf("signals: %d\n", static_cast<int>(signals));
  }
  pure_barrier(PURE_COMM_WORLD);
  return 0;
}
