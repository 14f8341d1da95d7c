// The MPI twin of ring.cpp and ring_pure_h.cpp.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const int rounds = 3;

  long token = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) MPI_Recv(&token, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    MPI_Send(&token, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&token, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  if (rank > 0) return 0;

  std::printf("after %d rounds of %d ranks the token is %ld\n", rounds, size, token);
  return token == rounds * (size * (size - 1L) / 2) ? 0 : 1;
}
