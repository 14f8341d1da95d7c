#!/usr/bin/env bash
# Splits by hardware between processes of a machine: an object is the same one for all of them.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

if ! taskset -c 0,1 true 2> /dev/null || (($(nproc) < 2)); then
  skip "cpus 0 and 1 are not both there"
fi

# Two sockets; ranks 0 and 1 are in one process, 2 and 3 in another.
printf '%s\n' '0 0' '1 1' '2 0' '3 1' > map
expected=$(sort << 'END'
numa: 0 1 2 3
socket: 0 2
socket: 1 3
l3: 0 2
l3: 1 3
core: 0 2
core: 1 3
hwloc://L2Cache: not 0
hwloc://L2Cache: not 1
hwloc://L2Cache: not 2
hwloc://L2Cache: not 3
hwloc://L4Cache: not 0
hwloc://L4Cache: not 1
hwloc://L4Cache: not 2
hwloc://L4Cache: not 3
level 1 hwloc://Package: 0 2
level 1 hwloc://Package: 1 3
level 2 none: not 0
level 2 none: not 1
level 2 none: not 2
level 2 none: not 3
END
)
export HWLOC_SYNTHETIC='pack:2 l3:1 core:1 pu:1'
for network in $(networks); do
  timeout 60 purerun -n 4 -N 2 --mpi "$network" --map-by file:map split_types > out 2> err < /dev/null ||
    fail "$network: status $?: $(cat err)"
  got=$(sort out)
  [[ $got == "$expected" ]] || fail "$network: got
$got"
done
finish
