#!/usr/bin/env bash
# A main that ends with open operations: its receives are taken back, so that no message is written to what was its frame;
# its sends and collectives still find there what they were given.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

sends=(large_sends small_sends freed_sends)
receives=(receives any_receives freed_receives freed_large_receive exchanges persistent)
for ranks in 2 3; do
  export PURE_SPIN_US=$((ranks == 2 ? 50000 : 0))
  for end in exit return; do
    for what in "${sends[@]}" "${receives[@]}" collective; do
      fails 0 $ranks open_at_end $end $what --
      grep -qx 'went well' "$work/out" || fail "open_at_end $end $what ($ranks ranks): $(< "$work/out")"
    done
    fails 1 $ranks open_at_end $end large_to_receive -- 'deadlock' 'rank 0 waits in pure_send_msg' \
      "by rank $((ranks - 1)), tag 5" "rank 0 waits for rank $((ranks - 1)), whose main has returned"
    # PURE_CHECK says what was left.
    fails 0 $ranks env PURE_CHECK=1 open_at_end $end freed_large_receive --
    for what in receives exchanges persistent large_sends collective; do
      fails 1 $ranks env PURE_CHECK=1 open_at_end $end $what -- 'has left behind what follows'
    done
  done
done
finish
