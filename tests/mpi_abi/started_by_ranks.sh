#!/usr/bin/env bash
# MPI programs that a rank, or a script in the place of ranks, starts: by purerun they are jobs of their own, with as many
# ranks as that says; by themselves one rank. $1: the C++ compiler of the build, which compiles them as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1

cat > starts.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, size, wrong;
/* By `how`, with as many ranks as there are lines that say so. */
static void expect(const char* how, int ranks) {
  char line[100], command[500], expected[20];
  int lines = 0, others = 0;
  FILE* stream;
  snprintf(expected, sizeof expected, " of %d\n", ranks);
  snprintf(command, sizeof command, "%s inner 2>&1", how);
  stream = popen(command, "r");
  while (fgets(line, sizeof line, stream)) {
    if (strncmp(line, "inner ", 6) != 0) continue;
    strstr(line, expected) ? ++lines : ++others;
  }
  if (pclose(stream) != 0 || lines != ranks || others != 0) {
    fprintf(stderr, "rank %d: %s: %d lines of%s and %d others\n", rank, how, lines, expected, others);
    ++wrong;
  }
  snprintf(command, sizeof command, "%s inner > /dev/null 2>&1", how);
  if (system(command) != 0) ++wrong;
}
int main(int argc, char** argv) {
  char command[400];
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "inner") == 0) {
    printf("inner %d of %d\n", rank, size);
    return MPI_Finalize();
  }
  expect(argv[0], 1);
  for (int ranks = 1; ranks <= 3; ranks += 2) {
    snprintf(command, sizeof command, "purerun -n %d --ranks-as threads %s", ranks, argv[0]);
    expect(command, ranks);
    snprintf(command, sizeof command, "purerun -n %d --ranks-as processes %s", ranks, argv[0]);
    expect(command, ranks);
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("right\n");
  return MPI_Finalize() + all;
}
END
"$compiler" -x c -Wall -Wextra -Werror -I "$build/mpi/include" starts.c -x none -o starts -L "$build/lib" -lmpi_abi \
  -Wl,-rpath,"$build/lib" || fail 'starts.c does not compile'
by_ranks() { # by_ranks WAY...
  purerun_ends 0 -n 2 "$@" "$work/../starts"
  [[ $(< out) == right ]] || fail "$*: $(cat out err)"
}
# by_script STATUS RANKS LINE OPTION...: a shell that purerun starts with the options runs the line; its ranks are so many.
by_script() {
  local status=$1 ranks=$2 line=$3 rank
  shift 3
  purerun_ends "$status" "$@" sh -c "$line"
  for ((rank = 0; rank < ranks; ++rank)); do echo "inner $rank of $ranks"; done > expected
  sort out | uniq > got
  cmp -s expected got || fail "$*: $line: $(cat out err)"
}
starts=$work/starts
beside by_ranks --ranks-as processes
beside by_ranks --ranks-as threads
for way in '' '--ranks-as processes'; do
  for inner in threads processes; do
    # shellcheck disable=SC2086
    beside by_script 0 3 "purerun -n 3 --ranks-as $inner $starts inner" -n 2 $way
  done
done
beside by_script 0 2 "$starts inner" -n 2 --ranks-as processes
beside by_script 0 2 "$starts inner" -n 2
# What the outer job has set, its number of ranks too, is nothing to the inner one.
beside by_script 0 3 "purerun -N 3 -n 3 $starts inner" -n 2
beside by_script 0 3 "purerun -N 3 --ranks-as processes --set ranks=3 $starts inner" -n 2
beside by_script 0 3 "purerun --ranks-as processes -n 3 sh -c '$starts inner'" -n 2
together
# Threads are asked for: the shell runs once, which is one process, and not two ranks.
purerun_ends 1 --ranks-as threads -n 2 sh -c "$starts inner"
grep -q 'purerun --ranks-as processes -n 2' err || fail "it does not say how to start it: $(cat err)"
"$starts" inner > out 2>&1 || fail "by itself: $(cat out)"
[[ $(< out) == 'inner 0 of 1' ]] || fail "by itself: $(cat out)"
finish
