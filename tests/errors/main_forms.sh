#!/usr/bin/env bash
# However main is written and wherever it is, every rank runs it once, with arguments of its own.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

# runs RANKS LINES COMMAND...: the command succeeds and prints these lines, in any order.
runs() {
  local ranks=$1 lines=$2
  shift 2
  PURE_RANKS=$ranks timeout 60 "$@" > "$work/out" 2> "$work/err" < /dev/null || fail "$* ($ranks ranks): status $?"
  [[ ! -s $work/err ]] || fail "$* ($ranks ranks) says: $(cat "$work/err")"
  diff <(sort <<< "$lines") <(sort "$work/out") > "$work/diff" || fail "$* ($ranks ranks): $(cat "$work/diff")"
}

# ranks FIRST COUNT: the lines that ranks FIRST to COUNT-1 of COUNT print.
ranks() {
  local i
  for ((i = $1; i < $2; ++i)); do echo "rank $i of $2"; done
}

for n in 1 2 5; do
  runs $n "$(ranks 0 $n)" main_plain
  runs $n "$(ranks 0 $n)" main_auto
  runs $n "$(ranks 0 $n)" main_environment
  runs $n "$(ranks 0 $n)" main_arguments first=1 second=2 third=3
  runs $n "$(ranks 1 $n; echo 'handlers run once')" main_exits
done

# main and pure.h in different files, with what a user would type.
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=${PURETEST_BUILD_DIR:?the build directory}/lib
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
two_files=$source_dir/tests/programs/two_files
if [[ ! -e $library/libpure.so ]]; then
  not_tested 'two files' 'libpure is a static library here'
elif "$compiler" -std=c++17 -I"$source_dir/include" "$two_files/main.cpp" "$two_files/messages.cpp" -o "$work/two_files" \
  -L"$library" -lpure -Wl,-rpath,"$library"; then
  runs 3 "$(ranks 0 3)" "$work/two_files"
else
  fail 'two_files does not compile'
fi

finish
