#!/usr/bin/env bash
# Debuggers over ranks that have globals of their own: gdb finds breakpoints, lines and each rank's variables in a program
# that it starts, in one that runs, and in a core file; what perf reads names the program's file.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1
export LC_ALL=C PURE_CHECK=0

# With a library of its own, whose variable each rank has, too. The library is stripped of nothing, as the program.
cat > count.c << 'END'
int steps = 100;
int step(int by) {
  steps += by;
  return steps;
}
END
cat > app.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int step(int by);
int counter = 10;
static int calls;
static int work(int rank) {
  counter += rank;
  return counter; /* mark: inside */
}
int main(int argc, char** argv) {
  int rank, x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  step(work(rank) - 10);
  MPI_Barrier(MPI_COMM_WORLD);
  calls += 2 * rank; /* mark: later */
  if (argc > 1 && strcmp(argv[1], "wait") == 0) {
    if (rank == 0) {
      printf("ready %d\n", (int)syscall(SYS_getpid)); /* getpid() is the rank's own thread */
      fflush(stdout);
      for (int i = 0; i < 60; ++i) sleep(1); /* mark: sleeps */
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc > 1 && strcmp(argv[1], "crash") == 0 && rank == 2) abort(); /* mark: crash */
  if (argc > 1 && strcmp(argv[1], "crash") == 0) MPI_Recv(&x, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return counter == 10 + rank ? 0 : 1;
}
END
purecc -g -O0 -fPIC -shared count.c -o libcount.so && purecc -g -O0 app.c -o app -L. -lcount -Wl,-rpath,"$PWD" ||
  fail 'the program does not compile'
sed -n '/^<!-- file: own.py -->/,/^```$/p' "$support/../../docs/private_globals.md" | sed '1,2d;$d' > own.py
inside=$(grep -n 'mark: inside' app.c | cut -d: -f1) sleeps=$(grep -n 'mark: sleeps' app.c | cut -d: -f1)
later=$(grep -n 'mark: later' app.c | cut -d: -f1) crash=$(grep -n 'mark: crash' app.c | cut -d: -f1)

# Each rank's text is the program's file, at its own offset: so perf, and whatever else reads the maps, finds its symbols.
timeout 100 purerun --ranks-as threads -n 3 ./app wait > ready 2> err < /dev/null &
job=$!
for _ in {1..600}; do
  grep -q ready ready && break
  sleep 0.1
done
pid=$(sed -n 's/^ready //p' ready)
texts=$(grep -E "^[0-9a-f-]+ r-xp [0-9a-f]+ .* $PWD/app\$" "/proc/$pid/maps")
[[ $(wc -l <<< "$texts") == 3 ]] || fail "not three texts of the program: $(cat "/proc/$pid/maps")"
[[ $(awk '{print $3}' <<< "$texts" | sort -u | wc -l) == 1 ]] || fail "texts at several offsets: $texts"

finish_job() {
  kill $job 2> /dev/null
  wait $job 2> /dev/null
}
if ! command -v gdb > /dev/null; then
  finish_job
  skip 'gdb is not installed'
fi

# debugged ARGUMENT...: gdb, without a terminal, which it would wait for; its commands come from stdin. All is in `out`.
debugged() {
  cat > commands
  setsid timeout -s KILL 100 gdb -nx -q -batch -x commands "$@" > out 2>&1 < /dev/null
  if grep -q 'ptrace: Operation not permitted\|Cannot PTRACE' out; then finish_job && skip 'gdb may not trace here'; fi
}
shown() { # shown PATTERN...: each is in a line of `out`
  local pattern
  for pattern; do grep -qE -- "$pattern" out || fail "no '$pattern' in: $(cat out)"; done
}

echo 'a program that runs'
debugged -p "$pid" << END
info sharedlibrary
source own.py
$(for thread in 2 3 4; do
    printf '%s\n' "thread $thread" 'frame function main' 'printf "rank %d has %d and %d\n", rank, $own("counter"), calls'
  done)
break app.c:$((sleeps + 3))
END
for rank in 0 1 2; do shown "^rank $rank has $((10 + rank)) and $((2 * rank))\$"; done
shown "^Breakpoint 1 at 0x[0-9a-f]+: app\.c:[0-9]+\. \(3 locations\)$"
[[ $(grep -c "Yes  .* $PWD/app\$" out) == 3 ]] || fail "not three programs: $(cat out)"
[[ $(grep -cE '^#[0-9]+ .* in main \(.*\) at app\.c:' out) == 3 ]] || fail "not in three mains: $(cat out)"
finish_job

echo 'a program that gdb starts'
debugged --args purerun --ranks-as threads -n 3 ./app << END
set breakpoint pending on
break app.c:$inside
commands
silent
printf "rank %d has %d\\n", rank, counter
continue
end
break count.c:4
commands
silent
printf "step by %d to %d\\n", by, steps
backtrace
continue
end
tbreak app.c:$later if rank == 2
run
next
printf "rank %d stepped to %d\\n", rank, calls
continue
END
for rank in 0 1 2; do
  shown "^rank $rank has $((10 + rank))\$" "^step by $rank to $((100 + rank))\$" "^#0  step \(by=$rank\) at count\.c:4"
done
shown '^Thread [0-9]+ "rank 2" hit Temporary breakpoint 3[., ]' '^#1 .* in main \(argc=1, .*\) at app\.c:' \
  '^rank 2 stepped to 4$' 'exited normally'
if grep -qE '^warning: |Cannot insert' out; then fail "gdb warns: $(cat out)"; fi

echo 'a core file'
# Where the kernel puts it, if it writes any: beside, by its usual name.
if [[ $(< /proc/sys/kernel/core_pattern) != core* ]]; then
  not_tested 'core files' "the kernel's core_pattern leads elsewhere"
else
  (ulimit -c unlimited && purerun_ends 134 --ranks-as threads -n 3 ./app crash)
  core=(core*)
  debugged "$PURETEST_BUILD_DIR/lib/pure_ranks_mpi" "${core[0]}" << 'END'
backtrace
thread apply all -q -s frame function main
END
  shown "^#[0-9]+ .* in main \(argc=2, .*\) at app\.c:$crash\$"
  [[ $(grep -cE '^#[0-9]+ .* in main \(.*\) at app\.c:' out) -ge 4 ]] || fail "not in three mains: $(cat out)"
fi
finish
