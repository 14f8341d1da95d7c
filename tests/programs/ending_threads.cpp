// For tests/errors/ending_threads.sh: threads that end as no rank may: ending_threads WHAT.
#include <pure.h>

#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include <pure/parallel.hpp>

namespace {

pthread_t thread_of_rank_0;
std::atomic<bool> is_known{false};

void wait_for_ever() {
  int never = 0;
  pure_recv_msg(&never, 1, PURE_INT, 1, 3, PURE_COMM_WORLD);
}

/// By whoever takes a chunk.
void in_chunks(void (*act)()) {
  pure::parallel_for(
      0, 1000, [&](int) { act(); }, pure::chunk_size(1));
}

void be_cancelled() {
  if (pure_rank() == 0) {
    thread_of_rank_0 = pthread_self();
    is_known = true;
  }
  wait_for_ever();
}

pthread_t rank_0() {
  while (!is_known) usleep(100);
  return thread_of_rank_0;
}

struct end {
  const char* name;
  void (*by_rank_1)();
  void (*by_rank_0)() = wait_for_ever;
};
constexpr end ends[] = {
    {"pthread_exit", [] { pthread_exit(nullptr); }},
    {"thrd_exit", [] { thrd_exit(0); }},
    {"pthread_exit_in_chunk", [] { in_chunks([] { pthread_exit(nullptr); }); }},
    {"pthread_exit_everywhere", [] { pthread_exit(nullptr); }, [] { pthread_exit(nullptr); }},
    {"cancel_self", [] { pthread_cancel(pthread_self()); }},
    {"cancel_other", [] { pthread_cancel(rank_0()); }, be_cancelled},
    {"cancel_by_thread", [] { std::thread([] { pthread_cancel(rank_0()); }).join(); }, be_cancelled},
    {"pthread_exit_of_thief", [] {},
     [] {
       static const pthread_t owner = pthread_self();
       in_chunks([] {
         if (pthread_equal(owner, pthread_self()) == 0) pthread_exit(nullptr);
         usleep(1000);
       });
     }},
    // What is libc's.
    {"own_thread",
     [] {
       pthread_t thread;
       pthread_create(
           &thread, nullptr, [](void*) -> void* { pthread_exit(nullptr); }, nullptr);
       pthread_join(thread, nullptr);
       pthread_create(
           &thread, nullptr,
           [](void*) -> void* {
             for (;;) pause();
           },
           nullptr);
       pthread_cancel(thread);
       void* result = nullptr;
       pthread_join(thread, &result);
       if (result == PTHREAD_CANCELED) std::puts("went well");
     },
     [] {}},
};

}  // namespace

int main(int argc, char** argv) {
  for (const end& each : ends) {
    if (argc > 1 && std::strcmp(argv[1], each.name) == 0) {
      pure_rank() == 1 ? each.by_rank_1() : each.by_rank_0();
      return 0;
    }
  }
  return 77;
}
