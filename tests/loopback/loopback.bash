#!/usr/bin/env bash
# The random programs of both oracles, and some of tests/net, on ranks in several processes over the loopback network:
# loopback.bash FOLDER 'PREFIX'
#
# Chance drives the network, by the seed: messages and payloads overtake each other, sends are done late, and receives
# are taken back late, or too late.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
network=loopback
rounds=$(awk "BEGIN { print 1 + int(4 * ${PURETEST_SCALE:-1}) }") # make soak has new ones in each of its own

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
