#!/usr/bin/env bash
# Every public header compiles alone, without a warning: public_headers.sh ROOT COMPILER
#
# All of them as C++20, but for those in detail/, which they include; pure.h, and with it whatever it includes, as C++17
# too. In another language they say which one they are for, in one error.
set -uo pipefail
root=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0

check() { # check STANDARD HEADER
  # Included twice, so that a missing include guard shows too.
  printf '#include <%s>\n#include <%s>\n' "$2" "$2" >"$work/alone.cpp"
  if ! "$compiler" "-std=$1" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$root/include" \
    "$work/alone.cpp"; then
    echo "<$2> does not compile alone with -std=$1"
    failed=1
  fi
  checked=$((checked + 1))
}

while read -r header; do
  check c++20 "$header"
done < <(cd "$root/include" && find . -path ./pure/detail -prune -o \( -name '*.h' -o -name '*.hpp' \) -print | sed 's|^\./||' | sort)
check c++17 pure.h
check c++17 pure/version.hpp

refuses() { # refuses TEXT LANGUAGE STANDARD HEADER [FLAG]
  local said
  if said=$("$compiler" -x "$2" "-std=$3" -fsyntax-only "$root/include/$4" -I"$root/include" "${@:5}" 2>&1); then
    echo "<$4> compiles with -std=$3"
    failed=1
  elif [[ $said != *"$1"* ]]; then
    printf '<%s> with -std=%s does not say: %s\n%s\n' "$4" "$3" "$1" "$said"
    failed=1
  elif [[ $(grep -c 'error: ' <<<"$said") != 1 ]]; then
    printf '<%s> with -std=%s is more than one error:\n%s\n' "$4" "$3" "$said"
    failed=1
  fi
  checked=$((checked + 1))
}
refuses 'pure.h is a C++17 header: compile this file as C++' c c11 pure.h
refuses 'pure.h needs C++17: compile with -std=c++17 added, or with purecxx' c++ c++14 pure.h
while read -r header; do
  refuses 'pure/pure.hpp needs C++20: compile with -std=c++20 added, or with purecxx' c++ c++17 "$header"
done < <(cd "$root/include" && grep -lr 'needs_cxx20.hpp>' pure --include='*.hpp' --exclude-dir=detail)
refuses 'pure/serialized.hpp needs cereal, a library of headers' c++ c++20 pure/serialized.hpp -nostdinc

echo "$checked checks"
exit $failed
