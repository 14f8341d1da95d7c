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
child fork_late pthread_exit 'exit 0' # whose ranks all sleep, but none of them is there to be waited for
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
run_forks() {
  local when=$1 what=$2 expected=$3 says=${4:-}
  timeout -k 1 80 fork_runs "$when" "$what" > "$work/out" 2> "$work/err" < /dev/null ||
    fail "fork_runs $when $what: $?: $(cat "$work/out" "$work/err")"
  grep -qx -- "child: $expected" "$work/out" && grep -qx 'went well' "$work/out" ||
    fail "fork_runs $when $what: not $expected: $(cat "$work/out" "$work/err")"
  if [[ -n $says ]]; then
    grep -qF -- "$says" "$work/err" || fail "fork_runs $when $what: no '$says' in: $(cat "$work/err")"
  elif [[ -s $work/err ]]; then
    fail "fork_runs $when $what: it says $(cat "$work/err")"
  fi
}
for when in before between beside; do
  for what in exit _exit quick_exit run_exit run__exit run_quick_exit; do
    beside run_forks $when $what 3
    beside run_forks $when ${what}_0 0
  done
  beside run_forks $when run_cancel_0 0
  beside run_forks $when segv -11
  beside run_forks $when run_segv -11
  [[ $when == beside ]] || beside run_forks $when return 3
  [[ $when == beside ]] || beside run_forks $when run_return 3
done
together
finish
