/* A program that knows MPI only: messages round a ring, alone or among several. Each rank checks what it gets. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(is)                                                       \
  do {                                                                  \
    if (!(is)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #is);  \
      exit(3);                                                          \
    }                                                                   \
  } while (0)

static int rank, size;

static void messages(void) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  double mine[3] = {rank + 0.25, rank + 0.5, rank + 0.75}, got[4] = {0, 0, 0, -1};
  MPI_Status status;
  int count, flag = 0;
  MPI_Count long_count;
  MPI_Request request, sent;

  status.MPI_ERROR = 12345;
  CHECK(MPI_Sendrecv(mine, 3, MPI_DOUBLE, to, 7, got, 4, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(got[0] == from + 0.25 && got[2] == from + 0.75 && got[3] == -1);
  CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 7 && status.MPI_ERROR == 12345);
  CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count) == MPI_SUCCESS && count == 3);
  CHECK(MPI_Get_count_c(&status, MPI_BYTE, &long_count) == MPI_SUCCESS && long_count == 24);
  CHECK(MPI_Get_count(&status, MPI_LONG_DOUBLE, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);

  CHECK(MPI_Irecv(got, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(request != MPI_REQUEST_NULL);
  CHECK(MPI_Isend_c(mine, 2, MPI_DOUBLE, to, 8, MPI_COMM_WORLD, &sent) == MPI_SUCCESS);
  while (!flag) CHECK(MPI_Test(&request, &flag, &status) == MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == from && status.MPI_TAG == 8);
  CHECK(MPI_Wait(&sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && sent == MPI_REQUEST_NULL);
  CHECK(MPI_Wait(&sent, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);

  CHECK(MPI_Recv(got, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  if (rank == 0) {
    for (int other = 1; other < size; ++other) CHECK(MPI_Send(&other, 1, MPI_INT, other, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  } else {
    CHECK(MPI_Recv(&count, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS && count == rank);
  }
}

static void errors(void) {
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  int value = 0, flag;
  CHECK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_ARE_FATAL);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&value, -1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Send(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD) == MPI_ERR_RANK);
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) == MPI_ERR_TAG);
  CHECK(MPI_Send(NULL, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL) == MPI_ERR_COMM);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  CHECK(MPI_Wait(NULL, MPI_STATUS_IGNORE) == MPI_ERR_REQUEST);
  CHECK(MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 1);
  request = (MPI_Request)0x7fffffff;
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_REQUEST);
  CHECK(MPI_Comm_spawn("a", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, NULL, NULL) == MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(PMPI_Comm_spawn("a", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, NULL, NULL) == MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL) == MPI_SUCCESS);
}

/* As libraries for C++ do it, with destructors of static objects. */
static void end_at_exit(void) {
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS);
  printf("rank %d has ended at exit\n", rank);
}

int main(int argc, char** argv) {
  int flag, version, subversion, length, level;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == 5 && subversion == 0);
  CHECK(MPI_Abi_get_version(&version, &subversion) == MPI_SUCCESS && version == 1 && subversion == 0);
  CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length == (int)strlen(text) && !strncmp(text, "Pure ", 5));
  if (argc > 1 && !strcmp(argv[1], "early")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS && level == MPI_THREAD_FUNNELED);
  CHECK(MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_FUNNELED);
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag && MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS);
  CHECK(MPI_Get_processor_name(text, &length) == MPI_SUCCESS && length > 0 && MPI_Wtime() > 0 && MPI_Wtick() > 0);
  if (argc > 1 && !strcmp(argv[1], "refused")) MPI_Close_port("none");
  if (argc > 1 && !strcmp(argv[1], "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
  if (argc > 1 && !strcmp(argv[1], "leave")) return 0;
  if (argc > 1 && !strncmp(argv[1], "handler", 7)) {
    atexit(end_at_exit);
    if (!strcmp(argv[1], "handler, exit")) exit(0);
    return 0;
  }
  messages();
  errors();
  printf("rank %d of %d: right\n", rank, size);
  CHECK(MPI_Finalize() == MPI_SUCCESS && MPI_Finalized(&flag) == MPI_SUCCESS && flag);
  if (argc > 1 && !strcmp(argv[1], "late")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return 0;
}
