// Ring with pure.h, the interface for programs that come from MPI (C++17): ring.cpp again, call by call as in
// mpi/ring.cpp. Every rank runs main(); there is no init and no finalize, and only the names differ.
//
//   purecxx -std=c++17 -O2 ring_pure_h.cpp -o ring_pure_h
//   purerun -n 4 ./ring_pure_h
//
// test: for n in 1 2 3 4 9; do purerun -n $n {} || exit; done
#include <pure.h>

#include <cstdio>

int main() {
  const int rank = pure_rank(), size = pure_size();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const int rounds = 3;

  long token = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) pure_recv_msg(&token, 1, PURE_LONG, left, 0, PURE_COMM_WORLD, PURE_STATUS_IGNORE);
    token += rank;
    pure_send_msg(&token, 1, PURE_LONG, right, 0, PURE_COMM_WORLD);
    if (rank == 0) pure_recv_msg(&token, 1, PURE_LONG, left, 0, PURE_COMM_WORLD, PURE_STATUS_IGNORE);
  }
  if (rank > 0) return 0;

  std::printf("after %d rounds of %d ranks the token is %ld\n", rounds, size, token);
  return token == rounds * (size * (size - 1L) / 2) ? 0 : 1;
}
