// A correct program of pure.h, C++17: main is run by every rank. ThreadSanitizer has nothing to report (threads.sh).
#include <pure.h>

#include <cstdio>
#include <optional>
#include <vector>

static std::vector<double> shared;  // of all ranks of the process: its first rank makes it, each writes its own element

int main() {
  const int rank = pure_rank(), size = pure_size(), right = (rank + 1) % size, left = (rank + size - 1) % size;
  int wrong = 0, rank_here = 0, ranks_here = 0;
  pure_comm here;
  pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_PROCESS, 0, PURE_INFO_NULL, &here);
  pure_comm_rank(here, &rank_here);
  pure_comm_size(here, &ranks_here);
  if (rank_here == 0) shared.assign(static_cast<std::size_t>(size), 0);
  pure_barrier(here);
  std::vector<double> values(4000), in(4000);
  pure_request both[2];
  pure_win window;
  double* part = nullptr;
  pure_win_allocate(8 * sizeof(double), sizeof(double), PURE_INFO_NULL, PURE_COMM_WORLD, &part, &window);
  for (int step = 0; step < 3; ++step) {
    shared[static_cast<std::size_t>(rank)] = rank + step;
    PureTask fill([&](chunk_id_t first, chunk_id_t last, std::optional<void*>) {
      const auto range = pure_aligned_idx_range<double>(values.size(), first, last);
      for (auto i = range.first; i <= range.second; ++i) {
        double value = step;
        for (int k = 0; k < (rank == 0 ? 1000 : 10); ++k) value += 1.0 / (1 + k + static_cast<double>(i));
        values[static_cast<std::size_t>(i)] = value;
      }
    });
    fill.execute();
    pure_irecv_msg(in.data(), 4000, PURE_DOUBLE, left, 0, PURE_COMM_WORLD, &both[0]);
    pure_isend_msg(values.data(), 4000, PURE_DOUBLE, right, 0, PURE_COMM_WORLD, &both[1]);
    pure_waitall(2, both);
    if (in.back() < step) ++wrong;
    // The left one's message has come behind its store, and it goes on when all have read.
    if (ranks_here == size && shared[static_cast<std::size_t>(left)] != left + step) ++wrong;

    pure_win_fence(0, window);
    const double mine = rank + step;
    pure_put(&mine, 1, PURE_DOUBLE, right, 0, 1, PURE_DOUBLE, window);
    pure_win_fence(0, window);
    if (part[0] != left + step) ++wrong;
    pure_win_lock_all(0, window);
    pure_accumulate(&mine, 1, PURE_DOUBLE, 0, 1, 1, PURE_DOUBLE, PURE_SUM, window);
    pure_win_flush(0, window);
    pure_win_unlock_all(window);

    double sum = 0;
    pure_allreduce(&mine, &sum, 1, PURE_DOUBLE, PURE_SUM, PURE_COMM_WORLD);
    if (sum != size * (size - 1) / 2.0 + size * step) ++wrong;
  }
  pure_win_free(&window);
  pure_comm_free(&here);
  if (wrong != 0) std::printf("rank %d: %d wrong values\n", rank, wrong);
  return wrong;
}
