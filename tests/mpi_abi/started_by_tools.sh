#!/usr/bin/env bash
# Anything may stand before an MPI program, as with every mpirun: tools, shells, scripts, interpreters. So many processes run
# it, and one line says so. $1: the C++ compiler of the build, which compiles the program as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1

cat > sums.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%s: rank %d of %d, sum %d\n", argc > 1 ? argv[1] : "sums", rank, size, sum);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "aborts") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  if (argc > 1 && strcmp(argv[1], "waits") == 0) sleep(100);
  MPI_Finalize();
  return argc > 2 ? atoi(argv[2]) : 0;
}
END
"$compiler" -x c -Wall -Wextra -Werror -I "$build/mpi/include" sums.c -x none -o sums -L "$build/lib" -lmpi_abi \
  -Wl,-rpath,"$build/lib" || fail 'sums.c does not compile'
sums=$work/sums

# printed RANKS NAME...: the program has run once for each name, as so many ranks.
printed() {
  local ranks=$1 name rank sum=$(($1 * ($1 - 1) / 2))
  shift
  for name; do
    for ((rank = 0; rank < ranks; ++rank)); do echo "$name: rank $rank of $ranks, sum $sum"; done
  done | sort > expected
  grep -E '^[a-z0-9]+: rank ' out | sort > got
  cmp -s expected got || fail "not $*, of $ranks ranks: $(cat out err)"
}
# one_line WHAT WHY: purerun says why ranks are processes, and nothing else.
one_line() {
  [[ $(grep -c '^purerun: ' err) == 1 && $(grep '^purerun: ' err) == "purerun: $1: ranks are processes, since $2." ]] ||
    fail "$1: purerun says: $(cat err)"
}
may_start='it is not built with Pure, and may start a program that is'

# before REASON TOOL ARGUMENT...: with the tool before it the program runs three times; if there is such a tool.
before() {
  local reason=$1
  shift
  purerun_ends 0 -n 3 "$@"
  printed 3 sums && one_line "$1" "$reason"
}
# works TOOL ARGUMENT...: it is there, and allowed here: containers forbid to trace, and to count.
works() { type -P "$1" > /dev/null && timeout 50 "$@" true > tried 2>&1 < /dev/null && ! grep -q 'ptrace: ' tried; }
is_script() { [[ $(head -c 2 "$(type -P "$1")") == '#!' ]]; }
tools=('env A=1' 'time' "taskset $(taskset -cp $$ | sed -n 's/.*: \([0-9]*\).*/-c \1/p')" 'nice' 'timeout 50' 'stdbuf -oL' 'setsid'
  'strace -f -o trace' 'perf stat -o stat' 'gdb -nx -batch -ex run --args' 'valgrind -q --tool=none')
for tool in "${tools[@]}"; do
  read -ra words <<< "$tool"
  if ! works "${words[@]}"; then
    echo "note: ${words[0]} is not installed, or cannot be used here"
  elif is_script "${words[0]}"; then
    beside before 'it is a script' "${words[@]}" "$sums"
  else
    beside before "$may_start" "${words[@]}" "$sums"
  fi
done
beside before "$may_start" sh -c "$sums"
beside before "$may_start" bash -c "timeout 50 $sums"
beside before "$may_start" env nice timeout 50 "$sums"

script() { # script LINE...: a script of them
  printf '%s\n' '#!/bin/sh' "$@" > script
  chmod +x script
}
scripts() { # scripts RANKS NAME LINE...: it runs the programs of these names
  local ranks=$1 names=$2
  shift 2
  script "$@"
  purerun_ends 0 -n "$ranks" ./script
  # shellcheck disable=SC2086
  printed "$ranks" $names
  if ((ranks > 1)); then one_line ./script 'it is a script'; elif [[ -s err ]]; then fail "one process: $(cat err)"; fi
}
beside scripts 2 'one' "$sums one"
beside scripts 1 'one two' "$sums one" "$sums two"
beside scripts 3 'one two three' "$sums one" 'echo between them' "$sums two" "exec $sums three"
python() {
  echo "import subprocess; subprocess.run(['$sums', 'one'], check=True); subprocess.run(['$sums', 'two'], check=True)" > script.py
  purerun_ends 0 -n 2 python3 script.py
  printed 2 one two
}
beside python

# Without MPI: each process runs it, and the first status that is not 0 counts.
without() { # without STATUS LINE: a shell that runs it
  purerun_ends "$1" -n 3 sh -c "$2"
  [[ $1 != 0 || $(grep -cx 'no MPI' out) == 3 ]] || fail "$2: $(cat out err)"
}
beside without 0 'echo no MPI'
beside without 0 'touch here; [ -e here ] && echo no MPI'
beside without 5 'exit 5'

# A failure in any of them ends all, at once.
fails() { # fails STATUS TEXT LINE...
  local status=$1 text=$2 began=$SECONDS
  shift 2
  script "$@"
  purerun_ends "$status" -n 2 ./script
  grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
  ((SECONDS - began < 10)) || fail "$*: it takes $((SECONDS - began)) s"
}
beside fails 9 'MPI_Abort' "$sums one" "$sums aborts; sleep 50"
beside fails 4 'ranks are processes' "$sums one" "$sums two 4 || exit" # after the end of the job
beside fails 1 'ended without having started its ranks, for which the others waited' \
  "$sums one" '[ "$PURE_PROCESS_NUMBER" = 0 ] || exit 0' "$sums two"

interrupted() { # interrupted LINE...: SIGINT to purerun alone ends it, and what it has started
  local began launcher try
  script "$@"
  env --default-signal=INT,QUIT purerun -n 2 ./script > out 2> err < /dev/null &
  launcher=$!
  for try in {1..400}; do
    (($(grep -sc ready out) + $(grep -sc 'waits: ' out) == 2)) && break
    sleep 0.05
  done
  began=$SECONDS
  kill -INT "$launcher"
  wait "$launcher"
  [[ $? == 130 ]] || fail "SIGINT, $*: another status: $(cat out err)"
  ((SECONDS - began < 5)) || fail "SIGINT, $*: it takes $((SECONDS - began)) s"
}
beside interrupted 'echo ready' 'sleep 100'
beside interrupted "$sums waits"
beside interrupted "$sums waits; true"

# The other way round: what valgrind writes is none of the dynamic linker's words, and purerun says what valgrind checks.
around() { # around WORD...: these before purerun
  timeout 100 "$@" purerun -n 2 "$sums" > out 2> err < /dev/null || fail "$*: status $?: $(cat err)"
  printed 2 sums
  grep -qxF "  To check the program: purerun -n 2 valgrind $sums" err || fail "$*: no note: $(cat err)"
}
beside around env LD_PRELOAD="$work/vgpreload_core.so"
if works valgrind --tool=none; then beside around valgrind --tool=none --trace-children=yes; fi
together
finish
