#!/usr/bin/env bash
# pthread_exit by a rank, and pthread_cancel of one: they have a name, and end the job. What other threads do is libc's.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"
hint='a rank ends when its main returns, or by exit(0)'

for ranks in 2 5; do
  fails 1 $ranks ending_threads pthread_exit -- "rank 1 called pthread_exit: $hint"
  fails 1 $ranks ending_threads thrd_exit -- "rank 1 called thrd_exit: $hint"
  fails 1 $ranks ending_threads pthread_exit_in_chunk -- 'called pthread_exit inside a chunk of a task' "$hint"
  fails 1 $ranks ending_threads pthread_exit_everywhere -- 'called pthread_exit' "$hint"
  fails 1 $ranks ending_threads cancel_self -- "rank 1's thread was cancelled (pthread_cancel) by rank 1" "$hint"
  fails 1 $ranks ending_threads cancel_other -- "rank 0's thread was cancelled (pthread_cancel) by rank 1" "$hint"
  fails 1 $ranks ending_threads cancel_by_thread -- \
    "rank 0's thread was cancelled (pthread_cancel) by a thread that is no rank" "$hint"
  fails 0 $ranks ending_threads own_thread --
  grep -qx 'went well' "$work/out" || fail "ending_threads own_thread: $(cat "$work/out")"
  fails 1 $ranks bad_run pthread_exit -- "rank 1 called pthread_exit: $hint"
done
if (($(nproc) > 1)); then
  fails 1 1 env PURE_HELPERS=1 ending_threads pthread_exit_of_thief -- 'helper 0 called pthread_exit inside a chunk' "$hint"
fi
finish
