// For tests/errors: one wrong call, or one wrong end, of a program whose main is run by every rank.
//
// usage: bad_call WHAT. What the library then says, and how the process ends, is in the scripts.
#include <pure.h>

#include <alloca.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

int* volatile nowhere = reinterpret_cast<int*>(16);  // compilers do not know where it points

constexpr pure_comm world = PURE_COMM_WORLD;
int x[4] = {};
thread_local std::vector<char> large(300'000);

int other() { return pure_size() - 1 - pure_rank(); }
void receive_from(int source) { pure_recv_msg(large.data(), 4, PURE_CHAR, source, 3, world); }

void throw_bad_alloc() { throw std::bad_alloc(); }

/// By a thread that is no rank.
template <class Function>
void on_a_thread(Function function) {
  std::thread(function).detach();
  receive_from(0);
}

/// What the ranks do that are not to blame.
void wait_for_ever() { receive_from(1); }
void compute_for_ever() {
  for (;;) asm volatile("");  // not even a compiler knows that it does nothing
}

int overflow(int depth);
int (*volatile deeper)(int) = overflow;  // a call that compilers do not see through
int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return deeper(depth + 1) + frame[0];
}

void take_all_descriptors() {
  while (dup(STDERR_FILENO) >= 0) {
  }
}

pure_request foreign = PURE_REQUEST_NULL;

struct bad_call {
  const char* name;
  void (*by_rank_1)();
  void (*by_others)() = wait_for_ever;
};

constexpr bad_call calls[] = {
    {"rank", [] { pure_send_msg(x, 1, PURE_INT, 99, 0, world); }},
    {"rank_of_receive", [] { pure_recv_msg(x, 1, PURE_INT, -7, 0, world); }},
    {"tag", [] { pure_send_msg(x, 1, PURE_INT, 0, -5, world); }},
    {"count", [] { pure_send_msg(x, -2, PURE_INT, 0, 0, world); }},
    {"buffer", [] { pure_send_msg(nullptr, 4, PURE_INT, 0, 0, world); }},
    {"type", [] { pure_send_msg(x, 1, static_cast<pure_datatype>(99), 0, 0, world); }},
    {"comm", [] { pure_send_msg(x, 1, PURE_INT, 0, 0, PURE_COMM_NULL); }},
    {"truncated", [] { pure_recv_msg(x, 2, PURE_INT, 0, 3, world); },
     [] { pure_send_msg(x, 4, PURE_INT, 1, 3, world), wait_for_ever(); }},
    {"truncated_large", [] { pure_recv_msg(x, 2, PURE_INT, 0, 3, world); },
     [] { pure_send_msg(large.data(), 300'000, PURE_CHAR, 1, 3, world), wait_for_ever(); }},
    {"freed",
     [] {
       pure_request request, copy;
       pure_irecv_msg(x, 1, PURE_INT, 1, 3, world, &request);
       copy = request;
       pure_send_msg(x, 1, PURE_INT, 1, 3, world);
       pure_wait(&request);
       pure_wait(&copy);
     }},
    {"foreign",
     [] {
       receive_from(0);
       pure_wait(&foreign);
     },
     [] {
       if (pure_rank() == 0) pure_irecv_msg(x, 1, PURE_INT, 0, 9, world, &foreign);
       if (pure_rank() == 0) pure_send_msg(large.data(), 4, PURE_CHAR, 1, 3, world);
       wait_for_ever();
     }},
    {"invented", [] { foreign = static_cast<pure_request>(4711), pure_wait(&foreign); }},

    {"deadlock", [] { receive_from(other()); }, [] { receive_from(other()); }},
    {"deadlock_with_one_that_has_returned", [] {}},
    {"deadlock_without_descriptors", [] { take_all_descriptors(), receive_from(other()); },
     [] { take_all_descriptors(), receive_from(other()); }},
    {"deadlock_of_sends", [] { pure_send_msg(large.data(), 300'000, PURE_CHAR, other(), 7, world); },
     [] { pure_send_msg(large.data(), 300'000, PURE_CHAR, other(), 7, world); }},
    {"deadlock_with_one_that_has_exited", [] { std::exit(0); }},

    {"throw", [] { throw std::runtime_error("my cause"); }},
    {"throw_while_others_compute", [] { throw std::runtime_error("my cause"); }, compute_for_ever},
    {"throw_something", [] { throw 42; }},
    {"throw_everywhere", [] { throw std::runtime_error("my cause"); }, [] { throw std::runtime_error("my cause"); }},
    {"exit_3", [] { std::exit(3); }},
    {"exit_3_while_others_compute", [] { std::exit(3); }, compute_for_ever},
    {"exit_3_everywhere", [] { std::exit(3); }, [] { std::exit(3); }},
    {"_exit_0", [] { _exit(0); }},
    {"_exit_4", [] { _exit(4); }, compute_for_ever},
    {"_exit_4_everywhere", [] { _exit(4); }, [] { _exit(4); }},
    {"_Exit_5", [] { std::_Exit(5); }},
    {"quick_exit_6", [] { std::quick_exit(6); }},
    {"pure_abort_7", [] { pure_abort(7); }},
    {"pure_abort_0", [] { pure_abort(0); }, compute_for_ever},
    {"pure_abort_everywhere", [] { pure_abort(7); }, [] { pure_abort(7); }},
    {"abort", [] { std::abort(); }},
    {"segv", [] { *nowhere = 1; }},
    {"segv_while_others_compute", [] { *nowhere = 1; }, compute_for_ever},
    {"segv_everywhere", [] { *nowhere = 1; }, [] { *nowhere = 1; }},
    {"large_array",
     [] {
       auto* const room = static_cast<volatile char*>(alloca(std::size_t{1} << 36));
       room[0] = 1;
     }},
    {"sent_segv", [] { raise(SIGSEGV); }},
    {"overflow", [] { x[0] = overflow(0); }},

    {"no_memory", [] { throw std::bad_alloc(); }},
    {"no_memory_in_noexcept", []() noexcept { throw_bad_alloc(); }},
    {"exit_256", [] { std::exit(256); }},
    {"_exit_256", [] { _exit(256); }},
    {"_Exit_m256", [] { std::_Exit(-256); }},
    {"quick_exit_512", [] { std::quick_exit(512); }},
    {"pure_abort_256", [] { pure_abort(256); }},
    {"thread_exits_3", [] { on_a_thread([] { std::exit(3); }); }},
    {"thread_exits_0", [] { on_a_thread([] { std::exit(0); }); }},
    {"thread_exits_256", [] { on_a_thread([] { std::exit(256); }); }},
    {"thread_quick_exits_0", [] { on_a_thread([] { std::quick_exit(0); }); }},
    {"thread__exits_0", [] { on_a_thread([] { _exit(0); }); }},
    {"thread_pure_aborts_256", [] { on_a_thread([] { pure_abort(256); }); }},

    {"print_and_throw", [] { std::puts("last words"), throw std::runtime_error("my cause"); }},
    {"print_and_exit_3", [] { std::puts("last words"), std::exit(3); }},
    {"print_and_deadlock", [] { std::puts("last words"); }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const bad_call& each : calls) {
    if (argc > 1 && std::strcmp(argv[1], each.name) == 0) {
      pure_rank() == 1 ? each.by_rank_1() : each.by_others();
      return 0;
    }
  }
  if (argc > 1 && std::strcmp(argv[1], "return_9") == 0) return pure_rank() == 1 ? 9 : 0;
  if (argc > 1 && std::strcmp(argv[1], "return_256") == 0) return pure_rank() == 1 ? 256 : 0;
  std::puts("bad_call WHAT");
  return 77;
}
