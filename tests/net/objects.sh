#!/usr/bin/env bash
# Serialized objects between processes: as inside one.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

for network in $(networks); do
  for job in "-n 2 -N 2" "-n 4 -N 2 --placement round-robin" "-n 5 -N 3" "-n 4 -N 4 --check"; do
    # shellcheck disable=SC2086
    ends 0 'objects: right' $job --mpi "$network" "$build/tests/net/objects"
  done
  # Small packets, in which many texts and objects do not fit; small rings.
  PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=8K PURE_EAGER_LIMIT=512 ends 0 'objects: right' -n 4 -N 2 --mpi "$network" "$build/tests/net/objects"
done
finish
