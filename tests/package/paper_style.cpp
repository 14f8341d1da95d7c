// A user's program in the paper's style: every rank runs main(), and passes a token once around.
#include <pure.h>

#include <cstdio>

static_assert(__cplusplus < 202002L);  // nothing has asked for more than pure.h needs

int main() {
  const int rank = pure_rank();
  const int size = pure_size();
  int sum = rank;
  if (rank > 0) {
    int before = 0;
    pure_recv_msg(&before, 1, PURE_INT, rank - 1, 0, PURE_COMM_WORLD);
    sum += before;
  }
  if (rank + 1 < size) {
    pure_send_msg(&sum, 1, PURE_INT, rank + 1, 0, PURE_COMM_WORLD);
  } else {
    std::printf("%d ranks, sum %d\n", size, sum);
  }
  return 0;
}
