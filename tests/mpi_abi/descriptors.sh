#!/usr/bin/env bash
# What a program and its children see of the runtime's descriptors: the program may close them all, and has files of its
# own under their numbers; children have none. $1: the C++ compiler of the build, which compiles the program as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1
build=${PURETEST_BUILD_DIR:?the build directory}
"${1:?a compiler}" -x c -std=gnu11 -Wall -Wextra -Werror -Wno-stringop-overread -Wno-stringop-overflow \
  -I "$build/mpi/include" "$here/descriptors.c" -x none -o descriptors -L "$build/lib" -lmpi_abi \
  -Wl,-rpath,"$build/lib" || fail 'descriptors.c does not compile'

for ranks in 2 4; do
  purerun_ends 0 --ranks-as processes -n $ranks ./descriptors closes
  (($(grep -c ': right$' out) == ranks)) || fail "$ranks processes, closes: $(cat out err)"
done

# What a command of a rank has, and one of this script, are the same numbers.
numbers() {
  awk '/->/ {print $9}' "$1" | sort -n | paste -sd ' '
}
sh -c 'ls -l /proc/self/fd > without.txt' 2> err < /dev/null
for how in '--ranks-as processes -n 2' '--ranks-as threads -n 2' '-N 2 -n 4'; do
  # shellcheck disable=SC2086
  purerun_ends 0 $how ./descriptors heirs 'ls -l /proc/self/fd > heirs.txt'
  [[ $(numbers heirs.txt) == "$(numbers without.txt)" ]] || fail "$how: a rank's command has other descriptors: $(cat heirs.txt)"
done
finish
