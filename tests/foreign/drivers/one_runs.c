/* A program without MPI, whose main is compiled as `their_main`: rank 0 runs it, and the others wait, and help. */
#include <mpi.h>
#undef main

int their_main(int argc, char** argv);

int main(int argc, char** argv) {
  int rank, status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) status = their_main(argc, argv);
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
