#!/usr/bin/env bash
# What libpure exports of its own for the typed interface are functions of C: exported_names.sh ROOT BUILD COMPILER
#
# The names tell: nothing of namespace pure is exported, and whatever pure/*.hpp declares as exported is pure_cxx_*. And
# a program whose std::string has another layout, so that it cannot share one with the library, runs with it.
set -uo pipefail
root=$1 build=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "$1"
  failed=1
}

names=$(nm -D --defined-only -- "$build/lib/libpure.so" | awk '{print $3}')
grep -q '^pure_cxx_send$' <<<"$names" || fail "libpure.so does not export pure_cxx_send"
cxx=$(grep -E '^_Z(T[A-Z])?N?K?4pure' <<<"$names")
[[ -z $cxx ]] || fail "libpure.so exports names of namespace pure: $(c++filt <<<"$cxx")"
declared=$(grep -rhoE 'pure_cxx_\w+\(' "$root/include/pure" | tr -d '(' | sort -u)
missing=$(comm -23 <(echo "$declared") <(sort -u <<<"$names"))
[[ -z $missing ]] || fail "the headers call what libpure.so does not export: $missing"
others=$(grep -rn 'PURE_API' "$root/include/pure" --include='*.hpp' | grep -vE 'pure_cxx_|/export.hpp:')
[[ -z $others ]] || fail "exported, and no pure_cxx_*: $others"

"$compiler" -std=c++20 -Wall -Wextra -Werror -DPURE_MAIN_RUNS_ONCE -I"$root/include" "$root/tests/house/old_strings.cpp" \
  -L"$build/lib" -lpure -pthread "-Wl,-rpath,$build/lib" -o "$work/old_strings" && "$work/old_strings" ||
  fail "a program with the strings from before C++11 does not run"
echo "$(wc -l <<<"$declared") functions of C"
exit $failed
