#!/usr/bin/env bash
# Nothing that is said changes how a job ends: with a stderr that is closed, full, or a pipe that nobody reads, every
# status and result is what it is with one that works. And what was asked for by name says when it cannot be written.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

[[ -c /dev/full ]] || skip 'there is no /dev/full'
mkfifo fifo
exec 8<> fifo 9> fifo 8<&- # 9: a pipe without a reader

# row STATUS SAYS COMMAND...: with a stderr that works it ends so, and says that; with others it ends and prints the same.
row() {
  local status=$1 text=$2 got stderr
  shift 2
  { timeout -k 1 60 "$@" > expected 2> err < /dev/null; } 2> /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "$*: status $got, not $status; it says: $(cat err)"
  grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
  for stderr in '&-' /dev/full '&9'; do
    { eval 'timeout -k 1 60 "$@" > out < /dev/null 2>'"$stderr"; } 2> /dev/null
    got=$?
    [[ $got == "$status" ]] || fail "$* 2>$stderr: status $got, not $status"
    cmp -s expected out || fail "$* 2>$stderr: it prints '$(cat out)', not '$(cat expected)'"
  done
}
of_2=(env PURE_RANKS=2)

# ---- a job that goes well ----
beside row 0 'PURE_OF_OTHERS' "${of_2[@]}" PURE_OF_OTHERS=1 says well
beside row 0 'PURE_HUGE_PAGES=reserved is not granted' "${of_2[@]}" PURE_HUGE_PAGES=reserved PURE_STACK_BYTES=64G says well
beside row 0 'holds 10 messages' "${of_2[@]}" PURE_UNEXPECTED_WARN=10 says early
beside row 0 'rank 1' "${of_2[@]}" PURE_REPORT_BINDINGS=1 says well
beside row 0 'pure: what 2 ranks did' "${of_2[@]}" PURE_STATS=1 says well
beside row 0 'the timeline is full' "${of_2[@]}" PURE_TRACE=trace.json PURE_TRACE_EVENTS=1000 activity many
beside row 0 'writing the timeline failed: No space left on device' "${of_2[@]}" PURE_TRACE=/dev/full says well
beside row 0 'writing the timeline failed: File too large' bash -c 'ulimit -f 1; PURE_RANKS=2 PURE_TRACE=trace.json exec says often'
beside row 0 'a rank has waited for 1 s' "${of_2[@]}" PURE_HANG_TIMEOUT=1 says slow

# ---- one that does not ----
beside row 1 'has left behind' "${of_2[@]}" PURE_CHECK=1 says leftover
beside row 1 'deadlock' "${of_2[@]}" says deadlock
beside row 1 'rank 1: ended by an exception: my cause' "${of_2[@]}" says throw
beside row 3 'rank 1 called exit(3)' "${of_2[@]}" says exit
beside row 4 'rank 1 called _exit(4)' "${of_2[@]}" says _exit
beside row 139 'rank 1 crashed: SIGSEGV' "${of_2[@]}" says segv
beside row 134 'rank 1 crashed: SIGABRT' "${of_2[@]}" says abort
beside row 1 'rank 1' "${of_2[@]}" says wrong
beside row 1 'returned 256' "${of_2[@]}" says return
beside row 1 'rank 1' "${of_2[@]}" bad_run throw
beside row 1 'PURE_RANKS=many' env PURE_RANKS=many says well
beside row 1 'the file cannot be written' "${of_2[@]}" PURE_TRACE=/no/such/folder/file says well

# ---- purerun ----
beside row 0 'warning: ' env PURE_OF_OTHERS=1 purerun -n 2 says well
beside row 127 'purerun: ' purerun ./no_such_program
beside row 2 'purerun: ' purerun --no-such-option true
beside row 3 'not built with Pure' purerun --ranks-as threads env true
beside row 0 'without starting any rank' purerun no_rank
beside row 139 'was killed by signal 11' purerun -n 2 says segv
beside row 1 'rank 1' purerun -n 2 says throw
beside row 2 'pure: ' pure --no-such-option
beside row 1 'pure' pure globals no_such_file

# A file that is opened later does not get the number of a stderr that is closed.
into_the_timeline() {
  PURE_RANKS=2 PURE_STATS=1 PURE_TRACE=trace.json timeout 60 says well > out 2>&- || fail "--trace, no stderr: status $?"
  [[ $(tail -c 3 trace.json) == *'}'* ]] || fail "--trace, no stderr: the end of the timeline is $(tail -c 50 trace.json)"
  if grep -q 'pure: ' trace.json; then fail '--trace, no stderr: what --stats says is in the timeline'; fi
}
beside into_the_timeline

# ---- what a tool prints is all there, or it says so, as coreutils do ----
# lost COMMAND...: with a stdout that fails.
lost() {
  local got
  timeout 60 "$@" > /dev/full 2> err < /dev/null
  got=$?
  [[ $got == 1 ]] || fail "$* > /dev/full: status $got"
  grep -qx "${1##*/}: standard output cannot be written: No space left on device" err || fail "$* > /dev/full: $(cat err)"
  timeout 60 "$@" >&- 2> err < /dev/null
  got=$?
  [[ $got == 1 ]] || fail "$* >&-: status $got"
  grep -qx "${1##*/}: standard output cannot be written: Bad file descriptor" err || fail "$* >&-: $(cat err)"
  timeout 60 "$@" > /dev/full 2>&1 < /dev/null
  got=$?
  [[ $got == 1 ]] || fail "$* > /dev/full 2>&1: status $got"
}
beside lost pure info
beside lost pure info --json
beside lost pure --help
beside lost pure --version
beside lost purerun --help
beside lost purerun --version
beside lost purerun -n 2 --dry-run true
beside lost pure globals "$(type -P says)"

# ---- processes, each with a stderr of its own that fails ----
# of_processes MPI STATUS WHAT STDERR
of_processes() {
  local got
  timeout -k 1 60 purerun --mpi "$1" -N 2 -n 2 --stats ../"$4" "$3" > out 2> err < /dev/null
  got=$?
  [[ $got == "$2" ]] || fail "$1: $3, stderr $4: status $got, not $2: $(cat out err)"
}
script closed <<< $'#!/bin/sh\nexec says "$@" 2>&-'
script full <<< $'#!/bin/sh\nexec says "$@" 2> /dev/full'
script unread << 'END'
#!/bin/bash
mkfifo "fifo.$$"
exec {reader}<> "fifo.$$" 2> "fifo.$$" {reader}<&- # low numbers may be the launcher's
exec says "$@"
END
for mpi in mpich openmpi; do
  if ! purerun -N 2 --mpi $mpi --dry-run true > /dev/null 2>&1; then
    not_tested "processes over $mpi" 'this build has none of it'
    continue
  fi
  beside of_processes $mpi 0 well closed
  beside of_processes $mpi 0 well unread
  beside of_processes $mpi 1 throw full
  beside of_processes $mpi 3 exit unread
done
together
finish
