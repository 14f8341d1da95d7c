#!/usr/bin/env bash
# A program that is built with ThreadSanitizer over a libpure that is not: its reports are false, and one line says so first.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

build right_c c++17 -fsanitize=thread
[[ -x right_c ]] || finish
warning='^pure: warning: the program is built with -fsanitize=thread, but this libpure is not: '

# warned HINT COMMAND...: the first line is the warning, with that hint; there is no other like it.
warned() {
  alone timeout 100 env "${@:2}" > out 2> err < /dev/null
  grep -qE "$warning.*$1" <<< "$(head -n 1 err)" || fail "$*: no warning with '$1' in: $(head err)"
  [[ $(grep -cE "$warning" err) == 1 ]] || fail "$*: not one warning: $(cat err)"
}
warned 'make install-tsan' PURE_RANKS=1 ./right_c
warned 'make install-tsan' purerun -n 4 ./right_c
grep -q 'WARNING: ThreadSanitizer: data race' err || fail "the warning is not true: $(cat err)"

# Where the copy is installed, it is named.
mkdir -p lib/pure/tsan
cp -P "$PURETEST_BUILD_DIR"/lib/libpure.so* lib/
touch lib/pure/tsan/"$(basename "$(readlink -f lib/libpure.so)")"
warned "LD_LIBRARY_PATH=$work/lib/pure/tsan" LD_LIBRARY_PATH="$work/lib" PURE_RANKS=1 ./right_c

# Nobody else is told.
build right_c c++17
PURE_RANKS=2 ./right_c 2> err || fail "without ThreadSanitizer: $(cat err)"
[[ ! -s err ]] || fail "without ThreadSanitizer: $(cat err)"
finish
