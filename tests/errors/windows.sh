#!/usr/bin/env bash
# Windows: who waits for ever at one is named with what holds it, and where; what is forgotten or wrong ends the job with
# its cause.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

line() { grep -n "$1" "$(dirname "${BASH_SOURCE[0]}")/../programs/window_ends.cpp" | sed -n 1p | cut -d: -f1; }

fails 1 2 window_ends forgotten_unlock -- 'deadlock' 'rank 0 waits in pure_win_lock' \
  'for the lock of window "halo" at rank 0, at ' '; rank 1 holds it by pure_win_lock at ' \
  "window_ends.cpp:$(line 'me == 1) pure_win_lock')" 'rank 0 waits for rank 1, whose main has returned with what it held by' \
  'Look for a lock that is not unlocked'
grep -q 'Look for a receive' "$work/err" && fail "a lock is no message: $(cat "$work/err")"
first=$(($(line 'is("crossed_locks")') + 1))
fails 1 3 window_ends crossed_locks -- 'deadlock' 'cycle: rank 0 waits for 1 waits for 0' \
  'rank 0 waits in pure_win_lock for the lock of window "halo" at rank 0, at ' "window_ends.cpp:$((first + 3)); rank 1 holds it" \
  'rank 1 waits in pure_win_lock for the lock of window "halo" at rank 2, at ' "window_ends.cpp:$((first + 4)); rank 0 holds it"
fails 1 2 window_ends never_notified -- 'deadlock' 'rank 0 waits in pure_win_wait_notified for notification 5 of window "halo"'
fails 1 3 window_ends fence_of_one -- 'deadlock' 'rank 0 waits in pure_win_fence' 'the same call by' 'Look for a rank that does not make this call'
fails 1 2 window_ends no_post -- 'deadlock' 'rank 0 waits in pure_win_start for the post of the window by'
fails 1 2 window_ends no_epoch -- 'pure_put: rank 0 of window "halo": rank 1 may not be accessed: no epoch is open' \
  "window_ends.cpp:$(line 'me == 0) pure_put')"
fails 1 2 window_ends throws_in_epoch -- 'the solver diverges'
fails 1 4 window_ends throws_while_others_wait -- 'the solver diverges'
fails 1 2 window_ends freed_in_epoch -- 'pure_win_free: rank 1 of window "halo": a rank is locked: unlock it first'
fails 1 2 window_ends spins -- 'the solver diverges'
fails 1 2 window_ends ends_over_memory -- 'pure_fetch_and_op: rank 0 of window "rows"' 'the main of rank 1 has ended' \
  'in memory of the program' "window_ends.cpp:$(line 'pure_fetch_and_op(&x, &x, PURE_INT64_T, 1, 3')"
fails 1 2 window_ends no_complete -- 'deadlock' "in pure_win_wait for the end of the epochs of its post's origins"
fails 1 2 window_ends other_communicator -- 'deadlock' 'pure_win_fence' 'the same call by'

# What only the checks find (docs/checks.md).
checked() { fails 1 "$1" env PURE_CHECK=1 window_ends "${@:2}"; }
checked 2 other_window -- 'rank 0 calls pure_win_fence of window "halo" at ' 'but rank 1 pure_win_fence of window "rows" at '
checked 2 free_against_fence -- 'rank 0 calls pure_win_free of window "halo"' 'but rank 1 pure_win_fence of window "halo"'
first=$(($(line 'is("two_puts")') + 2))
checked 3 two_puts -- 'pure_put: rank 2 of window "halo": this put uses bytes 24 to 31 of rank 0' \
  'and so does the put by rank 1, pure_put at ' "window_ends.cpp:$first, which is not complete" 'MPI 4.1, 12.7' \
  "window_ends.cpp:$((first + 2))"
checked 2 store_and_put -- 'pure_win_fence: rank 0 of window "halo": bytes 24 to 31 of its memory were stored to' \
  'the put by rank 1, pure_put at ' 'MPI 4.1, 12.7'
fails 0 3 env PURE_CHECK=0 window_ends two_puts --
fails 0 2 env PURE_CHECK=0 window_ends store_and_put --
fails 1 2 bash -c 'ulimit -v 8000000; exec window_ends memory' -- 'pure_win_allocate' 'there is no memory for the' 'of rank 1 in window "halo"'
fails 0 2 window_ends left --
fails 1 2 env PURE_CHECK=1 window_ends left -- 'has left behind' 'rank 0: window "halo" was not freed' \
  'rank 1: window "halo" was not freed'
fails 0 2 env PURE_CHECK=1 window_ends freed --
finish
