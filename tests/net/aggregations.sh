#!/usr/bin/env bash
# Aggregations whose ranks are in several processes, over every MPI: random programs, and how they end where a rank does
# not do its part.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

seed=${PURETEST_SEED:-1}
rounds=$(awk "BEGIN { print 1 + int(6 * ${PURETEST_SCALE:-1}) }")

# right WHAT NETWORK RANKS PROCESSES
right() {
  into_out timeout 100 purerun -n "$3" -N "$4" --mpi "$2" "$build/tests/net/aggregations" "$seed" "$rounds" ||
    fail "aggregations, $1, $2, $3 ranks in $4 processes, rounds from $seed: status $?: $(cat out)"
  seed=$((seed + rounds))
}

for network in $(networks); do
  right 'shared memory' "$network" 6 3
  [[ $network == none ]] ||
    UCX_TLS=tcp,self MPIR_CVAR_NOLOCAL=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self right TCP "$network" 4 2
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right tight "$network" 4 2
  [[ $network != *-current ]] || continue # what they could change has been tried
  right 'shared memory' "$network" 2 2
  right 'shared memory' "$network" 4 2
  PURE_CHECK=1 PURE_ASYNC_PROGRESS=on right checked "$network" 4 4
  [[ $network == none ]] || PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network right 'a late network' "$network" 4 2
  ends 1 'the end of aggregation' -n 4 -N 2 --mpi "$network" "$build/tests/net/aggregation_ends" missing
  grep -qF 'finish of aggregation' out err || fail "$network, missing: no 'finish of aggregation' in: $(cat out err)"
  ends 1 'a handler of channel 0 of aggregation "items" has thrown' -n 4 -N 2 --mpi "$network" \
    "$build/tests/net/aggregation_ends" throws
  ends 1 'all ranks make the same channels in the same order' -n 4 -N 4 --mpi "$network" "$build/tests/net/aggregation_ends" differ
  ends 1 'it has made 0 of the 1 channel: channel 0 of rank' -n 4 -N 4 --mpi "$network" \
    "$build/tests/net/aggregation_ends" forgets
  ends 0 'none was lost' -n 2 -N 2 --mpi "$network" "$build/tests/net/aggregation_ends" flood
  echo "tested over $network"
done
finish
