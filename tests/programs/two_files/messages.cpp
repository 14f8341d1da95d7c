// For tests/errors/main_forms.sh: the part of the program that includes pure.h.
#include <pure.h>

#include <cstdio>

int say_who_i_am() {
  const int rank = pure_rank(), last = pure_size() - 1;
  int other = -1;
  pure_sendrecv_msg(&rank, 1, PURE_INT, last - rank, 0, &other, 1, PURE_INT, last - rank, 0, PURE_COMM_WORLD);
  if (other != last - rank) return 1;
  std::printf("rank %d of %d\n", rank, pure_size());
  return 0;
}
