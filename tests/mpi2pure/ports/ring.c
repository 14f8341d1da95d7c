#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MPI_MY_TAG 7
#define WORLD MPI_COMM_WORLD
#define CHECK(call) do { int rc_ = (call); if (rc_ != MPI_SUCCESS) MPI_Abort(WORLD, 3); } while (0)
#define COUNTER(name) static int name##_count, name##_calls
/* MPI_Send in a comment */
static const char* text = "MPI_Send and MPI_COMM_WORLD";   // two blanks,	and a tab
int rank, size, *where = &rank;
static double (*fn)(double);
extern long total;
COUNTER(my);
static MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};

static void larger(void* in, void* inout, int* n, MPI_Datatype* type) {
  double *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; i++) if (a[i] > b[i]) b[i] = a[i];
}
static double half(double x) { static int calls; ++calls; return x / 2 + calls; }

int main(int argc, char** argv) {
  double mine, left, sum;
  MPI_Op op;
  MPI_Status status;
  MPI_Request sending;
  int length, provided;
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(WORLD, &rank);
  CHECK(MPI_Comm_size(WORLD, &size));
  fn = half;
  double* buffer = malloc(4 * sizeof *buffer);
  MPI_Get_processor_name(name, &length);
  total += rank;
  my_count = *where + 1;
  mine = 1.0 / (rank + 1);
  MPI_Barrier(WORLD);
  CHECK(MPI_Isend(&mine, 1, types[1], (rank + 1) % size, MPI_MY_TAG, WORLD, &sending));
  MPI_Recv(&left, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_MY_TAG, WORLD, &status);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  if (status.MPI_SOURCE != (rank + size - 1) % size || my_count != rank + 1) return 1;
  MPI_Op_create((MPI_User_function*)larger, 1, &op);
  buffer[0] = left;
  MPI_Allreduce(&buffer[0], &sum, 1, MPI_DOUBLE, op, WORLD);
  MPI_Op_free(&op);
  if (rank == 0) printf("%s %.4f %.4f %ld\n", text, sum, fn(2), total);
  free(buffer);
  MPI_Finalize();
  return 0;
}
