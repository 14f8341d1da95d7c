#!/usr/bin/env bash
# purerun --check: ranks that disagree about a collective end with one error that names both ranks and both places (what
# the texts say in detail is in wrong_collectives.sh); and which writable globals the ranks share is said at the start.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# disagree RANKS WHAT TEXT...
disagree() {
  local ranks=$1 what=$2 messages places
  shift 2
  ends 1 'rank 0' -n "$ranks" --check bad_collective "$what"
  for text in 'rank 1' "$@"; do says "$what ($ranks ranks)" "$text"; done
  messages=$(grep -c '^pure: ' err)
  [[ $messages == 1 ]] || fail "$what ($ranks ranks): $messages messages: $(cat err)"
  places=$(grep -o 'bad_collective.cpp:[0-9]*' err | sort -u | wc -l)
  [[ $places == 2 ]] || fail "$what ($ranks ranks): $places places, not 2, in: $(cat err)"
}

for ranks in 2 4; do
  disagree $ranks kind pure_barrier pure_allreduce
  disagree $ranks roots pure_bcast root
  disagree $ranks ops pure_allreduce operator
  disagree $ranks types pure_allreduce type
  disagree $ranks counts pure_allreduce count
done

# globals NAME DECLARATIONS: a program that has these.
cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
globals() {
  printf '#include <pure.h>\n%s\nint main() { return pure_rank() - pure_rank(); }\n' "$2" > "$1.cpp"
  "$cxx" -std=c++17 -g -O0 "-I$top/include" "$1.cpp" "-L$PURETEST_BUILD_DIR/lib" "-Wl,-rpath,$PURETEST_BUILD_DIR/lib" -lpure -o "$1" ||
    fail "$1 does not compile"
}
if [[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]] && ! grep -q '^PURE_SANITIZE:STRING=.' "$PURETEST_BUILD_DIR/CMakeCache.txt"; then
  globals none 'thread_local int own; const int limit = 5;'
  ends 0 '' -n 2 --check ./none
  globals two 'namespace { int counter; } long table[64]; static const int constant[2] = {1, 2}; int use() { return counter + constant[counter]; }'
  ends 0 'purerun: check: the ranks share 2 writable global variables: table, counter (`pure globals ./two`)' -n 2 --check ./two
  [[ $(wc -l < err) == 1 ]] || fail "more than a line: $(cat err)"
  PURE_CHECK=on ends 0 'check: the ranks share 2' -n 2 ./two
  ends 0 '' -n 2 ./two
  globals six 'char a[60], b[50], c[40], d[30], e[20], a_name_of_more_than_forty_characters_0123456789[70];'
  ends 0 'share 6 writable global variables: a_name_of_more_than_forty_characters_..., a, b, c and 2 more (' -n 2 --check ./six
  strip -o bare two
  ends 0 'check: ./bare is stripped: which writable global variables its ranks share is not known' -n 2 --check ./bare
  ends 3 'is not built with Pure' -n 2 --ranks-as threads --check env cat # whose globals are nobody's business
  if grep -q 'check:' err; then fail "cat: $(cat err)"; fi
else
  not_tested 'globals' 'programs are linked with the shared library for this, without a sanitizer'
fi
ends 0 '' -n 2 --check every_rank

finish
