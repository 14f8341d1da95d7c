#!/usr/bin/env bash
# A system that gives no more threads: whichever cannot be started, it is said once, and the process ends, at its start as
# at its end.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

# ---- the start: every thread of a job ----
for way in FAIL_AT FAIL_FROM; do
  for number in 1 2 3; do
    fails 1 3 env $way=$number no_threads work -- "rank $((number - 1)), one of 3 threads, could not be started" \
      'lower the number of ranks'
  done
  fails 0 3 env $way=4 no_threads work --
  (($(nproc) == 1)) || fails 1 1 env PURE_HELPERS=1 $way=2 no_threads work -- 'helper 0, one of 2 threads, could not be'
done

# ---- the end: none is left ----
fails 3 3 env FAIL_FROM=4 no_threads exit_3 -- 'rank 0 called exit(3)'
grep -qx 'last words' "$work/out" || fail 'exit(3) without threads: the output was lost'
fails 1 3 env FAIL_FROM=4 no_threads throw -- 'my cause'
fails 1 3 env FAIL_FROM=4 no_threads deadlock -- 'deadlock'
fails 5 3 env FAIL_FROM=4 no_threads abort -- 'pure_abort(5)'
for from in 0 4; do fails 3 3 env FAIL_FROM=$from no_threads stuck -- 'rank 0 called exit(3)'; done

# ---- pure::run throws, and works the next time ----
for number in 1 2 3; do
  timeout -k 1 60 no_threads_run $number > "$work/out" 2>&1 || fail "no_threads_run $number: $?: $(< "$work/out")"
done

# ---- the system's own limits ----
# (`ulimit -v` is asked about before the first one: errors.many_ranks.)
if [[ $EUID == 0 ]]; then
  # Where another user may read them.
  cp "$(command -v no_threads)" "$PURETEST_BUILD_DIR"/lib/libpure.so* "$work"
  chmod 755 "$work"
  few() { (ulimit -u 4 && exec setpriv --reuid=64999 --regid=64999 --clear-groups "$0" work); }
  export -f few
  LD_LIBRARY_PATH=$work fails 1 60 bash -c few "$work/no_threads" -- 'could not be started'
else
  not_tested 'a limit of threads' 'the limit of a user counts what else that user runs'
fi
finish
