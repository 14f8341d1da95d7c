#!/usr/bin/env bash
# What libc keeps for a process, each loaded rank has for itself: a program that uses it prints as threads what it prints as
# processes. And one warning where ranks set differently what they share.
# $1: the C++ compiler of the build, which compiles the programs as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1
[[ $(uname -m) == x86_64 ]] || skip 'nothing loads programs on this processor'

made() { # made NAME SOURCE FLAG...
  local name=$1 source=$2
  shift 2
  "$compiler" -x c -D_GNU_SOURCE -w -I "$build/mpi/include" "$source" -x none -o "$name" -L "$build/lib" -lmpi_abi "$@" || fail "$source"
}

export TZ=EST5EDT,M3.2.0,M11.1.0
if python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x200) != 0)'; then # CLONE_FS
  export FOLDERS=1
else
  not_tested 'a working directory for each rank' 'unshare is forbidden here'
fi
made hidden "$here/hidden_state.c" -lm
made checked "$here/hidden_state.c" -lm -O2 -D_FORTIFY_SOURCE=2
for program in hidden checked; do
  purerun_ends 0 -n 3 --ranks-as processes "./$program"
  mv out expected
  [[ $(grep -c '^rank [0-2]$' expected) == 3 ]] || fail "as processes: $(< expected)"
  for way in '-n 3' '-n 3 -N 2'; do
    # shellcheck disable=SC2086
    purerun_ends 0 $way --ranks-as threads "./$program"
    cmp -s out expected || fail "purerun $way, against processes: $(diff out expected)"
  done
done

cat > shares.c << 'EOF'
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
int main(int count, char** values) {
  int rank;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct rlimit limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
  getrlimit(RLIMIT_FSIZE, &limit);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    limit.rlim_cur = rank == 0 ? 1000000 : 2000000;
    if (turn == rank) setrlimit(RLIMIT_FSIZE, &limit);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  getrlimit(RLIMIT_FSIZE, &limit);
  printf("%ld\n", (long)limit.rlim_cur);
  return MPI_Finalize();
}
EOF
made shares shares.c
purerun_ends 0 -n 3 --ranks-as threads ./shares
[[ $(sort -u out) == 2000000 ]] || fail "shares prints $(< out)"
# shellcheck disable=SC2016 # no command
[[ $(grep -v '^purerun' err) == 'pure: warning: ranks 0 and 1 set a limit (setrlimit 1) differently,
  and share it: each gets what was set last. `purerun --ranks-as processes`
  gives each rank its own.' ]] || fail "shares says $(< err)"
finish
