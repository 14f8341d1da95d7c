/* What the files of a program share: an extern variable, a function in a header, a macro that declares two. */
#ifndef SHARED_H
#define SHARED_H

#include <mpi.h>

#define PAIR(name) static int name##_first; static int name##_second
#define MINE MPI_COMM_WORLD

extern int steps, table[4];
extern MPI_Comm row;

static inline int next_ticket(void) {
  static int ticket = 100;
  return ++ticket;
}

PAIR(header);

#ifdef __cplusplus
extern "C" {
#endif
int count_steps(int by);
#ifdef __cplusplus
}
#endif

#endif
