/* What the parts of the program have in common: constants.c has the program. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h" /* the constants that the header knows (names.py) */

extern int rank, ranks, wrong;

#define CHECK(what)                                                    \
  do {                                                                 \
    if (!(what)) {                                                     \
      printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #what); \
      ++wrong;                                                         \
    }                                                                  \
  } while (0)
#define CHECK_OF(name, what)                                                     \
  do {                                                                           \
    if (!(what)) {                                                               \
      printf("rank %d, line %d: %s: not so: %s\n", rank, __LINE__, name, #what); \
      ++wrong;                                                                   \
    }                                                                            \
  } while (0)

void messages(void), statuses(void), many_requests(void);               /* messages.c */
void contents(void), topologies(void), attributes(void), windows(void); /* objects.c */
void errors(void), limits(void);                                        /* errors.c */
