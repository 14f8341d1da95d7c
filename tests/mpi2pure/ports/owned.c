/* C that C++ refuses: numbers that become enumerations, names right behind texts. */
#include "owned.h"
#include <stdio.h>
#include <stdlib.h>

#define NEXT(of) (of) + 1
#define FIRST 0

static enum side next_side(int at) { return (at + 1) % SIDES; }

int main(int argc, char** argv) {
  int size, count = 0;
  long sum;
  enum side at = 0, first = FIRST, last = SIDES - 1, other = at == WEST ? EAST : WEST;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &owned_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  owned_table[owned_rank % 4] = owned_rank;
  warmth = NEXT(1 + owned_rank % 2);
  turns = owned_table[owned_rank % 4] * 10 + opposite(owned_rank % 2) + opposite(other);
  apart = 0.5 * next_side(owned_rank);
  turns += first + last + (warmth == HOT) + (warmth == COLD ? 100 : 0);
  for (at = WEST; at < SIDES; at = (enum side)(at + 1)) count += at;
  MPI_Allreduce(&turns, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (owned_rank == 0) printf("%"LONG" %d %.2f of %d\n", sum, count, apart, size);
  MPI_Finalize();
  return 0;
}
