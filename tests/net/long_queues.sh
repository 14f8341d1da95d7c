#!/usr/bin/env bash
# Thousands of receives, messages and sends that wait at once between processes are matched rightly, in every order, over every MPI.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

for network in $(networks); do
  ends 0 'long queues: right' -n 2 -N 2 --mpi "$network" "$build/tests/programs/long_queues" 2000
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 \
    ends 0 'long queues: right' -n 2 -N 2 --mpi "$network" "$build/tests/programs/long_queues" 700
  echo "tested over $network"
done
finish
