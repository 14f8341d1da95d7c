// Constants of MPI as initial values, which are numbers with some MPIs and addresses of variables with others.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#define TYPE_OF(value) (sizeof(value) == 1 ? MPI_CHAR : MPI_INT)

static struct reduction {
  MPI_Datatype type;
  MPI_Op op;
} reductions[] = {{MPI_INT, MPI_SUM}, {.type = MPI_INT, .op = MPI_MAX}};
MPI_Comm world = MPI_COMM_WORLD, *where = &world;
static const MPI_Comm none = MPI_COMM_NULL;
static const MPI_Datatype types[] = {MPI_CHAR, MPI_INT};

static int reduced(int value, int which) {
  static MPI_Request request = MPI_REQUEST_NULL;
  static const MPI_Comm all = MPI_COMM_WORLD;
  int result = 0;
  MPI_Iallreduce(&value, &result, 1, reductions[which].type, reductions[which].op, all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return request == MPI_REQUEST_NULL ? result : -1;
}

int main(int argc, char** argv) {
  int rank, wrong = 0;
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank((MPI_Comm)MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(*where, handler);
  wrong += world == none || *where != MPI_COMM_WORLD || types[1] != TYPE_OF(rank);
  MPI_Bcast(MPI_BOTTOM, 0, types[0], 0, world);
  MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
  const int sum = reduced(rank, 0), most = reduced(rank, 1);
  if (rank == 0) printf("%d %d, %d wrong\n", sum, most, wrong);
  MPI_Finalize();
  return wrong;
}
