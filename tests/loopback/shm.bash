#!/usr/bin/env bash
# The random programs of both oracles, and some of tests/net, over the network over shared memory, with all processes in
# one: shm.bash FOLDER 'PREFIX'
#
# In 2 to 8 processes of 1 to 4 ranks, by each way in which payloads may travel. Between real processes they run in
# tests/net; here ThreadSanitizer and AddressSanitizer see both ends.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
rounds=$(awk "BEGIN { print 1 + int(1 * ${PURETEST_SCALE:-1}) }")

for network in shm pieces rings; do all_programs 4 2; done
# Each number of processes with each number of ranks, by one way after the other. With few rounds, as under a sanitizer,
# which sees each access whatever the shape, each number of processes has one number of ranks.
ways=(shm pieces rings)
numbers=(1 2 3 4)
for processes in 2 3 4 5 6 8; do
  ((rounds > 1)) || numbers=($((1 + (processes + 1) % 3)))
  for each in "${numbers[@]}"; do
    ranks=$((processes * each))
    network=${ways[0]}
    ways=("${ways[@]:1}" "$network")
    # A program, or a plan, may need more ranks than there are: of several some do not.
    count=$((ranks < 6 ? 12 : 6))
    runs "$ranks" "$processes" oracle "$count"
    runs "$ranks" "$processes" collectives "$count" "$work/entered"
    rm -f entered
  done
done
# Where everything is tight, a thread moves messages beside the ranks, and calls are checked.
export PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0
export PURE_ASYNC_PROGRESS=on PURE_CHECK=1
network=pieces
all_programs 4 2
finish
