#!/usr/bin/env bash
# Communicators that are freed while they are in use, between processes: as inside one.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

for network in $(networks); do
  for job in "-n 2 -N 2" "-n 3 -N 2" "-n 4 -N 2 --placement round-robin" "-n 9 -N 3"; do
    # shellcheck disable=SC2086
    ends 0 'freed: right' $job --mpi "$network" "$build/tests/net/freed"
  done
done
finish
