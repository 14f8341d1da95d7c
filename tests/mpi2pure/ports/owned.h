/* One header declares and defines: the file that owns the variables makes EXTERN nothing. */
#ifndef OWNED_H
#define OWNED_H

#include <mpi.h>

#ifndef EXTERN
#define EXTERN extern
#endif
#define NOTHING
#define LONG "ld"

enum side { WEST, EAST, SIDES };
typedef enum { COLD = 2, HOT } heat;

EXTERN int owned_rank, owned_table[4];
EXTERN NOTHING heat warmth;
  EXTERN /* behind a comment */ long turns;
EXTERN
double apart;

enum side opposite(enum side of);

#endif
