#!/usr/bin/env bash
# Large messages that come again and again with one tag, such that answer each other, and exchanges of several with
# different tags, in several processes, over MPIs: through shared memory, at once and where UCX asks the receiver early, through TCP, where they take their
# time, where everything is small enough to be large, and where receives are taken back late and messages leave and
# arrive late. And sends that are cancelled, beside and behind such messages.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests. Each job has rounds of its own; the more ranks, the more pairs
# of them are in each, and the fewer rounds there are.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

seed=${PURETEST_SEED:-1}
rounds=$(awk "BEGIN { print 1 + int(8 * ${PURETEST_SCALE:-1}) }")

# right WHAT NETWORK RANKS PROCESSES [PROGRAM]
right() {
  local own=$(((2 * rounds + $3 - 1) / $3)) program=${5:-streams}
  timeout 100 purerun -n "$3" -N "$4" --mpi "$2" "$build/tests/net/$program" "$seed" "$own" > out 2>&1 < /dev/null ||
    fail "$program, $1, $2, $3 ranks in $4 processes, rounds from $seed: status $?: $(cat out)"
  seed=$((seed + own))
}

# The ways of waiting and travelling over memory that the processes share.
right_without_mpi() {
  local program shape checks=0 # in every second: payloads are summed then, and a damaged one is an error of the network
  for program in streams turns fields; do
    for shape in '2 2' '4 2' '4 4' '6 3'; do
      # shellcheck disable=SC2086
      PURE_CHECK=$((checks ^= 1)) right 'no MPI' none $shape "$program"
    done
    PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right 'tight, no MPI' none 4 2 "$program"
  done
  PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 ends 0 'cancelled: right' -n 4 -N 2 --mpi none "$build/tests/net/cancels" 3
}

for network in $(networks); do
  if [[ $network == none ]]; then
    right_without_mpi
    continue
  fi
  if [[ $network == *-current ]]; then # the ways of travelling; the system's have every way of waiting as well
    right 'shared memory' "$network" 4 2
    for program in streams turns fields; do
      UCX_TLS=tcp,self MPIR_CVAR_NOLOCAL=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self right TCP "$network" 4 2 "$program"
    done
    PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right tight "$network" 4 2
    MPIR_CVAR_NOLOCAL=1 PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network right 'a late network' "$network" 4 2
    echo "tested over $network"
    continue
  fi
  # Which ranks are in which process is no business of the MPI. More processes than cores, all of which poll, take ten
  # times as long as two.
  right 'shared memory' "$network" 2 2
  right 'shared memory' "$network" 4 2
  UCX_RNDV_THRESH=auto right 'shared memory, asked first' "$network" 4 3
  for ranks in 2 4; do
    for program in streams turns fields; do
      PURE_CHECK=$((ranks / 4)) UCX_TLS=tcp,self MPIR_CVAR_NOLOCAL=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self right TCP "$network" "$ranks" 2 "$program"
    done
  done
  UCX_RNDV_THRESH=auto right 'shared memory, asked first' "$network" 2 2 turns
  right 'shared memory' "$network" 4 2 turns
  UCX_RNDV_THRESH=auto right 'shared memory, asked first' "$network" 4 2 fields
  right 'shared memory' "$network" 2 2 fields
  right 'shared memory' "$network" 4 3 fields
  PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 ends 0 'cancelled: right' -n 4 -N 2 --mpi "$network" "$build/tests/net/cancels" 3
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right tight "$network" 4 2
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right tight "$network" 4 2 turns
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right tight "$network" 4 2 fields
  PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network right 'a late network' "$network" 4 2
  grep -q 'late cancels: [1-9].*late sends: [1-9]' out || fail "a late network, $network: it was not: $(cat out)"
  PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network right 'a late network' "$network" 4 2 turns
  for ((tries = 0; tries < 5; ++tries)); do # where others have the cores, a stream may stay with its envelopes
    PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network right 'a late network' "$network" 4 2 fields
    ! grep -q 'of these large: [1-9]' out || break
  done
  grep -q 'of these large: [1-9]' out || fail "a late network, $network: no large message came without an envelope: $(cat out)"
  PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network \
    ends 0 'cancelled: right' -n 4 -N 2 --mpi "$network" "$build/tests/net/cancels" "$rounds"
  echo "tested over $network"
done
finish
