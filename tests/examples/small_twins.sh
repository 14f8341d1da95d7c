#!/usr/bin/env bash
# The small examples and their MPI twins print the same: the lines of all ranks, sorted. They check their answers
# themselves, too, and end with a status other than 0 where one is wrong.
source "$(dirname "$0")/common.bash"

examples=$build/examples

# compare RANKS EXAMPLE TWIN [ARGUMENT...]: TWIN is the name in examples/mpi.
compare() {
  local ranks=$1 example=$2 twin=$3 family
  shift 3
  on_pure "$ranks" "$examples/$example" "$@" | sort > "$work/pure" || fail "$example on $ranks ranks: status $?"
  [[ -s $work/pure ]] || fail "$example on $ranks ranks prints nothing"
  for family in $(twins_of "$examples/mpi/$twin"); do
    on_mpi "$family" "$ranks" "$examples/mpi/$twin" "$@" | sort > "$work/mpi" ||
      fail "mpi/$twin on $ranks ranks, $family: status $?"
    cmp -s "$work/pure" "$work/mpi" || fail "$example and mpi/$twin, $ranks ranks, $family: $(diff "$work/pure" "$work/mpi")"
  done
  echo "$example, $ranks ranks: compared with" $(twins_of "$examples/mpi/$twin")
}

compares_with "$examples/mpi/hello" || skip 'no MPI was found when the examples were built'
beside compare 3 hello hello
beside compare 3 ring ring
beside compare 3 ring_pure_h ring
beside compare 2 heat heat 150
beside compare 2 histogram histogram
beside compare 2 window_stencil window_stencil
together
finish
