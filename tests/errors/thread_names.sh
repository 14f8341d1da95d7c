#!/usr/bin/env bash
# Threads are named as what they are, for top -H, gdb and perf; the process keeps the name of its program.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

[[ -r /proc/thread-self/comm ]] || skip 'there is no /proc'
ends 0 '' -n 3 thread_names
for rank in 0 1 2; do
  grep -qx "rank $rank, rank 0, rank 1, rank 2, thread_names" out || fail "rank $rank: $(cat out)"
done

cores=$(pure info --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["machine"]["allowed_cores"])')
if ((cores >= 2)); then
  ends 0 '' -n 1 --helpers 1 thread_names 'helper 0'
  grep -qx 'rank 0, helper 0, rank 0, thread_names' out || fail "a helper: $(cat out)"
else
  not_tested 'helpers' 'this machine has one core'
fi

finish
