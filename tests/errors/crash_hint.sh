#!/usr/bin/env bash
# A crash of a program whose main every rank runs ends with the writable globals that its ranks share: the likeliest cause.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
[[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]] || skip 'it needs the shared library'

cat > app.cpp << 'END'
#include <pure.h>
#include <cstdlib>
#include <cstring>
#ifdef GLOBALS
int counter = 1;
static char table[4096];
namespace ns { double grid[64]; }
long a, b;
const int constant = 3;
static char* pointer;
#endif
int main(int, char** argv) {
  int rank = -1;
  pure_comm_rank(PURE_COMM_WORLD, &rank);
#ifdef GLOBALS
  counter += table[5] + static_cast<int>(ns::grid[1] + double(a + b)) + constant;
  pointer = reinterpret_cast<char*>(0x123456789000);
  if (std::strcmp(argv[1], "pointer") == 0 && rank == 0) pointer[16] = 1;
#endif
  if (std::strcmp(argv[1], "null") == 0 && rank == 0) *reinterpret_cast<volatile int*>(8) = 1;
  if (std::strcmp(argv[1], "abort") == 0) std::abort();
  if (std::strcmp(argv[1], "exit") == 0) std::exit(3);
  pure_barrier(PURE_COMM_WORLD);
}
END
build() {
  "$cxx" -std=c++17 -O0 -I "$support/../../include" "$@" -L "$PURETEST_BUILD_DIR/lib" -lpure -pthread \
    -Wl,-rpath,"$PURETEST_BUILD_DIR/lib" || fail "$cxx $*"
}
build -DGLOBALS app.cpp -o app
build app.cpp -o bare

# crashes NAME ARGUMENT...: a program that a signal ends; what it says is in `err`.
crashes() {
  timeout 60 purerun "$@" > out 2> err < /dev/null
  (($? > 128)) || fail "purerun $*: its status; it says: $(cat out err)"
}
hint='  hint: ranks are threads, and share this program.s writable global variables: '

crashes -n 3 ./app null
grep -qE "^$hint\`table\` \(4096 bytes\), \`ns::grid\` \(512 bytes\), \`(a|b|pointer)\` \(8 bytes\), \`(a|b|pointer)\` \(8 bytes\) and 2 more\.\$" err ||
  fail "a null pointer: no hint in: $(cat err)"
grep -qE "thread_local.*\`pure globals .*/app\` lists them\.\$" err || fail "a null pointer: $(cat err)"
[[ $(grep -c '  hint: ' err) == 1 ]] || fail "not one hint: $(cat err)"
path=$(sed -nE 's/.*`pure globals (.*)` lists.*/\1/p' err)
pure globals "$path" > out || fail "what the hint says to run: $path"
grep -q '6 writable globals' out || fail "the hint and pure globals differ: $(cat out)"

crashes -n 2 ./app pointer
grep -qE "^$hint\`pointer\` \(8 bytes\) near that address, \`table\` " err || fail "a pointer: $(cat err)"
crashes -n 2 ./app abort
grep -qE "^$hint\`table\`" err || fail "abort: $(cat err)"

# Nothing where there is nothing to say: one rank, no globals, no crash.
crashes -n 1 ./app null
if grep -q '  hint: ' err; then fail "one rank: $(cat err)"; fi
crashes -n 2 ./bare null
if grep -q '  hint: ' err; then fail "no globals: $(cat err)"; fi
ends 0 '' -n 2 ./app well
ends 3 'called exit(3)' -n 2 ./app exit
if grep -q '  hint: ' err; then fail "exit: $(cat err)"; fi

# A stripped program exports little: what it does, or nothing, and the report ends all the same.
strip app -o stripped
crashes -n 2 ./stripped null
finish
