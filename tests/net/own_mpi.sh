#!/usr/bin/env bash
# Programs that call MPI beside Pure: between messages of Pure, by the lock; and programs that start MPI themselves.
mpis_alone=1
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mpis=system
needs_mpi

# works NETWORK MODE 'OPTIONS'
works() {
  # shellcheck disable=SC2086
  timeout 100 purerun $3 --mpi "$1" "$build/tests/net/own_mpi.$1" "$2" > out 2>&1 < /dev/null || fail "$*: $(cat out)"
}

for network in $(networks); do
  for mode in mixed meetings started; do
    for job in '-n 2 -N 2' '-n 4 -N 2' '-n 6 -N 3'; do beside works "$network" "$mode" "$job"; done
  done
  beside works "$network" mixed '-n 4 -N 2 --async-progress'
  beside works "$network" apart '-n 4 -N 2 --set host_split=none' # the ranks of a process have both cores
  beside works "$network" taken '-n 4 -N 2'
done
together

for network in $(networks); do
  own_mpi=$build/tests/net/own_mpi.$network
  ends 1 'it must ask for MPI_THREAD_SERIALIZED' -n 2 -N 2 --mpi "$network" "$own_mpi" single
  ends 1 'MPI_Finalize comes after the last pure::run' -n 2 -N 2 --mpi "$network" "$own_mpi" ended
  ends 1 'the program has called MPI_Finalize while ranks of Pure run' -n 2 -N 2 --mpi "$network" "$own_mpi" ending
  ends 1 'the program has called MPI_Finalize while ranks of Pure run' -n 2 -N 2 --mpi "$network" "$own_mpi" stolen
  ends 1 'rank 0 waits in recv for a message from rank 1' -n 2 -N 2 --mpi "$network" "$own_mpi" waiting
  grep -qF 'while it has the MPI to itself (pure_mpi_lock at' err || fail "$network, waiting: $(cat err)"
  ends 1 'rank 0: its main has returned while it has the MPI' -n 2 -N 2 --mpi "$network" "$own_mpi" returning
  timeout 60 purerun -n 2 -N 2 --mpi "$network" "$own_mpi" crash > out 2>&1 < /dev/null && fail "$network, crash: status 0"
  grep -q 'rank 1 crashed: SIGSEGV, an invalid memory access, at address 0x10' out || fail "$network, crash: $(cat out)"
done
finish
