// The part of the program mixed that is of pure.h, and of C++17.
#include <pure.h>

#include "mixed.hpp"

int rank_as_pure_h_has_it(MPI_Comm comm) {
  pure_comm same = PURE_COMM_NULL;
  int rank = -1;
  MPI_Comm back = MPI_COMM_NULL;
  if (pure_comm_from_mpi(comm, &same) != PURE_SUCCESS || pure_comm_rank(same, &rank) != PURE_SUCCESS) return -1;
  return pure_comm_to_mpi(same, &back) == PURE_SUCCESS && back == comm ? rank : -1;
}
