// What an atomic operation on another process's memory takes while the target computes, and while it waits: for
// purerun -n 2 -N 2, with PURE_WINDOW_TRANSPORT=messages, so that the memory is reached by messages as on another
// machine; with and without PURE_ASYNC_PROGRESS=off. rma_progress [SAMPLES]
//
// Rank 1 computes 20 ms at a time, between calls that look at the network. Rank 0 prints medians in microseconds.
#include <pure.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <fmt/core.h>

namespace {

using clock_type = std::chrono::steady_clock;
constexpr std::chrono::milliseconds computing(20);

double microseconds_since(clock_type::time_point start) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

void compute() {
  const auto until = clock_type::now() + computing;
  while (clock_type::now() < until) {
  }
}

/// Of rank 0; rank 1 computes meanwhile, or waits in a barrier.
double median_of_fetches(pure_win win, int samples, bool target_computes) {
  std::vector<double> all;
  for (int i = 0; i < samples; ++i) {
    pure_barrier(PURE_COMM_WORLD);
    if (pure_rank() == 0) {
      const std::int64_t one = 1;
      std::int64_t before = 0;
      const auto apart = clock_type::now() + std::chrono::milliseconds(2);
      while (clock_type::now() < apart) {  // the target has begun
      }
      const auto start = clock_type::now();
      pure_fetch_and_op(&one, &before, PURE_INT64_T, 1, 0, PURE_SUM, win);
      pure_win_flush(1, win);
      all.push_back(microseconds_since(start));
    } else if (target_computes) {
      compute();
    }
    pure_barrier(PURE_COMM_WORLD);
  }
  if (all.empty()) return 0;
  std::nth_element(all.begin(), all.begin() + samples / 2, all.end());
  return all[static_cast<std::size_t>(samples) / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::max(1, std::atoi(argv[1])) : 50;
  if (pure_size() != 2) {
    fmt::print(stderr, "rma_progress: start it with 2 ranks in 2 processes\n");
    return 2;
  }
  std::int64_t* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_win_allocate(8, 8, PURE_INFO_NULL, PURE_COMM_WORLD, &base, &win);
  pure_win_lock_all(0, win);
  const double waiting = median_of_fetches(win, samples, false), busy = median_of_fetches(win, samples, true);
  pure_win_unlock_all(win);
  const bool is_right = pure_rank() == 0 || *base == 2 * samples;
  if (!is_right) fmt::print(stderr, "rma_progress: the sum is {}, not {}\n", *base, 2 * samples);
  if (pure_rank() == 0) fmt::print("target waits {:.1f} us, computes {:.1f} us\n", waiting, busy);
  pure_win_free(&win);
  return is_right ? 0 : 1;
}
