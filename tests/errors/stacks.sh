#!/usr/bin/env bash
# Stacks in reports of hangs and crashes are those of the program: its functions, with lines where it has debug
# information and libdw is there, however the compiler has inlined them; and nothing of Pure's inside.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
ulimit -c 0

cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
[[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]] || skip 'it needs the shared library'

cat > app.cpp << 'END'
#include <pure/pure.hpp>
#include <cstdio>
#include <cstring>
struct grid { double* cells; };
static double sum_of(const grid& of, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += of.cells[i];
  return sum;
}
[[gnu::noinline, gnu::noclone]] static double step(const grid& of, int count) { return sum_of(of, count) + 1; }
int main(int argc, char** argv) {
  return pure::run(argc, argv, [&](pure::comm world) {
    if (std::strcmp(argv[1], "crash") == 0) {
      world.barrier();
      if (world.rank() == 1) std::printf("%g\n", step(grid{reinterpret_cast<double*>(64)}, argc));
      world.barrier();
    }
    const int next = (world.rank() + 1) % world.size();
    std::printf("%g\n", world.recv<double>(next, 2));
  });
}
END
line() { grep -n "$1" app.cpp | sed -n '1s/:.*//p'; }
build() { # NAME FLAG...
  "$cxx" -std=c++20 -I "$support/../../include" "${@:2}" app.cpp -o "$1" -L "$PURETEST_BUILD_DIR/lib" -lpure -pthread \
    -Wl,-rpath,"$PURETEST_BUILD_DIR/lib" || fail "$cxx $*"
}
# stack: of the only report, without the lines around it.
stack() { sed -n '/^  stack of /,/^[^ ]/p' err | grep '^    '; }
# is_user_s PROGRAM: all frames are the program's, or the call that waits.
is_user_s() {
  [[ $(stack | grep -vcE "^    (main::|main |.*pure::comm::recv)") == 0 && $(stack | wc -l) -le $2 ]] ||
    fail "$1: the stack is not the program's alone: $(cat err)"
}

build plain -O2
ends 1 'stack of ranks 0-1:' -n 2 ./plain hang
grep -qF 'main::{lambda(pure::comm)#1}' <<< "$(stack)" || fail "plain: no user's function in: $(cat err)"
is_user_s plain 1
ends 139 'rank 1 crashed' -n 2 ./plain crash
grep -qE '^    step\(grid const&, int\).* plain\+0x' err || fail "plain: the crash has no name: $(cat err)"
grep -qE 'pure::core::|rank_main' err && fail "plain: the crash shows what is below main: $(cat err)"

# Without libdw there are names, and places for addr2line.
build debug -O2 -g
mkdir none
: > none/libdw.so.1
LD_LIBRARY_PATH=$PWD/none ends 139 'rank 1 crashed' -n 2 ./debug crash
grep -qE '^    step\(grid const&, int\).* debug\+0x' err || fail "no libdw: the crash has no name: $(cat err)"

# A libdw that takes its time stands for one that reads much while others have the cores: the crashed rank waits for it. One
# that waits for ever holds the dynamic linker's lock: the process ends all the same.
slow_libdw() { # NAME WHAT-IT-DOES
  mkdir "$1"
  echo "#include <time.h>
    #include <unistd.h>
    static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
    __attribute__((constructor)) static void take(void) { const double begin = now(); $2 }" > "$1.c"
  "$cxx" -x c -shared -fPIC "$1.c" -o "$1/libdw.so.1" || fail "$1.c does not compile"
}
crashes_with_libdw() { LD_LIBRARY_PATH=$PWD/../$1 ends 139 'rank 1 crashed' -n 2 ../debug crash; }
takes_long() {
  crashes_with_libdw long
  grep -qE '^    step\(grid const&, int\).* debug\+0x' err || fail "long: the crash has no name: $(cat err)"
}
takes_long_in_two_processes() {
  LD_LIBRARY_PATH=$PWD/../long ends 1 'stack of ranks 0-1:' -n 2 -N 2 ../debug hang
}
waits_for_ever() { crashes_with_libdw ever; }
slow_libdw long 'while (now() - begin < 6) continue;'
slow_libdw ever 'while (begin > 0) pause();'
beside takes_long
beside takes_long_in_two_processes
beside waits_for_ever
together

if grep -q 'libdw\.so\.1' <<< "$(ldconfig -p 2> /dev/null)"; then
  ends 1 'stack of ranks 0-1:' -n 2 ./debug hang
  grep -qE "^    main::.*app\.cpp:$(line 'world.recv')\$" <<< "$(stack)" || fail "debug: no line of the receive in: $(cat err)"
  is_user_s debug 2
  ends 139 'rank 1 crashed' -n 2 ./debug crash
  grep -qE "^    sum_of .*app\.cpp:$(line 'sum += ')\$" err ||
    fail "debug: no inlined function in: $(cat err)"
  grep -qE "^    step\(grid const&, int\).*app\.cpp:$(line 'double step')\$" err || fail "debug: no line of step in: $(cat err)"
  grep -qE "app\.cpp:$(line 'step(grid')\$" err || fail "debug: no line of the call of step in: $(cat err)"
else
  not_tested 'lines in stacks' 'libdw is not installed'
fi

finish
