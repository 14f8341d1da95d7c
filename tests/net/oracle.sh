#!/usr/bin/env bash
# The random programs of both oracles, on ranks in 2, 3 and 4 processes over MPIs, and in 2 to 8 over shared memory:
# messages, and collectives of communicators that are made and released meanwhile.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mpis=0 # the other two than net.streams and net.traffic
needs_mpi

seed=${PURETEST_SEED:-1}
programs=$(awk "BEGIN { print 1 + int(14 * ${PURETEST_SCALE:-1}) }")
each=$(((programs + 1) / 2)) # each job has its own
# Which ranks are in which process is no business of the MPI: over the first one all shapes, over the others one of each
# number of processes.
jobs_over() {
  if [[ $1 == "$(networks | sed -n 1p)" ]]; then
    shapes
    [[ $1 != none ]] || more_shapes # where a start costs little
    printf '%s\n' '-n 4 -N 2 --placement round-robin' '-n 4 -N 3'
  else
    printf '%s\n' '-n 4 -N 2' '-n 3 -N 3' '-n 8 -N 4'
  fi
}

# Five processes and more, of 1 to 4 ranks each.
more_shapes() {
  local processes each
  for processes in 5 6 7 8; do
    for each in 1 2 3 4; do echo "-n $((processes * each)) -N $processes"; done
  done
}

for network in $(networks); do
  first=$seed
  while read -r job; do
    # shellcheck disable=SC2086
    timeout 100 purerun $job --mpi "$network" "$build/tests/net/oracle" "$first" "$each" > out 2>&1 < /dev/null ||
      fail "$network, $job: status $?: $(cat out)"
    rm -f entered
    # shellcheck disable=SC2086
    timeout 100 purerun $job --mpi "$network" "$build/tests/net/collectives" "$first" "$each" "$work/entered" \
      > out 2>&1 < /dev/null || fail "$network, $job: status $?: $(cat out)"
    first=$((first + each))
  done < <(jobs_over "$network")
  [[ $network != none ]] || continue
  # Where the network keeps the buffers of small messages for some time.
  PURETEST_PLUGINS=$build/lib PURE_PLUGIN_DIR=$build/tests/late_network timeout 100 \
    purerun -n 4 -N 2 --mpi "$network" "$build/tests/net/oracle" "$seed" "$programs" > out 2>&1 < /dev/null ||
    fail "$network, a late network: status $?: $(cat out)"
  grep -q 'late sends: [1-9]' out || fail "$network, a late network: it was not: $(cat out)"
done

# Where what is eager inside a process is too large for a packet.
network=$(networks | sed -n 1p)
PURE_NET_MESSAGE_BYTES=1K PURE_EAGER_LIMIT=16000 PURE_ASYNC_PROGRESS=on timeout 100 purerun -n 4 -N 2 --mpi "$network" \
  "$build/tests/net/oracle" "$seed" "$programs" > out 2>&1 < /dev/null ||
  fail "$network, eager beyond packets: status $?: $(cat out)"

# Where everything is tight: packets of the smallest size, rings of the smallest size, ranks that sleep at once.
export PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0
timeout 100 purerun -n 4 -N 2 --mpi "$network" "$build/tests/net/oracle" "$seed" "$programs" > out 2>&1 < /dev/null ||
  fail "$network, tight: status $?: $(cat out)"
rm -f entered
timeout 100 purerun -n 4 -N 2 --mpi "$network" "$build/tests/net/collectives" "$seed" "$programs" "$work/entered" \
  > out 2>&1 < /dev/null || fail "$network, tight: status $?: $(cat out)"
export PURE_CHECK=1
timeout 100 purerun -n 4 -N 2 --mpi "$network" "$build/tests/net/oracle" "$seed" "$programs" > out 2>&1 < /dev/null ||
  fail "$network, checked: status $?: $(cat out)"
rm -f entered
timeout 100 purerun -n 4 -N 2 --mpi "$network" "$build/tests/net/collectives" "$seed" "$programs" "$work/entered" \
  > out 2>&1 < /dev/null || fail "$network, checked: status $?: $(cat out)"
finish
