#!/usr/bin/env bash
# Of several processes, a thread of one that is no rank ends it, or a rank with a status that looks like 0: that ends the
# job, is said once, and is never a status of 0.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

# cut_off NETWORK STATUS TEXT PROGRAM...: purerun ends so; the text is the only one of Pure's, and no rank crashes.
cut_off() {
  local network=$1 status=$2 text=$3
  shift 3
  PURETEST_PROCESS=1 ends "$status" "$text" -n 4 -N 2 --mpi "$network" "$@"
  cat out err > said
  [[ $(grep -c '^pure: ' said) == 1 ]] || fail "$network, $*: not one message: $(cat said)"
  grep -q 'destroyed' said && fail "$network, $*: a destructor has run under the ranks: $(cat said)"
}

is_no_rank='a thread that is no rank called'
for network in $(networks); do
  for host in '' host; do
    for how in exit quick_exit _exit; do
      # shellcheck disable=SC2086
      beside cut_off "$network" 1 "$is_no_rank $how(0) while ranks were running" foreign_exit $host $how 0
    done
    # shellcheck disable=SC2086
    beside cut_off "$network" 3 "$is_no_rank exit(3)" foreign_exit $host exit 3
    # shellcheck disable=SC2086
    beside cut_off "$network" 1 "$is_no_rank exit(256)" foreign_exit $host err 256
    # shellcheck disable=SC2086
    beside cut_off "$network" 1 "$is_no_rank _exit(0)" foreign_exit $host handler 0
  done
  beside cut_off "$network" 1 'main returned 0 while ranks were running' foreign_exit host main 0
  beside cut_off "$network" 1 'rank 1 called exit(256)' bad_call exit_256
  beside cut_off "$network" 1 'rank 1 called _exit(256)' bad_call _exit_256
  beside cut_off "$network" 1 'rank 1: pure_abort(256)' bad_call pure_abort_256
  beside cut_off "$network" 1 'rank 1 returned 256' bad_call return_256
done
together
finish
