#!/usr/bin/env bash
# Sanitizers in programs of which each rank has globals of its own: what AddressSanitizer finds around each rank's memory,
# also around its globals; leaks; undefined behaviour. What cannot be loaded runs as processes, and says why.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1

cat > app.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int before, table[10], after;
int own = 5;
int* kept; /* what a rank's variable points to is not lost */
static int at(const int* from, int place) { return from[place]; } /* mark: at */
int main(int argc, char** argv) {
  int rank, sum = 0, local[10] = {0}, x[12];
  const char* how = argc > 1 ? argv[1] : "right";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* heap = calloc(10, sizeof *heap); /* mark: leak */
  const int place = rank == 1 ? 10 : 9;
  own += rank;
  kept = malloc(100);
  if (strcmp(how, "heap") == 0) sum = at(heap, place);
  if (strcmp(how, "global") == 0) sum = at(table, place);
  if (strcmp(how, "stack") == 0) sum = at(local, place);
  if (strcmp(how, "undefined") == 0 && rank == 1) sum = 0x7fffffff + own; /* mark: undefined */
  if (strcmp(how, "sent") == 0 && rank == 1) MPI_Send(heap, 12, MPI_INT, 0, 1, MPI_COMM_WORLD); /* mark: sent */
  if (strcmp(how, "sent") == 0 && rank == 0) MPI_Recv(x, 12, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "leak") == 0 && rank == 1) heap = NULL;
  free(heap);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return own != 5 + rank || before + after + sum == 12345;
}
END
line() { grep -n "mark: $1 " app.c | cut -d: -f1; } # line MARK
says() {                                            # says TEXT...: in what it has said
  local text
  for text; do grep -qF -- "$text" err || fail "no '$text' in: $(cat err)"; done
}

# checked PROGRAM: with each mistake, by rank 1.
checked() {
  purerun_ends 0 -n 3 "./$1"
  says 'ranks are threads with globals of their own'
  if grep -q 'LeakSanitizer has encountered a fatal error' err; then
    not_tested leaks 'the search for leaks may not trace the process'
    export ASAN_OPTIONS=detect_leaks=0
  fi
  purerun_ends 0 --ranks-as threads -n 3 "./$1"
  [[ ! -s err ]] || fail "$1 without a mistake: $(cat err)"
  for place in heap global stack; do
    purerun_ends 1 --ranks-as threads -n 3 "./$1" $place
    says "AddressSanitizer: $place-buffer-overflow" "app.c:$(line at)"
  done
  says 'thread T2'
  purerun_ends 1 --ranks-as threads -n 3 "./$1" global
  says "global variable 'table'"
  purerun_ends 1 --ranks-as threads -n 3 "./$1" sent
  says 'AddressSanitizer: heap-buffer-overflow' "app.c:$(line sent)"
  if [[ ${ASAN_OPTIONS:-} != detect_leaks=0 ]]; then
    purerun_ends 1 --ranks-as threads -n 3 "./$1" leak
    says 'SUMMARY: AddressSanitizer: 40 byte(s) leaked' "app.c:$(line leak)"
  fi
}

echo 'of GCC'
purecc -g -O0 -fsanitize=address,undefined app.c -o of_gcc || fail 'it does not compile'
checked of_gcc
purerun_ends 0 --ranks-as threads -n 3 ./of_gcc undefined
says "app.c:$(line undefined)" 'signed integer overflow'

cat > objects.cpp << 'END'
#include <mpi.h>
struct base { virtual ~base() = default; int number = 1; };
struct derived : base { int more = 2; };
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  base plain;
  base* const one = &plain;
  if (argc > 1) plain.number = static_cast<derived*>(one)->number; // mark
  MPI_Finalize();
  return plain.number - 1;
}
END
purecxx -g -O0 -fsanitize=undefined objects.cpp -o of_gxx || fail 'it does not compile' # it needs libstdc++ for itself
purerun_ends 0 --ranks-as threads -n 3 ./of_gxx
[[ ! -s err ]] || fail "of_gxx without a mistake: $(cat err)"
purerun_ends 0 --ranks-as threads -n 3 ./of_gxx down
says "objects.cpp:$(grep -n '// mark' objects.cpp | cut -d: -f1)" "does not point to an object of type 'derived'"

echo 'ThreadSanitizer'
purecc -g -fsanitize=thread app.c -o threads || fail 'it does not compile'
purerun_ends 0 --explain -n 2 ./threads
grep -q 'ranks are processes, since it is built with ThreadSanitizer' out || fail "--explain: $(cat out)"

echo 'of Clang'
runtime=$(clang-14 -print-file-name=libclang_rt.asan-x86_64.so 2> /dev/null)
if [[ -e $runtime ]]; then
  export PURE_CC=clang-14
  purecc -g -O0 -fsanitize=address app.c -o inside 2> err || fail "it does not compile: $(cat err)"
  purerun_ends 0 --explain -n 2 ./inside
  grep -q "ranks are processes, since it has a sanitizer's runtime inside" out || fail "--explain: $(cat out)"
  purecc -g -O0 -fsanitize=address -shared-libsan -Wl,-rpath,"$(dirname "$runtime")" app.c -o shared || fail 'it does not compile'
  checked shared
else
  not_tested clang 'clang-14 is not installed with its sanitizers (Debian: libclang-rt-14-dev)'
fi
finish
