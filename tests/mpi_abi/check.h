/* For programs that know MPI only, and check what they get: over Pure, and over any MPI of version 4. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(is)                                                      \
  do {                                                                 \
    if (!(is)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #is); \
      exit(3);                                                         \
    }                                                                  \
  } while (0)
/* A call that goes well. */
#define DO(call) CHECK((call) == MPI_SUCCESS)
/* A call whose error is of that class. */
#define FAILS(call, of_class)                                                                                      \
  do {                                                                                                             \
    int code_ = (call), class_ = -1;                                                                               \
    MPI_Error_class(code_, &class_);                                                                               \
    if (class_ != (of_class)) {                                                                                    \
      fprintf(stderr, "%s:%d: %s: class %d, and not %s\n", __FILE__, __LINE__, #call, class_, #of_class); \
      exit(3);                                                                                                     \
    }                                                                                                              \
  } while (0)

static int rank, size;

static void begin(int* argc, char*** argv) {
  DO(MPI_Init(argc, argv));
  DO(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
}

static int end(void) {
  printf("rank %d of %d: right\n", rank, size);
  DO(MPI_Finalize());
  return 0;
}

#endif
