#!/usr/bin/env bash
# CMake's find_package(MPI) finds Pure, by the wrappers and by MPI_HOME, in the build and in an installed copy that has been
# moved; and what is built so, with pkg-config or with the wrappers, runs.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
source "$support/installed.bash"
build=${PURETEST_BUILD_DIR:?the build directory}
cd "$work" || exit 1
unset CMAKE_PREFIX_PATH MPI_HOME PKG_CONFIG_PATH

cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.18)
project(found LANGUAGES C CXX)
find_package(MPI 5.0 REQUIRED COMPONENTS C CXX)
message(STATUS "found: ${MPI_C_VERSION} ${MPI_CXX_VERSION} ${MPI_C_LIBRARIES} ${MPI_C_INCLUDE_DIRS} ${MPIEXEC_EXECUTABLE}")
add_executable(of_c ring.c)
target_link_libraries(of_c MPI::MPI_C)
add_executable(of_cxx ring.cpp)
target_link_libraries(of_cxx MPI::MPI_CXX)
END
cat > ring.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int count, char** values) {
  int rank, size, got;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("%d of %d: %d\n", rank, size, got);
  return MPI_Finalize();
}
END
cp ring.c ring.cpp

runs() { # runs PURERUN PROGRAM
  [[ $("$1" -n 2 "$2" | sort) == $'0 of 2: 1\n1 of 2: 0' ]] || fail "$1 -n 2 $2: $("$1" -n 2 "$2" 2>&1)"
}
configured() { # configured LIBRARY OPTION...
  rm -rf made
  cmake -S . -B made -G Ninja "${@:2}" > cmake.log 2>&1 || { fail "${*:2}: $(cat cmake.log)" && return; }
  grep -q "found: 5.0 5.0 $1/libmpi_abi.so " cmake.log || fail "${*:2} finds: $(grep found: cmake.log)"
}

echo 'the build, by the wrappers'
configured "$build/lib" -DMPI_C_COMPILER="$build/bin/purecc" -DMPI_CXX_COMPILER="$build/bin/purecxx"
cmake --build made > ninja.log 2>&1 || fail "it does not build: $(cat ninja.log)"
runs purerun made/of_c
runs purerun made/of_cxx

echo 'an installed copy that has been moved, by MPI_HOME'
install_moved
PATH=$home/bin:$PATH configured "$home/lib"
configured "$home/lib" -DMPI_HOME="$home"
grep -q "found: .* $home/bin/mpiexec" cmake.log || fail "MPI_HOME finds another mpiexec: $(grep found: cmake.log)"
cmake --build made > ninja.log 2>&1 || fail "it does not build: $(cat ninja.log)"
runs "$home/bin/mpiexec" made/of_c
"$home/bin/mpicxx" ring.cpp -o ring || fail 'the installed mpicxx'
runs "$home/bin/mpirun" ./ring
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pure-mpi.pc)")
export PKG_CONFIG_PATH
"${1:?a compiler}" ring.cpp -o by_pkg_config $(pkg-config --cflags --libs pure-mpi) || fail 'pkg-config pure-mpi'
runs moved/bin/purerun ./by_pkg_config
finish
