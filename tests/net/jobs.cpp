// Whole jobs of several processes: jobs MODE
//
//   hello     every rank says which it is, of how many
//   fail N    rank N makes an error, while the others wait for it
//   exit N    rank N calls exit(3), likewise
//   crash N   rank N crashes
//   ring      messages go round for ever; for those who end a process from outside
//   obedient  reductions until a process has got SIGUSR1; then all end well
//   silent    rank 0 computes for a second and makes no call; the others wait at the end of their mains
//   cancel    rank 0 takes back messages, of several sizes and modes, that the last rank has not received
//   absent FILE MS
//             the last rank has posted a receive of 4 MB and computes, without a call, until FILE is there or the time
//             is over; rank 0 makes FILE when it has sent
//   tasks     loops whose chunks are stolen by ranks that wait for other processes, and in no other process
//   many [N]  10,000 messages to and fro, or N
//   starts COMMAND
//             the last rank starts the command, by system(), while the others wait for it; all end with its status
//   large_and_short
//             the last rank, whose process may have 48 MiB more, receives 4 bytes of a message of 256 MiB
//   halves    the ranks of each process reduce among themselves; the first of them, over all processes
#include <pure.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <pure/parallel.hpp>

namespace {

int receive_for_ever() {
  int never = 0;
  pure_recv_msg(&never, 1, PURE_INT, PURE_ANY_SOURCE, 1, PURE_COMM_WORLD);
  return never;
}

int ring() {
  const int rank = pure_rank(), size = pure_size();
  long count = 0;
  for (;; ++count) {
    long from_left = 0;
    pure_sendrecv_msg(&count, 1, PURE_LONG, (rank + 1) % size, 0, &from_left, 1, PURE_LONG, (rank + size - 1) % size, 0,
                      PURE_COMM_WORLD);
    if (from_left != count) return 1;
    if (count == 100) {
      std::printf("rank %d is in process %d\n", rank, static_cast<int>(getpid()));
      std::fflush(stdout);
    }
  }
}

volatile std::sig_atomic_t is_asked_to_end = 0;

int obedient() {
  std::signal(SIGUSR1, [](int) { is_asked_to_end = 1; });
  pure_barrier(PURE_COMM_WORLD);  // every process has its handler
  std::printf("process %d is %d\n", pure_rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  int is_end = 0;
  while (is_end == 0) {
    const int here = is_asked_to_end;
    pure_allreduce(&here, &is_end, 1, PURE_INT, PURE_MAX, PURE_COMM_WORLD);
  }
  return 0;
}

int halves() {
  pure_comm here = PURE_COMM_NULL, firsts = PURE_COMM_NULL;
  pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_PROCESS, 0, &here);
  int rank_here = 0;
  pure_comm_rank(here, &rank_here);
  pure_comm_split(PURE_COMM_WORLD, rank_here == 0 ? 0 : PURE_UNDEFINED, 0, &firsts);
  long mine = pure_rank(), sum = 0, total = 0;
  pure_reduce(&mine, &sum, 1, PURE_LONG, PURE_SUM, 0, here);
  if (rank_here == 0) {
    int parts = 0;
    pure_comm_size(firsts, &parts);
    pure_allreduce(&sum, &total, 1, PURE_LONG, PURE_SUM, firsts);
    std::printf("%ld in %d processes\n", total, parts);
  }
  return 0;
}

/// What rank 0 has got back nobody receives; what has been received it does not get back.
int cancel() {
  const int rank = pure_rank(), last = pure_size() - 1;
  int wrong = 0;
  for (const int bytes : {8, 4000, 100'000}) {
    std::vector<char> data(static_cast<std::size_t>(bytes), 'x');
    pure_request late = PURE_REQUEST_NULL, received = PURE_REQUEST_NULL;
    pure_status status{};
    int flag = 0;
    if (rank == 0) {
      pure_issend_msg(data.data(), bytes, PURE_CHAR, last, 1, PURE_COMM_WORLD, &late);
      pure_issend_msg(data.data(), bytes, PURE_CHAR, last, 2, PURE_COMM_WORLD, &received);
    }
    if (rank == last) {
      pure_probe(0, 1, PURE_COMM_WORLD, &status);  // both have arrived
      pure_recv_msg(data.data(), bytes, PURE_CHAR, 0, 2, PURE_COMM_WORLD);
    }
    pure_barrier(PURE_COMM_WORLD);
    if (rank == 0) {
      usleep(2000);  // so that a progress thread, if there is one, has taken in what nobody has asked for
      pure_cancel(&late);
      pure_cancel(&received);
      pure_wait(&late, &status);
      pure_test_cancelled(&status, &flag);
      wrong += flag == 1 ? 0 : 1;
      pure_wait(&received, &status);
      pure_test_cancelled(&status, &flag);
      wrong += flag == 0 ? 0 : 1;
    }
    pure_barrier(PURE_COMM_WORLD);
    if (rank == last) {
      pure_iprobe(PURE_ANY_SOURCE, PURE_ANY_TAG, PURE_COMM_WORLD, &flag);
      wrong += flag == 0 ? 0 : 1;
    }
    pure_barrier(PURE_COMM_WORLD);  // the next messages come after that look
  }
  if (wrong != 0) std::fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
  return wrong == 0 ? 0 : 1;
}

void busy_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// A loop of 10 ms. How many of its chunks other threads than the caller's have executed.
int stolen_chunks() {
  const auto own = std::this_thread::get_id();
  std::atomic<int> stolen = 0;
  std::vector<int> times_done(100);
  pure::parallel_for(times_done.size(), [&](std::size_t i) {
    busy_for(std::chrono::microseconds(100));
    ++times_done[i];
    if (std::this_thread::get_id() != own) ++stolen;
  });
  for (const int times : times_done) {
    if (times != 1) std::printf("an iteration was done %d times\n", times);
  }
  return stolen;
}

/// Rank 0 computes; the others wait for what the last one says, which is in another process, when rank 0 has told it.
int tasks() {
  const int rank = pure_rank(), last = pure_size() - 1;
  int done = 0, ranks_here = 0;
  pure_comm here;
  pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_PROCESS, 0, &here);
  pure_comm_size(here, &ranks_here);
  if (rank == 0) {
    int stolen = 0;
    for (int loops = 0; loops < 1000 && (loops == 0 || (ranks_here > 1 && stolen == 0)); ++loops) {
      stolen += stolen_chunks();
    }
    if ((stolen > 0) != (ranks_here > 1)) std::printf("%d ranks here, %d chunks stolen\n", ranks_here, stolen);
    pure_send_msg(&done, 1, PURE_INT, last, 0, PURE_COMM_WORLD);
  } else if (rank == last) {
    pure_recv_msg(&done, 1, PURE_INT, 0, 0, PURE_COMM_WORLD);
    for (int to = 1; to < last; ++to) pure_send_msg(&done, 1, PURE_INT, to, 0, PURE_COMM_WORLD);
  } else {
    pure_recv_msg(&done, 1, PURE_INT, last, 0, PURE_COMM_WORLD);
  }
  // All at once, and each result over all processes.
  std::vector<double> squares(1000);
  pure::parallel_for(squares.size(), [&](std::size_t i) { squares[i] = static_cast<double>(i * i) * (rank + 1); });
  double sum = std::accumulate(squares.begin(), squares.end(), 0.0), all = 0;
  pure_allreduce(&sum, &all, 1, PURE_DOUBLE, PURE_SUM, PURE_COMM_WORLD);
  const double expected = 332'833'500.0 * (last + 1) * (last + 2) / 2;
  if (all != expected) std::printf("rank %d: the sum is %.17g, not %.17g\n", rank, all, expected);
  std::printf("rank %d of %d\n", rank, pure_size());
  return 0;
}

int many(int messages) {
  const int rank = pure_rank(), size = pure_size();
  int here = rank, there = 0;
  for (int i = 0; i < messages; ++i) {
    pure_sendrecv_msg(&here, 1, PURE_INT, (rank + 1) % size, 0, &there, 1, PURE_INT, (rank + size - 1) % size, 0,
                      PURE_COMM_WORLD);
  }
  return 0;
}

int starts(const char* command) {
  int status = 0;
  const int last = pure_size() - 1;
  if (pure_rank() == last) status = std::system(command);
  pure_bcast(&status, 1, PURE_INT, last, PURE_COMM_WORLD);
  if (pure_rank() == 0) std::printf("started, as one of %d ranks: %d\n", pure_size(), status);
  return status == 0 ? 0 : 1;
}

int large_and_short() {
  constexpr long mebibyte = 1 << 20;
  if (pure_rank() == 0) {
    const std::vector<char> large(256 * mebibyte);
    pure_send_msg(large.data(), static_cast<long>(large.size()), PURE_CHAR, pure_size() - 1, 7, PURE_COMM_WORLD);
  } else if (pure_rank() == pure_size() - 1) {
    long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%ld", &pages) != 1) return 2;
    std::fclose(file);
    // Less than the 64 MiB of addresses that glibc reserves for the heap of one more thread: with just those, one thread had
    // them all, and another's thread-local data found none (glibc ends the process by itself there, with 127).
    const auto limit = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + 48 * mebibyte);
    const rlimit both{limit, limit};
    setrlimit(RLIMIT_AS, &both);
    char few[4];
    pure_recv_msg(few, 4, PURE_CHAR, 0, 7, PURE_COMM_WORLD);
  }
  return 0;
}

