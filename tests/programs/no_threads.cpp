// For tests/errors/no_threads.sh: a system that gives no more threads. This program's pthread_create, which everybody
// in the process gets, fails from the Nth call on (FAIL_FROM=N), or at that one alone (FAIL_AT=N); without them it
// counts.
//
//   no_threads WHAT
//
//   work, exit_3, throw, deadlock, abort: what rank 0 does, while the others wait for it, or exchange messages with it
//   stuck: rank 1 has the lock of stdout for ever, and rank 0 calls exit(3)
#include <pure.h>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

std::atomic<int> calls{0};

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

bool is_refused(int call) {
  const int from = number_in("FAIL_FROM");
  return (from != 0 && call >= from) || call == number_in("FAIL_AT");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*start)(void*), void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
  return is_refused(++calls) ? EAGAIN : real(thread, attributes, start, argument);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int rank = pure_rank();
  int sum = 0;
  pure_allreduce(&rank, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD);
  if (sum != pure_size() * (pure_size() - 1) / 2) return 77;
  if (rank == 1 && what == "stuck") {
    flockfile(stdout);
    pure_barrier(PURE_COMM_WORLD);
    for (;;) asm volatile("");
  }
  pure_barrier(PURE_COMM_WORLD);
  if (rank == 0) {
    if (what != "stuck") std::puts("last words");
    if (what == "exit_3" || what == "stuck") std::exit(3);
    if (what == "throw") throw std::runtime_error("my cause");
    if (what == "abort") pure_abort(5);
  }
  int never = 0;
  if (what != "work") pure_recv_msg(&never, 1, PURE_INT, 0, 1, PURE_COMM_WORLD);
  if (rank == 0) std::printf("%d threads\n", calls.load());
  return 0;
}
