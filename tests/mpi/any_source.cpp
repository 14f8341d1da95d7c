// Whether an MPI completes a receive from any source whose message is there already: mpiexec -n 2 any_source [BYTES]
//
// MPI alone, and small, to be sent to its makers (docs/mpi_faults.md). MPICH 4.3.2, 5.0.0, 5.0.1 and 5.0.2 over UCX,
// between processes that do not share memory (MPIR_CVAR_NOLOCAL=1 says so of any two), never complete one:
//
//   MPIR_CVAR_NOLOCAL=1 mpiexec -n 2 any_source
//
// Status 0: it is complete; 1: it is not.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, is_complete = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? std::atoi(argv[1]) : 8;
  std::vector<char> data(static_cast<std::size_t>(bytes));
  if (rank == 1) {
    MPI_Send(data.data(), bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Probe(1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // now it is there
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(data.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &receive);
    is_complete = 0;
    const double start = MPI_Wtime();
    while (is_complete == 0 && MPI_Wtime() - start < 1) MPI_Test(&receive, &is_complete, MPI_STATUS_IGNORE);
    std::printf("a receive of %d bytes from any source, its message before it: %s\n", bytes,
                is_complete != 0 ? "complete" : "not complete after a second");
    std::fflush(stdout);
  }
  MPI_Bcast(&is_complete, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return is_complete != 0 ? 0 : 1;
}
