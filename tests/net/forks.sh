#!/usr/bin/env bash
# As tests/errors/forks.sh, in jobs of several processes: a child has no part in the network, and ends nobody's job.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
source "$(dirname "${BASH_SOURCE[0]}")/../errors/forks.bash"
needs_mpi
ulimit -c 0
how_to_check=beside

# Over an MPI, whose handlers of forks and of exits are in the child, too, one of each kind.
over_an_mpi() {
  for how in exit_3 _exit_4 quick_exit_6; do beside child fork $how "exit ${how##*_}"; done
  beside child fork exec 'exit 8'
  beside child fork no_exec 'exit 127'
  beside child vfork _exit_0 'exit 0'
  beside child vfork exec 'exit 8'
  beside child vfork no_exec 'exit 127'
  beside child fork abort 'signal 6' ', a forked child of rank 0, crashed: SIGABRT'
  beside child fork pthread_exit 'exit 0'
  beside child fork send 'exit 1' 'is a forked child of rank 0, and itself no rank: it has no part in the job'
  beside child fork pure_abort 'exit 9' 'a forked child of rank 0, and itself no rank'
}

first_network=$(networks | sed -n 1p)
for network in $(networks); do
  command=(purerun -n 4 -N 2 --mpi "$network" "$build/tests/programs/forks")
  if [[ $network == "$first_network" ]]; then
    ways_of fork
    ways_of_vfork
    without_rank fork
  else
    over_an_mpi
  fi
  beside child fork_in_chunk _exit_0 'exit 0'
  beside child fork_in_chunk send 'exit 1' 'is a forked child of rank 0'
  beside child fork_in_thread exit_0 'exit 0'
  beside child clone _exit_4 'exit 4'
  parent_fails vfork fork
  together

  for what in run_exit exit return; do
    purerun_ends 0 -n 2 -N 2 --mpi "$network" "$build/tests/programs/fork_runs" between $what
    [[ $(grep -o 'went well' out | wc -l) == 2 ]] || fail "$network: fork_runs between $what: $(cat out err)"
    [[ $(grep -o 'child: 3' out | wc -l) == 2 ]] || fail "$network: fork_runs between $what: $(cat out err)"
  done
done
finish
