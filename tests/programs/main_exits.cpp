// For tests/errors/main_forms.sh: ranks that end by exit(0), one before the others have finished their work.
#include <pure.h>

#include <cstdio>
#include <cstdlib>

int main() {
  const int rank = pure_rank();
  if (rank == 0) std::atexit([] { std::puts("handlers run once"); });
  if (rank == 0) std::exit(EXIT_SUCCESS);
  int token = 0;  // goes round among the others: nobody has cut them off
  for (int lap = 0; lap < 1000; ++lap) {
    const int next = rank + 1 < pure_size() ? rank + 1 : 1;
    const int before = rank > 1 ? rank - 1 : pure_size() - 1;
    pure_sendrecv_msg(&rank, 1, PURE_INT, next, 0, &token, 1, PURE_INT, before, 0, PURE_COMM_WORLD);
    if (token != before) return 1;
  }
  std::printf("rank %d of %d\n", rank, pure_size());
  std::exit(0);
}
