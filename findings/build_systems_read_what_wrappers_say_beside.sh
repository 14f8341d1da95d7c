#!/usr/bin/env bash
# What CMake and Meson make of an MPI's compiler wrapper. One would guess that they take the answer to a question: its standard
# output. CMake's FindMPI (4.1.0 of the package cmake) reads standard error with it: a wrapper that says there what it does gives
# each program that is linked with MPI::MPI_C the options in its remark. And one would guess that Meson (1.9.1) takes the
# wrapper that MPICC names: where another mpicc on the PATH has a larger version, it takes that one, silently. Seen 2026-11-30.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
install mpich 5.0.2
install cmake 4.1.0
install meson 1.9.1

# wrapper NAME VERSION: as the wrapper of an Open MPI answers Meson, and that of an MPICH CMake, with a remark on standard error.
wrapper() {
  mkdir -p "$1"
  cat > "$1/mpicc" << END
#!/bin/sh
case \$1 in
  -show) echo "remark: once more, with -DOF_A_REMARK" >&2; echo cc -I$work/mpich/include -L$work/mpich/lib -lmpi ;;
  --showme:compile) echo -I$work/mpich/include ;;
  --showme:link) echo -L$work/mpich/lib -lmpi ;;
  --showme:version) echo "mpicc: Open MPI $2 (Language: C)" ;;
  -showme*) exit 1 ;;
  *) exec cc -I$work/mpich/include "\$@" -L$work/mpich/lib -lmpi ;;
esac
END
  chmod +x "$1/mpicc"
}
wrapper chosen 3.0.0
wrapper other 4.0.0

mkdir of_cmake of_meson
cat > of_cmake/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(asks C)
find_package(MPI REQUIRED COMPONENTS C)
message(STATUS "definitions: ${MPI_C_COMPILE_DEFINITIONS}")
END
cmake/bin/cmake -S of_cmake -B built -DMPI_C_COMPILER="$work/chosen/mpicc" > said_of_launcher 2>&1 || true
see 'FindMPI: definitions' "$(sed -n 's/^-- definitions: //p' said_of_launcher)" OF_A_REMARK

cat > of_meson/meson.build << 'END'
project('asks', 'c')
message('version', dependency('mpi', language: 'c').version())
END
version() { sed -n 's/.*Message: version //p' said_of_launcher; }
meson() { PATH=$work/$1:$PATH MPICC=$work/chosen/mpicc meson/bin/meson setup "with_$1" of_meson > said_of_launcher 2>&1 || true; }
meson chosen
see 'Meson, the wrapper that MPICC names alone' "$(version)" 3.0.0
meson other
see 'Meson, with another one on the PATH' "$(version)" 4.0.0
