#!/usr/bin/env bash
# Misuse does not compile, and the compiler says what to do instead: compile_fail.sh ROOT COMPILER
#
# The first line of each file in tests/compile_fail says what is expected:
#   // Must not compile, and say: TEXT
#   // Compiles: WHY
set -uo pipefail
root=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -Wall -Wextra -Werror)

# GCC takes the precompiled header where it would have found the header: a quarter of the time.
mkdir "$work/pure"
"$compiler" -std=c++20 -w -I"$root/include" -x c++-header "$root/include/pure/pure.hpp" -o "$work/pure/pure.hpp.gch" ||
  exit 1

failed=0
checked=0
for file in "$root"/tests/compile_fail/*.cpp; do
  checked=$((checked + 1))
  problem=""
  first=$(head -n 1 "$file")
  output=$("$compiler" "${flags[@]}" -I"$work" -I"$root/include" -fsyntax-only "$file" 2>&1)
  compiles=$?
  case $first in
    "// Compiles: "*)
      ((compiles == 0)) || problem="does not compile"
      ;;
    "// Must not compile, and say: "*)
      text=${first#"// Must not compile, and say: "}
      if ((compiles == 0)); then
        problem="compiles"
      elif [[ $output != *"$text"* ]]; then
        problem="does not compile, but the compiler does not say: $text"
      fi
      ;;
    *) problem="the first line does not say what is expected" ;;
  esac
  if [[ -n $problem ]]; then
    failed=1
    printf '%s: %s\n%s\n' "${file#"$root/"}" "$problem" "$output"
  fi
done
echo "$checked files"
exit $failed
