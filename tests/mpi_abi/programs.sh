#!/usr/bin/env bash
# Programs that know MPI only, over libmpi_abi.so.1: alone, and with purerun as processes, and as threads. $1: the C++ compiler of the build,
# which compiles them as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1
build=${PURETEST_BUILD_DIR:?the build directory}

# compile NAME: the program of NAME.c.
compile() {
  "${compiler:?}" -x c -std=c11 -Wall -Wextra -Werror -I "$build/mpi/include" \
    "$here/$1.c" -x none -o "$work/$1" -L "$build/lib" -lmpi_abi -Wl,-rpath,"$build/lib" || fail "$1.c does not compile"
}
compiler=${1:?a compiler}
compile first

# alone STATUS TEXT ARGUMENT...: started without purerun, it is one rank, and ends so.
alone() {
  local status=$1 text=$2 got
  shift 2
  ./first "$@" > out 2>&1
  got=$?
  ((got == status)) || fail "first $*: status $got, not $status: $(cat out)"
  grep -qF -- "$text" out || fail "first $*: no '$text' in: $(cat out)"
}
alone 0 'rank 0 of 1: right'
alone 1 'MPI_Comm_rank: called before MPI_Init' early
alone 1 'MPI_Comm_rank: called after MPI_Finalize' late
alone 1 'MPI_Close_port: rank 0: Pure does not have this function yet' refused
alone 7 'MPI_Abort(MPI_COMM_WORLD, 7)' abort

for ranks in 1 2 3; do
  purerun_ends 0 --ranks-as processes -n "$ranks" ./first
  for ((rank = 0; rank < ranks; ++rank)); do
    grep -qxF "rank $rank of $ranks: right" out || fail "$ranks processes: rank $rank does not say that it is right: $(cat out err)"
  done
done

# right NAME RANKS KIND: each of so many says that all is right.
right() {
  local rank
  purerun_ends 0 --ranks-as "$3" -n "$2" "../$1"
  for ((rank = 0; rank < $2; ++rank)); do
    grep -qxF "rank $rank of $2: right" out || fail "$1, $2 $3: rank $rank does not say that it is right: $(cat out err)"
  done
}
# What they expect is the standard's: but for errors, which some do not look for, other MPIs give the same.
programs=(messages large types elements objects topologies collectives windows)
for program in "${programs[@]}"; do compile "$program" & done
wait
for program in "${programs[@]}"; do
  for ranks in 1 3 4; do
    for kind in processes threads; do
      # A part for three ranks takes 2 GB to one small place, and looks who came last: both ends copy where ranks are threads.
      [[ "$program $ranks $kind" == 'elements 3 threads' ]] || beside right "$program" "$ranks" "$kind"
    done
  done
done
together

# Each message between processes is summed, before and after.
for ranks in 2 3; do
  purerun_ends 0 --check --ranks-as processes -n $ranks ./large
  (($(grep -c ': right$' out) == ranks)) || fail "large, checked, $ranks processes: $(cat out err)"
done

# The core may be named, too, before the door or behind it: both stand before libc then.
for libraries in '-lmpi_abi -lpure' '-lpure -lmpi_abi'; do
  [[ -e $build/lib/libpure.so ]] || continue
  # shellcheck disable=SC2086
  "$compiler" -x c -std=c11 -w -I "$build/mpi/include" "$here/first.c" -x none -o both -L "$build/lib" -Wl,--no-as-needed \
    $libraries -Wl,-rpath,"$build/lib" || fail "first.c does not link with $libraries"
  ./both > out || fail "$libraries: $(< out)"
  for way in threads processes; do purerun_ends 0 --ranks-as $way -n 2 ./both; done
  purerun_ends 7 --ranks-as processes -n 2 ./both abort
done

# A door that was opened and closed is not called where it was.
LD_LIBRARY_PATH=$build/lib python3 -c 'import _ctypes, ctypes, threading
_ctypes.dlclose(ctypes.CDLL("libmpi_abi.so.1")._handle)
thread = threading.Thread(target=print, args=("closed",))
thread.start()
thread.join()' > out 2>&1 || fail "a library that was closed: status $?, $(< out)"

purerun_ends 7 --ranks-as processes -n 2 ./first abort
grep -qF 'MPI_Abort(MPI_COMM_WORLD, 7)' err || fail "abort: $(cat err)"
purerun_ends 1 --ranks-as processes -n 2 ./first refused
grep -qF 'MPI_Close_port: rank' err || fail "refused: $(cat err)"
purerun_ends 1 --ranks-as processes -n 2 ./first leave
for way in handler 'handler, exit'; do
  alone 0 'rank 0 has ended at exit' "$way"
  purerun_ends 0 --ranks-as processes -n 2 ./first "$way"
  [[ $(sort out) == $'rank 0 has ended at exit\nrank 1 has ended at exit' ]] || fail "$way: $(cat out err)"
done
finish
