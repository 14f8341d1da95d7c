#!/usr/bin/env bash
# Every public header compiles alone, without a warning: public_headers.sh ROOT COMPILER
#
# All of them as C++20; pure.h, and with it whatever it includes, as C++17 too.
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
done < <(cd "$root/include" && find . -name '*.h' -o -name '*.hpp' | sed 's|^\./||' | sort)
check c++17 pure.h
check c++17 pure/version.hpp

echo "$checked checks"
exit $failed
