// For tests/errors: what ends pure::run badly, in the typed interface, with a main of its own.
//
// usage: bad_run WHAT. What the library then says, and how the process ends, is in the scripts.
#include <pure/pure.hpp>

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int* volatile nowhere = reinterpret_cast<int*>(16);  // compilers do not know where it points

using pure::comm;

void wait_for_ever(comm world) { (void)world.recv<int>(1, 3); }
void compute_for_ever(comm) {
  for (;;) asm volatile("");  // not even a compiler knows that it does nothing
}
void sleep_for_ever(comm) { std::this_thread::sleep_for(std::chrono::hours(1)); }

struct bad_run {
  const char* name;
  void (*by_rank_1)(comm world);
  void (*by_others)(comm world) = wait_for_ever;
};

constexpr bad_run runs[] = {
    {"rank", [](comm world) { world.send(1, 99); }},
    {"tag", [](comm world) { world.send(1, 0, -5); }},
    {"truncated", [](comm world) { (void)world.recv<int>(0, 3); },
     [](comm world) { world.send(std::vector<int>(4), 1, 3), wait_for_ever(world); }},
    {"short", [](comm world) { (void)world.recv<double>(0, 3); },
     [](comm world) { world.send('x', 1, 3), wait_for_ever(world); }},
    {"deadlock", [](comm world) { (void)world.recv<int>(world.size() - 2, 17); },
     [](comm world) { (void)world.recv<int>((world.rank() + 1) % world.size(), 17); }},
    {"deadlock_with_one_that_has_returned", [](comm) {}},
    {"throw", [](comm) { throw std::runtime_error("my cause"); }},
    {"throw_something", [](comm) { throw 42; }},
    {"throw_everywhere", [](comm) { throw std::runtime_error("my cause"); },
     [](comm) { throw std::runtime_error("my cause"); }},
    {"throw_while_others_compute", [](comm) { throw std::runtime_error("my cause"); }, compute_for_ever},
    {"throw_while_others_sleep", [](comm) { throw std::runtime_error("my cause"); }, sleep_for_ever},
    {"throw_with_a_pending_send",
     [](comm world) {
       const std::vector<char> large(1'000'000);
       const pure::request sending = world.isend(large, 0);
       throw std::runtime_error("my cause");
     }},
    {"exit_3", [](comm) { std::exit(3); }},
    {"exit_0", [](comm) { std::exit(0); }},
    {"exit_256", [](comm) { std::exit(256); }},
    {"exit_3_everywhere", [](comm) { std::exit(3); }, [](comm) { std::exit(3); }},
    {"abort", [](comm) { std::abort(); }},
    {"pthread_exit", [](comm) { pthread_exit(nullptr); }},
    {"segv", [](comm) { *nowhere = 1; }},
    {"nested", [](comm) { pure::run(2, [] {}); }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const bad_run& each : runs) {
    if (argc > 1 && std::strcmp(argv[1], each.name) == 0) {
      return pure::run(argc, argv,
                       [&](comm world) { world.rank() == 1 ? each.by_rank_1(world) : each.by_others(world); });
    }
  }
  if (argc > 1 && std::strcmp(argv[1], "return_512") == 0) return pure::run(argc, argv, [] { return 512; });
  std::puts("bad_run WHAT");
  return 77;
}
