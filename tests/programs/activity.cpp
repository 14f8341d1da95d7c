// For tests/errors: known messages, collectives and tasks, for what --stats and --trace say of them; main is run by
// every rank.
//
// usage: activity WHAT. How many of what this must be is in the scripts.
#include <pure.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <pure/parallel.hpp>

namespace {

constexpr pure_comm world = PURE_COMM_WORLD;

void send(std::size_t bytes, int to, int tag = 0) {
  const std::vector<char> data(bytes, 'x');
  pure_send_msg(data.data(), static_cast<std::int64_t>(bytes), PURE_CHAR, to, tag, world);
}
void receive(std::size_t capacity, int from, int tag = 0) {
  std::vector<char> data(capacity);
  pure_recv_msg(data.data(), static_cast<std::int64_t>(capacity), PURE_CHAR, from, tag, world);
}
void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// Rank 0 sends 11 messages of 1 202 150 bytes to rank 1, and one of 8 bytes to itself; rank 1 sends 1 byte.
void messages() {
  if (pure_rank() == 0) {
    for (int i = 0; i < 3; ++i) send(50, 1);  // eager
    send(0, 1);
    send(200'000, 1);  // by rendezvous
    send(1'000'000, 1);
    for (int tag = 1; tag <= 4; ++tag) send(400, 1, tag);  // received in the other order: they are early
    send(400, 1, 5);
    char in[8], out[8] = {};
    pure_request request;
    pure_irecv_msg(in, 8, PURE_CHAR, 0, 9, world, &request);
    pure_send_msg(out, 8, PURE_CHAR, 0, 9, world);
    pure_wait(&request);
    receive(1, 1);
  } else if (pure_rank() == 1) {
    for (int i = 0; i < 2; ++i) receive(50, 0);
    receive(100, PURE_ANY_SOURCE, PURE_ANY_TAG);
    receive(0, 0);
    receive(200'000, PURE_ANY_SOURCE);
    receive(1'000'000, 0);
    for (int tag = 5; tag >= 1; --tag) receive(400, 0, tag);
    send(1, 0);
  }
}

/// 10 collectives.
void collectives() {
  int mine = 1, sum = 0;
  for (int i = 0; i < 3; ++i) pure_barrier(world);
  for (int i = 0; i < 2; ++i) pure_allreduce(&mine, &sum, 1, PURE_INT, PURE_SUM, world);
  pure_request request;
  pure_ibarrier(world, &request);
  pure_wait(&request);
  pure_barrier_init(world, &request);
  for (int i = 0; i < 4; ++i) {
    pure_start(&request);
    pure_wait(&request);
  }
  pure_request_free(&request);
}

/// Every rank executes 7 tasks.
void tasks() {
  std::vector<int> times(64, 0);
  PureTask task = [&](chunk_id_t chunk) {
    ++times[chunk];
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  };
  for (int rank = 0; rank < pure_size(); ++rank) {
    if (rank == pure_rank()) {
      for (int i = 0; i < 7; ++i) task.execute();
    }
    pure_barrier(world);
  }
}

/// With PURE_MAX_TASK_CHUNKS=2: rank 0 computes for 0.2 s, and both ranks do a chunk of 0.1 s.
void times() {
  if (pure_rank() == 0) {
    sleep_ms(200);
    std::atomic<int> begun{0};
    PureTask task = [&](chunk_id_t) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
      sleep_ms(100);
    };
    task.execute();
  }
  pure_barrier(world);
}

void many() {
  for (int i = 0; i < 1200; ++i) {
    pure_rank() == 0 ? send(8, 1) : receive(8, 0);
  }
}

/// Rank 0 is late twice, by 160 ms.
void late() {
  for (int i = 0; i < 2; ++i) {
    char in = 0;
    if (pure_rank() == 0) {
      sleep_ms(160);
      send(1, 1);
    } else if (pure_rank() == 1) {
      pure_recv_msg(&in, 1, PURE_CHAR, 0, 0, world);  //@ stats.late
    }
  }
}

/// 10 loops of rank 0, while the others wait.
void loops() {
  std::vector<int> times(1000, 0);
  for (int i = 0; i < 10 && pure_rank() == 0; ++i) {
    pure::parallel_for(times.size(), [&](std::size_t at) {
      ++times[at];
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    });
  }
  pure_barrier(world);
}

/// Computes for 0.4 s by the clock.
void busy() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  while (std::chrono::steady_clock::now() < end) continue;
}

/// A task of rank 0; the first of its chunks that runs on another thread does `what`.
template <class What>
void in_a_stolen_chunk(What what) {
  if (pure_rank() != 0) return;
  const std::thread::id owner = std::this_thread::get_id();
  std::atomic<bool> is_stolen{false};
  PureTask task = [&](chunk_id_t) {
    if (std::this_thread::get_id() == owner) {
      while (!is_stolen) std::this_thread::yield();
    } else if (!is_stolen.exchange(true)) {
      what();
    }
  };
  task.execute();
}

void deadlock() { receive(1, 1 - pure_rank()); }
void then_throw() {
  if (pure_rank() == 1) throw std::runtime_error("my cause");
  receive(1, 1);
}
void then_exit() {
  if (pure_rank() == 1) std::exit(3);
  receive(1, 1);
}

struct activity {
  const char* name;
  void (*work)();
};
constexpr activity all[] = {
    {"messages", messages},
    {"collectives", collectives},
    {"tasks", tasks},
    {"times", times},
    {"many", many},
    {"everything", [] { messages(), collectives(), tasks(); }},
    {"deadlock", [] { messages(), tasks(), deadlock(); }},
    {"throw", [] { messages(), tasks(), then_throw(); }},
    {"exit", [] { messages(), tasks(), then_exit(); }},
    {"exit_in_chunk", [] { in_a_stolen_chunk([] { std::exit(3); }); }},
    {"throw_in_chunk", [] { in_a_stolen_chunk([] { throw std::runtime_error("my cause"); }); }},
    {"crash_in_chunk", [] { in_a_stolen_chunk([] { std::abort(); }); }},
    {"send_in_chunk", [] { in_a_stolen_chunk([] { send(1, 0); }); }},
    {"late", late},
    {"loops", loops},
    {"busy", busy},
    {"stolen", [] { in_a_stolen_chunk([] {}); }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const activity& each : all) {
    if (argc > 1 && std::strcmp(argv[1], each.name) == 0) return each.work(), 0;
  }
  std::puts("activity WHAT");
  return 77;
}
