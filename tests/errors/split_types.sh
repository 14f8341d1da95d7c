#!/usr/bin/env bash
# Splits by hardware on machines that hwloc imagines: whatever this one is, its cpus 0 and 1 are put on two sockets, or
# under one L3 cache.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"

if ! taskset -c 0,1 true 2> /dev/null || (($(nproc) < 2)); then
  echo "SKIPPED: splits by hardware: cpus 0 and 1 are not both there"
  exit 77
fi

# splits MACHINE MAP LINE...: ranks that are bound as the lines of MAP say get these communicators, and no others.
splits() {
  local machine=$1 map=$2 got expected
  shift 2
  printf '%b' "$map" > "$work/map"
  HWLOC_SYNTHETIC=$machine PURE_MAP_BY=file:$work/map PURE_RANKS=$(wc -l < "$work/map") timeout 60 split_types \
    > "$work/out" 2> "$work/err" || fail "$machine: status $?: $(cat "$work/err")"
  got=$(sort "$work/out")
  expected=$(printf '%s\n' "$@" | sort)
  [[ $got == "$expected" ]] || fail "$machine: got
$got
and not
$expected"
}

# Two sockets. The last rank may run on both.
splits 'pack:2 l3:1 l2:1 core:1 pu:1' '0 0\n1 1\n2 0\n3 0-1\n' \
  'numa: 0 1 2 3' 'socket: 0 2' 'socket: 1' 'socket: not 3' 'l3: 0 2' 'l3: 1' 'l3: not 3' 'core: 0 2' 'core: 1' \
  'core: not 3' 'hwloc://L2Cache: 0 2' 'hwloc://L2Cache: 1' 'hwloc://L2Cache: not 3' 'hwloc://L4Cache: not 0' \
  'hwloc://L4Cache: not 1' 'hwloc://L4Cache: not 2' 'hwloc://L4Cache: not 3' 'level 1 hwloc://Package: 0 2' \
  'level 1 hwloc://Package: 1' 'level 1 none: not 3' 'level 2 none: not 0' 'level 2 none: not 1' 'level 2 none: not 2'

# One L3 cache, and NUMA nodes within it.
splits 'pack:1 l3:1 numa:2 core:1 pu:1' '0 0\n1 1\n2 1\n' \
  'numa: 0' 'numa: 1 2' 'socket: 0 1 2' 'l3: 0 1 2' 'core: 0' 'core: 1 2' 'hwloc://L2Cache: not 0' \
  'hwloc://L2Cache: not 1' 'hwloc://L2Cache: not 2' 'hwloc://L4Cache: not 0' 'hwloc://L4Cache: not 1' \
  'hwloc://L4Cache: not 2' 'level 1 hwloc://NUMANode: 0' 'level 1 hwloc://NUMANode: 1 2' 'level 2 none: not 0' \
  'level 2 none: not 1' 'level 2 none: not 2'

# One core of two threads.
splits 'pack:1 core:1 pu:2' '0 0\n1 1\n' \
  'numa: 0 1' 'socket: 0 1' 'l3: not 0' 'l3: not 1' 'core: 0 1' 'hwloc://L2Cache: not 0' 'hwloc://L2Cache: not 1' \
  'hwloc://L4Cache: not 0' 'hwloc://L4Cache: not 1' 'level 1 hwloc://PU: 0' 'level 1 hwloc://PU: 1' \
  'level 2 none: not 0' 'level 2 none: not 1'
finish
