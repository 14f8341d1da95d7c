#!/usr/bin/env bash
# The random programs of both oracles, and some of tests/net, on ranks in several processes over the loopback network:
# run.bash FOLDER 'PREFIX'
#
# FOLDER: where loopback.oracle and the others are; PREFIX: what they are started with. PURETEST_SEED and PURETEST_SCALE
# as in the other stress tests. Chance drives the network, by the seed: messages and payloads overtake each other, sends
# are done late, and receives are taken back late, or too late.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1
folder=$1
read -ra prefix <<< "${2:-}"

seed=${PURETEST_SEED:-1}
rounds=$(awk "BEGIN { print 1 + int(8 * ${PURETEST_SCALE:-1}) }")

# runs RANKS PROCESSES PROGRAM ROUNDS [ARGUMENT...]
runs() {
  local ranks=$1 processes=$2 program=$3 count=$4
  PURE_RANKS=$ranks timeout 250 "${prefix[@]}" "$folder/loopback.$program" "$processes" "$seed" "$seed" "$count" "${@:5}" \
    > out 2>&1 < /dev/null || fail "$ranks ranks in $processes processes: loopback.$program $processes $seed $seed $count: $(cat out)"
  seed=$((seed + count))
}

all_programs() { # all_programs RANKS PROCESSES
  local program
  for program in streams turns fields; do runs "$1" "$2" "$program" "$rounds"; done
  # A program, or a plan, may need more ranks than there are: of several some do not.
  runs "$1" "$2" oracle "$((rounds < 6 ? 6 : rounds))"
  runs "$1" "$2" collectives "$((rounds < 6 ? 6 : rounds))" "$work/entered"
  rm -f entered
  PURE_CHECK=0 runs "$1" "$2" freed 1 # a request is left behind, as it should be
  # Not built for ThreadSanitizer.
  [[ ! -e $folder/loopback.checked ]] || PURE_CHECK=1 runs "$1" "$2" checked 1
  runs "$1" "$2" windows "$(((rounds + 1) / 2))"
  runs "$1" "$2" aggregations "$(((rounds + 1) / 2))"
  PURE_WINDOW_TRANSPORT=messages runs "$1" "$2" windows "$(((rounds + 1) / 2))"
}

all_programs 4 2
all_programs 6 3
PURE_CHECK=0 runs 3 2 freed 1 # one process with several ranks, one with a single rank
# Where everything is tight, a thread moves messages beside the ranks, and calls are checked.
export PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0
((rounds < 4)) || all_programs 4 2 # with few rounds, all of this at once
export PURE_ASYNC_PROGRESS=on PURE_CHECK=1
all_programs 4 2
unset PURE_NET_MESSAGE_BYTES PURE_RING_BYTES PURE_EAGER_LIMIT PURE_ASYNC_PROGRESS PURE_CHECK
# What is done for speed alone changes no answer.
ways=(direct bare foreseen runs pacing given direct,bare,foreseen,pacing,given)
((rounds > 4)) || ways=("${ways[@]: -1}")
for without in "${ways[@]}"; do
  export PURE_NET_WITHOUT=$without
  runs 4 2 streams "$((1 + rounds / 8))"
  runs 4 2 turns "$((1 + rounds / 8))"
done
finish
