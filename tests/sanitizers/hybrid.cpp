// A correct hybrid program, C++17: each rank has two threads besides its own, which compute with it what OpenMP's
// would, and the rank's own thread communicates (MPI_THREAD_FUNNELED). ThreadSanitizer has nothing to report
// (threads.sh), but for the kind "early": there the last of the threads has not waited for the others when the rank
// sends what they write.
#include <pthread.h>
#include <pure.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 3;  // with the rank's own
constexpr int count = 3000;
constexpr int steps = 4;

struct team {
  std::vector<double> values = std::vector<double>(count);
  std::vector<double> from_left = std::vector<double>(count);
  pthread_barrier_t all;
};

void compute(team& t, int thread, int step) {
  for (int i = count * thread / threads; i < count * (thread + 1) / threads; ++i)
    t.values[i] = step + t.from_left[i] / 2;  //@ early
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_early = argc > 1 && std::strcmp(argv[1], "early") == 0;
  const int rank = pure_rank(), size = pure_size(), right = (rank + 1) % size, left = (rank + size - 1) % size;
  team t;
  pthread_barrier_init(&t.all, nullptr, threads);
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) {
    others.emplace_back([&t, thread, is_early] {
      for (int step = 0; step < steps; ++step) {
        compute(t, thread, step);
        if (!is_early) pthread_barrier_wait(&t.all);  // before the message
        pthread_barrier_wait(&t.all);                 // behind it
      }
    });
  }
  int wrong = 0;
  double expected = 0;
  for (int step = 0; step < steps; ++step) {
    compute(t, 0, step);
    if (!is_early) pthread_barrier_wait(&t.all);
    expected = step + expected / 2;
    std::vector<double> in(count);
    pure_sendrecv_msg(t.values.data(), count, PURE_DOUBLE, right, 0, in.data(), count, PURE_DOUBLE, left, 0,
                      PURE_COMM_WORLD, nullptr);
    PureTask take([&](chunk_id_t first, chunk_id_t last, std::optional<void*>) {
      const auto range = pure_aligned_idx_range<double>(in.size(), first, last);
      for (auto i = range.first; i <= range.second; ++i)
        t.from_left[static_cast<std::size_t>(i)] = in[static_cast<std::size_t>(i)];
    });
    take.execute();
    if (!is_early && (t.from_left.front() != expected || t.from_left.back() != expected)) ++wrong;
    pthread_barrier_wait(&t.all);
  }
  for (std::thread& other : others) other.join();
  pthread_barrier_destroy(&t.all);
  if (wrong != 0) std::printf("rank %d: %d wrong values\n", rank, wrong);
  return wrong;
}
