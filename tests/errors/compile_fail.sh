#!/usr/bin/env bash
# Misuse that a compiler can see is a compile error, and the error says what to write instead: each file of
# tests/compile_fail must be refused with the sentence of its first line.
set -uo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "${PURETEST_BUILD_DIR:?the build directory}/CMakeCache.txt")
status=0

fail() {
  echo "FAILED: $*"
  status=1
}

# GCC finds the precompiled header by its place; without it, everything takes three times as long.
precompiled=$(mktemp -d)
trap 'rm -rf "$precompiled"' EXIT
mkdir "$precompiled/pure"
"$compiler" -std=c++20 -w -I"$source_dir/include" -x c++-header "$source_dir/include/pure/pure.hpp" \
  -o "$precompiled/pure/pure.hpp.gch" || fail 'pure.hpp does not compile'

# compile FILE STANDARD: what the compiler says is in `said`.
compile() {
  said=$(LC_ALL=C "$compiler" -std="$2" -fsyntax-only -I"$precompiled" -I"$source_dir/include" "$1" 2>&1)
}

cd "$source_dir/tests/compile_fail" || exit 1
compile accepted.cpp c++20 || fail "accepted.cpp is refused: $said"
for file in *.cpp; do
  [[ $file != accepted.cpp ]] || continue
  sentence=$(sed -n '1s|^// Must not compile, and say: ||p' "$file")
  [[ -n $sentence ]] || fail "$file does not begin with '// Must not compile, and say: '"
  if compile "$file" c++20; then
    fail "$file compiles"
  elif ! grep -qF -- "$sentence" <<< "$said"; then
    fail "$file: no '$sentence' in: $said"
  fi
done

# The headers themselves say which language they are for.
compile accepted.cpp c++17 && fail 'pure.hpp compiles as C++17'
grep -q 'pure/pure.hpp needs C++20' <<< "$said" || fail "pure.hpp as C++17: $said"
said=$("$compiler" -x c -fsyntax-only "$source_dir/include/pure.h" 2>&1) && fail 'pure.h compiles as C'
grep -q 'pure.h is a C++17 header: compile this file as C++' <<< "$said" || fail "pure.h as C: $said"

((status == 0)) && echo "all checks passed"
exit $status
