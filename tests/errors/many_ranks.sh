#!/usr/bin/env bash
# Jobs of many ranks: ranks that never talk to each other take no memory for that, and more ranks than fit are refused
# with the reason, before any of them starts.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

# taken_kb RANKS: what they take at a barrier, beyond their stacks.
taken_kb() {
  local kb
  kb=$(PURE_RANKS=$1 PURE_STACK_BYTES=1m timeout 100 many_ranks 1024) || fail "many_ranks with $1 ranks: status $?"
  [[ $kb =~ ^[0-9]+$ ]] || fail "many_ranks with $1 ranks says: $kb"
  echo "$kb"
}

few=$(taken_kb 500)
many=$(taken_kb 2000)
echo "500 ranks take $few kB, 2000 ranks $many kB beyond their stacks"
((many < 60000)) || fail "2000 ranks at a barrier take $many kB"
# Four times as many ranks: four times as much. With a word for each pair of ranks it would be 30 MB more.
((many < 4 * few + 10000)) || fail "memory does not grow with the ranks, but with their pairs: $few kB, $many kB"

# What the shell allows: 1000 stacks of 8 MiB.
(
  ulimit -v 2000000
  fails 1 1000 many_ranks -- '1000 ranks take at least' 'of address space' 'are left under ulimit -v: at most' \
    'lower PURE_STACK_BYTES'
  exit $((failures > 0))
) || failures=$((failures + 1))
# Smaller stacks fit.
(
  ulimit -v 2000000
  [[ $(PURE_RANKS=200 PURE_STACK_BYTES=256k timeout 100 many_ranks 256) =~ ^[0-9]+$ ]]
) || fail '200 ranks with small stacks do not fit into 2 GB'

finish