/// The last rank says whether the message could be sent while it computed.
int absent(const char* path, int limit_ms) {
  using clock = std::chrono::steady_clock;
  const int rank = pure_rank(), last = pure_size() - 1;
  constexpr int count = 500'000;
  std::vector<double> data(count, -1.0);
  char ready = 0;
  if (rank == last) {
    pure_request receive = PURE_REQUEST_NULL;
    pure_irecv_msg(data.data(), count, PURE_DOUBLE, 0, 1, PURE_COMM_WORLD, &receive);
    pure_send_msg(&ready, 1, PURE_CHAR, 0, 2, PURE_COMM_WORLD);
    const auto end = clock::now() + std::chrono::milliseconds(limit_ms);
    bool is_sent = false;
    while (!is_sent && clock::now() < end) is_sent = access(path, F_OK) == 0;
    std::printf("%s while the receiver computed\n", is_sent ? "sent" : "not sent");
    pure_wait(&receive);
    for (int i = 0; i < count; ++i) {
      if (data[static_cast<std::size_t>(i)] != i) return 1;
    }
  } else if (rank == 0) {
    for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = i;
    pure_recv_msg(&ready, 1, PURE_CHAR, last, 2, PURE_COMM_WORLD);
    pure_send_msg(data.data(), count, PURE_DOUBLE, last, 1, PURE_COMM_WORLD);
    std::FILE* const made = std::fopen(path, "w");
    if (made == nullptr) return 1;
    std::fclose(made);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  const int chosen = argc > 2 ? std::atoi(argv[2]) : 0;
  const bool is_chosen = pure_rank() == chosen;
  if (std::strcmp(mode, "hello") == 0) {
    std::printf("rank %d of %d\n", pure_rank(), pure_size());
    return 0;
  }
  if (std::strcmp(mode, "fail") == 0) {
    if (is_chosen) pure_send_msg(&chosen, 1, PURE_INT, pure_size(), 0, PURE_COMM_WORLD);
    return receive_for_ever();
  }
  if (std::strcmp(mode, "exit") == 0) {
    if (is_chosen) std::exit(3);
    return receive_for_ever();
  }
  if (std::strcmp(mode, "crash") == 0) {
    if (is_chosen) std::abort();
    return receive_for_ever();
  }
  if (std::strcmp(mode, "returns") == 0) return is_chosen ? 7 : 0;
  if (std::strcmp(mode, "killed") == 0) {
    if (is_chosen) std::raise(SIGKILL);
    return receive_for_ever();
  }
  if (std::strcmp(mode, "ring") == 0) return ring();
  if (std::strcmp(mode, "obedient") == 0) return obedient();
  if (std::strcmp(mode, "silent") == 0) {
    const std::clock_t began = std::clock();
    while (pure_rank() == 0 && std::clock() - began < CLOCKS_PER_SEC) {
    }
    return 0;
  }
  if (std::strcmp(mode, "halves") == 0) return halves();
  if (std::strcmp(mode, "cancel") == 0) return cancel();
  if (std::strcmp(mode, "tasks") == 0) return tasks();
  if (std::strcmp(mode, "many") == 0) return many(argc > 2 ? chosen : 10'000);
  if (std::strcmp(mode, "large_and_short") == 0) return large_and_short();
  if (std::strcmp(mode, "starts") == 0 && argc == 3) return starts(argv[2]);
  if (std::strcmp(mode, "absent") == 0 && argc == 4) return absent(argv[2], std::atoi(argv[3]));
  std::fprintf(stderr, "jobs: no mode %s\n", mode);
  return 2;
}
