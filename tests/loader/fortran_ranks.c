/* What fortran_runtime.f90 needs of MPI, for there is no mpif.h in these tests. */
#include <mpi.h>
#include <stddef.h>

void begin_rank(int* me, int* ranks) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, me);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
}
void wait_for_all(void) { MPI_Barrier(MPI_COMM_WORLD); }
void end_rank(void) { MPI_Finalize(); }
