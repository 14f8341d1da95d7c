#!/usr/bin/env bash
# Two ranks return 5 and 3 from main, after MPI_Finalize. What is the status of mpiexec? One would guess that of some rank.
# MPICH 5.0.2 gives 7: the statuses bit by bit, or-ed, which is a status that no rank had; Open MPI 5.0.11 gives one of the
# ranks. Seen 2026-11-28.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  return rank == 0 ? 5 : 3;
}
END
build_both
run mpich 2
see 'MPICH' "$status" 7
run openmpi 2
[[ $status == 3 || $status == 5 ]] && status='that of a rank'
see 'Open MPI' "$status" 'that of a rank'
