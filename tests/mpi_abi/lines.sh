#!/usr/bin/env bash
# What ranks print at the same time comes in whole lines, and each rank's in its order: into a pipe, into a file, into a file that
# is appended to. $1: the C++ compiler of the build, which compiles the program as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1
build=${PURETEST_BUILD_DIR:?the build directory}
"${1:?a compiler}" -x c -std=c11 -Wall -Wextra -Werror -Wno-stringop-overread -Wno-stringop-overflow \
  -I "$build/mpi/include" "$here/lines.c" -x none -o lines -L "$build/lib" -lmpi_abi -Wl,-rpath,"$build/lib" ||
  fail 'lines.c does not compile'

count=4000
# whole HOW RANKS: what is in `said`.
whole() {
  awk -v count=$count -v ranks="$2" '
    $1 != "rank" || $3 != "line" || $4 != next_of[$2] + 0 { print "line " NR ": " $0; exit 1 }
    {
      stars = $5 == "of" ? 0 : length($5)
      right = $4 % 100 == 99 ? 4095 - length($0) + stars : ($4 * 37 + $2 * 11) % 200
      if (stars != $NF || ($5 != "of" && $5 !~ /^\*+$/) || stars != right) { print "line " NR ": " $0; exit 1 }
      ++next_of[$2]
    }
    END { for (rank = 0; rank < ranks; ++rank) if (next_of[rank] != count) { print "rank " rank ": " next_of[rank] + 0 " lines"; exit 1 } }
  ' said > wrong || fail "$1: torn, or lost: $(cat wrong)"
}
for how in '--ranks-as threads -n 3' '--ranks-as processes -n 3' '-N 2 -n 4'; do
  for into in pipe file appended; do
    rm -f said
    # shellcheck disable=SC2086
    case $into in
      pipe) purerun $how ./lines $count 2> err < /dev/null | cat > said ;;
      file) purerun $how ./lines $count > said 2> err < /dev/null ;;
      appended) purerun $how ./lines $count >> said 2> err < /dev/null ;;
    esac
    whole "$how, $into" "${how##* }"
  done
done
finish
