#!/usr/bin/env bash
# Two ranks with two OpenMP threads each, on two cpus. One would guess that threads which may run on both cpus are at least
# as fast as those of a rank that is bound to one. With GNU OpenMP (GCC 12.2) and MPICH 5.0.2, whose mpiexec binds nothing,
# a loop of short parallel regions takes several times as long unbound: libgomp counts two cpus for its two threads, does not
# see those of the other rank, and spins for long at each barrier; bound, it counts one cpu for two threads, and sleeps
# soon. OMP_WAIT_POLICY=passive cures it. Seen 2026-11-29.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int region = 0; region < 300; ++region) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 20000; ++i) sum += i % 7;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", 1000 * (MPI_Wtime() - start));
  MPI_Finalize();
  return sum < 0;
}
END
two=$(python3 -c 'import os; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:2])))')
[[ $two == *,* ]] || { echo 'it needs two cpus'; exit 1; }
install mpich 5.0.2
mpich/bin/mpicc -O2 -fopenmp program.c -o program_mpich
export OMP_NUM_THREADS=2
# ms ARGUMENT...: the least of five runs.
ms() {
  for _ in 1 2 3 4 5; do taskset -c "$two" mpich/bin/mpiexec -n 2 "$@" ./program_mpich 2> said_of_launcher; done | sort -n | head -1
}
unbound=$(ms -bind-to none)
bound=$(ms -bind-to hwthread)
passive=$(OMP_WAIT_POLICY=passive ms -bind-to none)
echo "300 regions: unbound $unbound ms, each rank bound to one cpu $bound ms, unbound and passive $passive ms"
see 'both cpus for each rank, against one' "$(python3 -c "print('more than twice as long' if $unbound > 2 * $bound else 'not')")" \
  'more than twice as long'
see 'threads that sleep soon, unbound, against those that spin' "$(python3 -c "print('less than half as long' if 2 * $passive < $unbound else 'not')")" \
  'less than half as long'
