#!/usr/bin/env bash
# MPI_Intercomm_merge where both groups give the same `high`: MPI 5.0, 7.6.2 leaves the order to the MPI. One would guess that
# all put the group of the lower ranks first. MPICH 5.0.2 does; Open MPI 5.0.11 puts the other one first, which Open MPI 4.1
# did not. Seen 2026-11-28: rank 0 of the world is rank 0 of the merged communicator in the one, and rank 1 in the other.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int world, merged;
  MPI_Comm half, both, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_split(MPI_COMM_WORLD, world, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world, 5, &both);
  MPI_Intercomm_merge(both, 0, &all);
  MPI_Comm_rank(all, &merged);
  printf("%d is %d\n", world, merged);
  MPI_Finalize();
  return 0;
}
END
build_both
see 'MPICH' "$(run mpich 2 | paste -sd ,)" '0 is 0,1 is 1'
see 'Open MPI' "$(run openmpi 2 | paste -sd ,)" '0 is 1,1 is 0'
