#!/usr/bin/env bash
# A child of a rank is nobody's rank, however it is made: it ends as any process, and leaves its parent as it was.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
source "$(dirname "${BASH_SOURCE[0]}")/forks.bash"
ulimit -c 0

command=(env PURE_RANKS=3 forks)
for make in fork fork_in_chunk fork_in_thread clone; do ways_of $make; done
ways_of_vfork
child vfork exit_3 'exit 3' # it is not allowed; libc's handlers are gone, but the ranks are not
without_rank fork
child fork_in_chunk send 'exit 1' 'is a forked child of rank 0'
child fork_in_chunk segv 'signal 11' ', a forked child of rank 0, crashed: SIGSEGV'
child fork_in_thread segv 'signal 11'
child fork_in_thread send 'exit 1' 'called outside a rank'
parent_fails fork vfork clone fork_in_chunk
for setting in PURE_STATS=1 PURE_CHECK=1 PURE_ASYNC_PROGRESS=1 PURE_SPIN_US=0; do
  command=(env PURE_RANKS=3 $setting forks)
  child fork exit_3 'exit 3' "$([[ $setting != PURE_STATS=1 ]] || echo rank)"
done

# ---- pure::run: a process that has no ranks yet, or any more, may have children that run some ----
for when in before between beside; do
  for what in run exit return; do
    [[ $when == beside && $what == return ]] && continue
    timeout -k 1 40 fork_runs $when $what > "$work/out" 2>&1 < /dev/null || fail "fork_runs $when $what: $?: $(< "$work/out")"
    grep -qx 'child: 3' "$work/out" && grep -qx 'went well' "$work/out" || fail "fork_runs $when $what: $(< "$work/out")"
  done
done
finish
