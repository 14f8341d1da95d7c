#!/usr/bin/env bash
# A library path that does not answer, as that of a server that is gone: signals end purerun while it asks the dynamic linker
# about the program. A pipe that nobody writes to, by the library's name, keeps whoever opens it as long.
# $1: the C++ compiler of the build, which compiles the program as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1

mkdir answers silent
echo 'int own(void) { return 0; }' > own.c
cat > program.c << 'END_OF_PROGRAM'
#include <mpi.h>
int own(void);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return MPI_Finalize() + own();
}
END_OF_PROGRAM
"$compiler" -x c -shared -fPIC own.c -Wl,-soname,libown.so -o answers/libown.so &&
  "$compiler" -x c -I "$build/mpi/include" program.c -x none -o program -L answers -lown -L "$build/lib" -lmpi_abi \
    -Wl,-rpath,"$build/lib" || fail 'program.c does not compile'
LD_LIBRARY_PATH=$work/answers purerun_ends 0 -n 2 ./program
mkfifo silent/libown.so

# asked: how many processes have to do with the program: purerun, and the dynamic linker that it asks.
echo "$work/program" > name
asked() { grep -lzxF -f name /proc/[0-9]*/cmdline 2> /dev/null | grep -c .; }
ends_by() { # ends_by SIGNAL OPTION...
  local signal=$1 tries began
  shift
  # An interrupt is ignored by what a script starts in the background, unless it is told otherwise.
  LD_LIBRARY_PATH=$work/silent env --default-signal=INT purerun -n 2 "$@" "$work/program" > out 2> err < /dev/null &
  for ((tries = 0; tries < 200 && $(asked) < 2; ++tries)); do sleep 0.05; done
  (($(asked) >= 2)) || fail "$*: nobody asks for the library: $(cat out err)"
  began=$SECONDS
  kill -s "$signal" $!
  { wait $!; } 2> /dev/null # bash names the signal
  local status=$?
  ((status == 128 + $(kill -l "$signal"))) || fail "$* SIG$signal: status $status: $(cat out err)"
  ((SECONDS - began < 5)) || fail "$* SIG$signal: it took $((SECONDS - began)) s"
  for ((tries = 0; tries < 40 && $(asked) > 0; ++tries)); do sleep 0.05; done
  (($(asked) == 0)) || fail "$* SIG$signal: somebody still asks for the library"
}
for signal in INT TERM HUP; do
  ends_by $signal
  ends_by $signal --ranks-as processes
done
finish
