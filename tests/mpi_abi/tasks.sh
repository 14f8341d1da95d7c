#!/usr/bin/env bash
# pure/tasks.h in programs of mpi.h (tasks.c): C and C++, as threads with globals of their own, as processes, and where there is
# no Pure. purecc and mpicc need nothing said. $1: the C++ compiler of the build, whose wrappers compile.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory}
cd "$work" || exit 1

is_right() { # is_right HOW...: and `shared` is how many parts others did
  purerun_ends 0 "$@"
  [[ $(head -n 1 out) == right ]] || fail "$*: $(< out)"
  shared=$(sed -n 's/^shared //p' out)
}

echo 'as threads and as processes'
"$build/mpi/bin/mpicc" -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 "$here/tasks.c" -o tasks -lm || fail 'mpicc'
# What is compiled by itself, and does not know mpi.h: its objects are still an MPI program's.
cat > loop.c << 'END'
#include <pure/tasks.h>
static void add(size_t first, size_t last, void* context) { __atomic_fetch_add((size_t*)context, last - first, __ATOMIC_RELAXED); }
int loop(size_t* sum) { return pure_parallel_for(1000, add, sum, NULL); }
END
cat > main.c << 'END'
#include <mpi.h>
#include <stddef.h>
int loop(size_t*);
int main(int argc, char** argv) {
  size_t sum = 0;
  MPI_Init(&argc, &argv);
  const int error = loop(&sum);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return error != 0 || sum != 1000;
}
END
purecc -c loop.c main.c && purecc loop.o main.o -o parts || fail 'purecc, in parts'
linked_with() { # linked_with PROGRAM LIBRARY
  [[ $(readelf -d "$1") == *"[$2."* ]]
}
linked_with parts libmpi_abi.so || fail 'parts are not linked with libmpi_abi'
linked_with parts libpure.so && fail 'parts are linked with libpure, too'
if [[ $(uname -m) == x86_64 ]]; then
  is_right -n 2 --ranks-as threads ./tasks
  ((shared > 0 || $(nproc) < 2)) || fail 'nobody has helped in the loops of rank 0'
  is_right -n 3 --ranks-as threads ./tasks
  is_right -n 1 --ranks-as threads ./tasks
  is_right -n 4 -N 2 ./tasks
else
  not_tested 'ranks as threads' 'nothing loads programs on this processor'
fi
is_right -n 2 --ranks-as processes ./tasks
((shared == 0)) || fail 'a rank of another process has helped'
purerun_ends 0 -n 2 ./parts
./tasks > out || fail 'without purerun'
[[ $(head -n 1 out) == right ]] || fail "without purerun: $(< out)"

echo 'in C++'
cat > both.cpp << 'END'
#include <mpi.h>
#include <pure/tasks.h>
#include <atomic>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::atomic<std::size_t> sum{0};
  const int error = pure_parallel_for(
      1000, [](size_t first, size_t last, void* context) { *static_cast<std::atomic<std::size_t>*>(context) += last - first; },
      &sum, nullptr);
  MPI_Finalize();
  return error != 0 || sum != 1000;
}
END
purecxx -Wall -Wextra -Wpedantic -Werror both.cpp -o both || fail 'purecxx'
linked_with both libmpi_abi.so || fail 'both is not linked with libmpi_abi'
purerun_ends 0 -n 2 ./both

echo 'errors'
says() { # says TEXT ARGUMENT
  purerun_ends 1 -n 2 ./tasks "$2"
  grep -qF -- "$1" err || fail "$2 says $(< err)"
}
says 'MPI_Comm_rank: called inside a chunk of a task' call
says 'the body is null' null
says 'the count is more than 2^63 - 1: is it a negative number?' negative
says 'the options name an array, but not the bytes of an element (element_bytes)' element

echo 'without Pure'
cp "$build/mpi/include/pure/tasks.h" .
mkdir -p copied/pure && mv tasks.h copied/pure/
for family in mpich openmpi; do
  if ! command -v "mpicc.$family" > /dev/null; then
    not_tested "in place over $family" "it is not installed"
    continue
  fi
  "mpicc.$family" -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -I copied "$here/tasks.c" -o "in_place.$family" -lm -pthread ||
    fail "mpicc.$family"
  "./in_place.$family" > out || fail "in place over $family: $(< out)"
  [[ $(tr '\n' ' ' < out) == 'right shared 0 ' ]] || fail "in place over $family: $(< out)"
done
finish
