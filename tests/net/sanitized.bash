#!/usr/bin/env bash
# The random programs of both oracles on ranks in several processes, in a build with a sanitizer:
# sanitized.bash FOLDER 'PREFIX' FAMILY=MPIEXEC...
#
# FOLDER: where net.oracle, net.streams, net.turns, net.fields and net.collectives are; PREFIX: what they are started with.
# PURETEST_SEED and PURETEST_SCALE as in the other stress tests.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1
folder=$1
read -ra prefix <<< "$2"
shift 2

# No MPI is built for sanitizers: what only it does is left out. It keeps memory to its end, too.
echo 'deadlock:mca_btl_tcp' > suppressions
export TSAN_OPTIONS="suppressions=$work/suppressions ignore_noninstrumented_modules=1 ${TSAN_OPTIONS:-}"
export ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}"
export UCX_MEM_EVENTS=no # UCX, below some of them, patches the functions for memory that the sanitizer has replaced

# Each program runs over one of the MPIs: the sanitizers look at what is Pure's, which is the same over all (net.oracle and
# net.streams run every program over every MPI).
seed=${PURETEST_SEED:-1}
programs=$(awk "BEGIN { print 1 + int(12 * ${PURETEST_SCALE:-1}) }")
share=$(((programs + $# - 1) / $#))
for family in mpich openmpi; do
  [[ " $*" == *" $family="* ]] || not_tested "$family" 'it was not there when Pure was built, or its mpiexec is gone'
done

# runs RANKS PROCESSES PROGRAM ARGUMENT...
runs() {
  PURE_RANKS=$1 timeout 200 "${mpiexec[@]}" -n "$2" "${prefix[@]}" "$folder/$3" "${@:4}" > out 2>&1 < /dev/null ||
    fail "$1 ranks in $2 processes, ${mpiexec[0]}: $3 ${*:4}: $(cat out)"
}

for launcher; do
  mpiexec=("${launcher#*=}")
  case $launcher in
    openmpi=*) mpiexec+=(--oversubscribe --bind-to none --allow-run-as-root) ;;
    mpich=*) mpiexec+=(-bind-to none) ;;
  esac
  runs 4 2 net.oracle "$seed" "$share"
  runs 4 2 net.streams "$seed" "$((2 * share))"
  runs 4 2 net.turns "$seed" "$((2 * share))"
  runs 4 2 net.fields "$seed" "$((2 * share))"
  runs 4 3 net.collectives "$seed" "$share" "$work/entered"
  rm -f entered
  seed=$((seed + 2 * share))
done

# Where everything is tight, a thread moves messages beside the ranks, and calls are checked.
export PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 PURE_ASYNC_PROGRESS=on PURE_CHECK=1
runs 4 2 net.oracle "$seed" "$programs"
runs 4 2 net.collectives "$seed" "$programs" "$work/entered"
finish
