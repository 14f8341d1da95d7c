#!/usr/bin/env bash
# What docs/debugging.md says of gdb, with its program: all ranks are there, by their names.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
command -v gdb > /dev/null || skip 'gdb is not installed'
export LC_ALL=C PURE_CHECK=0

# program NAME: stdin is its source.
program() {
  cat > "$1.cpp"
  "$cxx" -std=c++17 -g -O0 -I "$support/../../include" "$1.cpp" -o "$1" -L "$PURETEST_BUILD_DIR/lib" -lpure -pthread \
    -Wl,-rpath,"$PURETEST_BUILD_DIR/lib" || fail "$1.cpp does not compile"
}

# debugged PROGRAM COMMAND...: by purerun with three ranks, in gdb; what is said is in `out`.
debugged() {
  local commands=()
  for command in "${@:2}"; do commands+=(-ex "$command"); done
  timeout 100 purerun -n 3 gdb -nx -q -batch "${commands[@]}" --args "./$1" > out 2>&1 < /dev/null
  if grep -q 'ptrace: Operation not permitted' out; then skip 'gdb may not trace here'; fi
}

# shown PATTERN...: lines of `out`, in this order.
shown() {
  local from=1 at
  for pattern; do
    at=$(tail -n "+$from" out | grep -nE -- "$pattern" | sed -n '1s/:.*//p')
    [[ -n $at ]] || { fail "no '$pattern' behind line $from of: $(cat out)" && return; }
    from=$((from + at))
  done
}

sed -n '/^<!-- file: parts.cpp -->/,/^```$/p' "$support/../../docs/debugging.md" | sed '1,2d;$d' | program parts
# (A rank that has not begun when rank 2 comes there has no name yet.)
debugged parts 'break partial_sum if rank == 2' run 'info threads' 'thread apply all bt' 'thread find rank 2' \
  'set scheduler-locking on' next 'print size' 'set scheduler-locking off' 'delete' continue
shown '^Thread 4 "rank 2" hit Breakpoint 1, partial_sum \(rank=2, size=3\) at parts\.cpp:' \
  '^  1 .* "parts" ' '^  2 .* "(rank 0|parts)"' '^  3 .* "(rank 1|parts)"' '^\* 4 .* "rank 2" +partial_sum \(rank=2, size=3\)' \
  '^Thread 4 .*"rank 2"' '#1 .* in main \(\) at parts\.cpp:' '^Thread 3 ' '^Thread 2 ' '^Thread 1 ' \
  '^Thread 4 has target name .rank 2.' '^[0-9]+.*for \(int k' '= 3$' '^7\.4855$' 'exited normally'

# Each rank that comes there, one after the other.
debugged parts 'break partial_sum' run continue continue delete continue
for rank in 0 1 2; do grep -q "hit Breakpoint 1, partial_sum (rank=$rank, " out || fail "rank $rank: $(cat out)"; done
shown 'exited normally'

# purerun itself is the program, which becomes another one.
timeout 100 gdb -nx -q -batch -ex 'set breakpoint pending on' \
  -ex 'break partial_sum' -ex run -ex delete -ex continue --args purerun -n 3 ./parts > out 2>&1 < /dev/null
shown 'hit Breakpoint 1, partial_sum \(rank=[012], size=3\)' 'exited normally'

# A deadlock: the report, and then every rank where it waits.
program dead << 'END'
#include <pure.h>
int main() {
  int x = 0;
  pure_recv_msg(&x, 1, PURE_INT, (pure_rank() + 1) % pure_size(), 7, PURE_COMM_WORLD);
}
END
debugged dead 'handle SIG64 nostop noprint pass' 'catch syscall exit_group' run 'thread apply all -q -s frame function main'
shown '^pure: deadlock: ' 'cycle: rank 0 waits for 1 waits for 2 waits for 0' 'hit Catchpoint 1 \(call to syscall' \
  'main \(\) at dead\.cpp:4' 'main \(\) at dead\.cpp:4' 'main \(\) at dead\.cpp:4'

# Attached to, while rank 0 does something else for long.
program busy << 'END'
#include <pure.h>
#include <cstdio>
#include <unistd.h>
int main() {
  int x = 0;
  if (pure_rank() == 0) {
    std::printf("ready %d\n", getpid());
    std::fflush(stdout);
    for (int i = 0; i < 30; ++i) sleep(1);
  }
  pure_bcast(&x, 1, PURE_INT, 0, PURE_COMM_WORLD);
}
END
timeout 60 purerun -n 3 ./busy > ready 2>&1 < /dev/null &
for _ in {1..600}; do
  grep -q ready ready && break
  sleep 0.1
done
timeout 60 gdb -nx -q -batch -ex 'info threads' -ex 'thread apply all -q -s frame function main' \
  -p "$(sed -n 's/^ready //p' ready)" > out 2>&1 < /dev/null
kill %1
wait
if grep -q 'ptrace: ' out; then
  not_tested 'a running program' 'gdb may not attach here'
else
  shown '"rank 0"' '"rank 1"' '"rank 2"'
  [[ $(grep -c 'main () at busy\.cpp:' out) -ge 3 ]] || fail "not all ranks: $(cat out)"
fi
finish
