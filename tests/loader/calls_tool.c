/* A tool that stands between calls.c and MPI, as those that count or trace calls do. */
#include <mpi.h>

static int gathers;
int gathers_of_tool(void) { return gathers; }
int MPI_Gather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
  int seen = ++gathers;
  MPI_Bcast(&seen, 1, MPI_INT, 0, comm);
  return PMPI_Gather(sent, send_count, send_type, received, count, type, root, comm);
}
