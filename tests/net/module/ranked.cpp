// A module that a program loads which knows nothing of Pure, as interpreters load theirs: C functions over Pure.
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>

#include <vector>

extern "C" {

PURE_API int ranked_begin() { return pure_init(); }
PURE_API int ranked_end() { return pure_finalize(); }
PURE_API int ranked_rank() { return pure_rank(); }
PURE_API int ranked_size() { return pure_size(); }
PURE_API int ranked_sum(int term) {
  int sum = -1;
  return pure_allreduce(&term, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD) == PURE_SUCCESS ? sum : -1;
}
/// Sends so many numbers to the next rank, and returns the sum of those that come from the one before.
PURE_API long ranked_shift(int number, int count) {
  const int rank = pure_rank(), size = pure_size();
  const std::vector<int> sent(static_cast<std::size_t>(count), number);
  std::vector<int> got(sent.size());
  if (pure_sendrecv_msg(sent.data(), count, PURE_INT, (rank + 1) % size, 1, got.data(), count, PURE_INT,
                        (rank + size - 1) % size, 1, PURE_COMM_WORLD) != PURE_SUCCESS)
    return -1;
  long sum = 0;
  for (const int each : got) sum += each;
  return sum;
}

}  // extern "C"
