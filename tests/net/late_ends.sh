#!/usr/bin/env bash
# As tests/errors/open_at_end.sh and no_threads.sh, in jobs of several processes.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
ulimit -c 0
programs=$build/tests/programs

# open NETWORK RANKS END WHAT
open() {
  purerun_ends 0 -n "$2" -N 2 --mpi "$1" "$programs/open_at_end" "$3" "$4"
  grep -qx 'went well' out || fail "$1: open_at_end $3 $4 ($2 ranks): $(cat out err)"
}

first_network=$(networks | sed -n 1p)
for network in $(networks); do
  # What is taken back, and when, is decided above the network: over an MPI, one of those that are alike for it.
  everything='receives any_receives exchanges persistent large_sends small_sends freed_sends collective'
  exits='work exit_3'
  if [[ $network != "$first_network" ]]; then
    everything='exchanges large_sends small_sends collective'
    exits=work
  fi
  for end in exit return; do
    for what in $everything; do beside open "$network" 2 $end "$what"; done
    beside open "$network" 4 $end large_sends
    beside open "$network" 4 $end receives
    beside ends 1 'rank 0 waits in pure_send_msg' -n 2 -N 2 --mpi "$network" "$programs/open_at_end" $end large_to_receive
  done
  together

  # Whichever thread cannot be had, the MPI's own among them: the job ends, all of it, and says why.
  for number in 1 2 3 4 5 6; do
    for how in $exits; do
      FAIL_FROM=$number PURE_ASYNC_PROGRESS=1 timeout 60 purerun -n 4 -N 2 --mpi "$network" "$programs/no_threads" $how \
        > out 2> err < /dev/null
      got=$?
      [[ $got == 124 ]] && fail "$network: no threads from $number on, $how: it hangs: $(cat out err)"
      [[ $got == 0 ]] && ! grep -q threads out && fail "$network: no threads from $number on, $how: status 0: $(cat out err)"
      [[ $got != 0 && ! -s err ]] && fail "$network: no threads from $number on, $how: not a word"
      # Once Pure runs, it is no crash.
      grep -q 'crashed\|terminate called' err && grep -q 'pure: rank' err &&
        fail "$network: no threads from $number on, $how: $(cat err)"
    done
  done
done
finish
