#!/usr/bin/env bash
# Fortran programs of MPI, built as projects build them, run: with purefc alone, CMake's find_package(MPI), Meson, AX_MPI of
# autoconf, pkg-config; in the build, and in an installed copy that has been moved. A mix of MPIs is refused, however it starts.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
source "$support/installed.bash"
build=${PURETEST_BUILD_DIR:?the build directory}
compiler=${1:?a compiler}
cd "$work" || exit 1
unset CMAKE_PREFIX_PATH MPI_HOME PKG_CONFIG_PATH MPIFC MPIF90 MPIF77 FC F77
command -v gfortran > /dev/null || skip 'gfortran is not installed'
export XDG_CACHE_HOME=$work/cache

# The sum of ranks + 1, by the address MPI_IN_PLACE, which each way to use MPI has in another place.
mkdir sources && cd sources || exit 1
cat > of_f77.f << 'END'
      PROGRAM OF77
      INCLUDE 'mpif.h'
      INTEGER RANK, V, E
      CALL MPI_INIT(E)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, E)
      V = RANK + 1
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, V, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, E)
      PRINT '(I0,A,I0)', RANK, ': ', V
      CALL MPI_FINALIZE(E)
      END
END
cat > of_f90.f90 << 'END'
program of90
  use mpi
  implicit none
  integer :: rank, v, e
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  v = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  print '(I0,A,I0)', rank, ': ', v
  call MPI_Finalize(e)
end program
END
cat > of_f08.f90 << 'END'
program of08
  use mpi_f08
  implicit none
  integer :: rank, v
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  v = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  print '(I0,A,I0)', rank, ': ', v
  call MPI_Finalize()
end program
END
cd "$work" || exit 1
runs() { # runs FOLDER HOW...: the three programs in it
  local name
  for name in of_f77 of_f90 of_f08; do
    purerun_ends 0 "${@:2}" -n 2 "$1/$name"
    [[ $(sort out) == $'0: 3\n1: 3' ]] || fail "${*:2} $1/$name: $(cat out err)"
  done
}

echo 'purefc'
compiled() { # compiled OPTION...: the three programs, in the folder plain
  local source name
  rm -rf plain && mkdir plain
  for source in sources/*; do
    name=${source##*/}
    purefc "$source" -o "plain/${name%.*}" "$@" 2> err || fail "purefc $source $*: $(cat err)"
  done
}
compiled
[[ $(uname -m) != x86_64 ]] || runs plain --ranks-as threads
runs plain --ranks-as processes
compiled -Wl,--as-needed -O2
runs plain
compiled -fdefault-real-8
runs plain
flang=$(compgen -c flang-new- | sort -V | tail -n 1)
command -v flang > /dev/null && flang=flang
if [[ -n $flang ]]; then
  export PURE_FC=$flang
  compiled
  runs plain
  unset PURE_FC
else
  not_tested 'flang' 'it is not installed'
fi

echo 'plug-ins: each has addresses of its own'
cat > plug_in.f90 << 'END'
subroutine work(v) bind(C)
  use mpi
  use iso_c_binding
  implicit none
  integer(c_int) :: v
  integer :: e
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
end subroutine
END
cat > host.c << 'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0, flags[] = {RTLD_LOCAL, RTLD_GLOBAL, RTLD_LOCAL};
  const char* names[] = {"./first.so", "./second.so", "./third.so"};
  for (int i = 0; i < 3; ++i) {
    int v = i + 1;
    ((void (*)(int*))dlsym(dlopen(names[i], RTLD_NOW | flags[i]), "work"))(&v);
    wrong += v != 2 * (i + 1);
  }
  MPI_Finalize();
  return wrong;
}
END
for name in first second third; do
  purefc -O1 -fPIC -shared plug_in.f90 -o $name.so || fail "$name.so"
done
exported=$(nm -D --defined-only first.so | grep -iE ' p?mpi_' || true)
[[ -z $exported ]] || fail "a plug-in exports $exported"
purecc host.c -o host -ldl || fail 'host.c'
purerun_ends 0 -n 2 ./host
purerun_ends 0 -n 2 --ranks-as processes ./host

echo 'CMake'
cat > sources/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.18)
project(found LANGUAGES C Fortran)
find_package(MPI 5.0 REQUIRED COMPONENTS C Fortran)
message(STATUS "found: ${MPI_C_LIBRARIES} ${MPI_Fortran_LIBRARIES} "
               "${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
add_link_options(-Wl,--as-needed)
add_executable(of_f77 of_f77.f)
target_link_libraries(of_f77 MPI::MPI_C MPI::MPI_Fortran)
add_executable(of_f90 of_f90.f90)
target_link_libraries(of_f90 MPI::MPI_Fortran MPI::MPI_C)
add_executable(of_f08 of_f08.f90)
target_link_libraries(of_f08 MPI::MPI_Fortran)
END
by_cmake() { # by_cmake LIBRARIES OPTION...
  rm -rf made
  cmake -S sources -B made -G Ninja "${@:2}" > cmake.log 2>&1 && cmake --build made > ninja.log 2>&1 ||
    { fail "${*:2}: $(cat cmake.log ninja.log)" && return; }
  grep -q "found: $1/libmpi_abi.so $1/libpure_mpifort.a;$1/libmpi_abi.so TRUE TRUE TRUE" cmake.log ||
    fail "${*:2} finds: $(grep found: cmake.log)"
  runs made
}
by_cmake "$build/lib" -DMPI_C_COMPILER="$build/bin/purecc" -DMPI_Fortran_COMPILER="$build/bin/purefc"
[[ -z $flang ]] || by_cmake "$build/lib" -DMPI_HOME="$build/mpi" -DCMAKE_Fortran_COMPILER="$flang"

echo 'an installed copy that has been moved'
install_moved
by_cmake "$home/lib" -DMPI_HOME="$home"
PATH=$home/bin:$PATH by_cmake "$home/lib"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pure-mpi-fort.pc)")
export PKG_CONFIG_PATH
gfortran sources/of_f77.f -o plain/of_f77 $(pkg-config --cflags --libs pure-mpi-fort) || fail 'pkg-config pure-mpi-fort'
for name in of_f90 of_f08; do
  gfortran $(moved/bin/purefc -showme:compile) sources/$name.f90 -o plain/$name $(pkg-config --libs pure-mpi-fort) || fail "pkg-config, $name"
done
runs plain
PURE_FORTRAN_MODULES=$home/fortran moved/bin/purefc -showme:compile > out || fail 'modules in the installed copy'
XDG_CACHE_HOME=/proc "$home/bin/mpifort" -show sources/of_f08.f90 > out || fail 'mpifort -show'
grep -qF -- " -I$home/fortran/gfortran-" out || fail "modules of the installed copy: $(cat out)"

echo 'Meson'
cat > sources/meson.build << 'END'
project('found', 'c', 'fortran')
mpi = dependency('mpi', language: 'fortran')
foreach name : ['of_f77.f', 'of_f90.f90', 'of_f08.f90']
  executable(name.split('.')[0], name, dependencies: mpi)
endforeach
END
by_meson() { # by_meson WORD...: of the environment
  rm -rf meson
  env "$@" meson setup sources meson > meson.log 2>&1 && ninja -C meson > ninja.log 2>&1 || fail "meson, $*: $(cat meson.log ninja.log)"
  runs meson
}
if ! command -v meson > /dev/null; then
  not_tested 'Meson' 'it is not installed'
elif [[ $(printf '%s\n' 1.2 "$(meson --version)" | sort -V | sed -n 1p) != 1.2 ]]; then
  not_tested 'Meson' 'this version takes an Open MPI before whatever it is told'
else
  by_meson MPIFC=purefc
  by_meson PATH="$build/mpi/bin:$PATH"
  by_meson FC=purefc MPIFC=purefc
fi

echo 'autoconf'
cat > sources/configure.ac << 'END'
AC_INIT([found], [1])
AC_PROG_FC
AC_LANG([Fortran])
AX_MPI([], [AC_MSG_ERROR([no MPI])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat > sources/Makefile.in << 'END'
all: of_f77 of_f90 of_f08
of_f77: of_f77.f
	@MPIFC@ @FCFLAGS@ -o $@ $<
of_f90 of_f08: %: %.f90
	@MPIFC@ @FCFLAGS@ -o $@ $<
END
if [[ -e /usr/share/aclocal/ax_mpi.m4 ]] && command -v autoreconf > /dev/null; then
  (cd sources && autoreconf -i && ./configure MPIFC=purefc && make) > autoconf.log 2>&1 || fail "autoconf: $(cat autoconf.log)"
  runs sources
else
  not_tested 'AX_MPI' 'autoconf or autoconf-archive is not installed'
fi

echo 'two MPIs'
echo '#include <mpi.h>
int part_(void) { int rank; return MPI_Comm_rank(MPI_COMM_WORLD, &rank); }' > part.c
printf '      PROGRAM P\n      USE MPI\n      INTEGER E\n      CALL MPI_INIT(E)\n      CALL PART()\n      CALL MPI_FINALIZE(E)\n      END\n' > mixed.f
purecc -c part.c || fail 'part.c'
refused() { # refused LIBRARY: the program mixed has that of another MPI
  ./mixed > out 2>&1 && fail "./mixed, with $1: status 0"
  grep -qE "this program has two MPIs: Pure's \($build/lib/libmpi_abi.so.1\), and .*/$1.* \(CMake: .*-DMPI_Fortran_COMPILER=purefc" out ||
    fail "./mixed, with $1, says: $(cat out)"
  purerun_ends 3 -n 2 ./mixed # by the one that it names first
  grep -qE 'mixed (needs two MPIs|is built for)' err || fail "purerun ./mixed, with $1, says: $(cat err)"
}
for family in openmpi mpich; do
  if ! command -v mpif90.$family > /dev/null; then
    not_tested "Fortran of $family" 'it is not installed'
    continue
  fi
  ours="-L$build/lib -Wl,-rpath,$build/lib -Wl,--no-as-needed -lmpi_abi"
  theirs=$(mpif90.$family -show | grep -oE ' -l(mpi|open)[^ ]*' | tr '\n' ' ')
  mpif90.$family -c mixed.f -o mixed.o || fail "mpif90.$family"
  gfortran mixed.o part.o -o mixed $ours $(mpif90.$family -show | grep -oE ' -L[^ ]*') $theirs && refused libmpi || fail "$family behind Pure"
  gfortran mixed.o part.o -o mixed $(mpif90.$family -show | grep -oE ' -L[^ ]*') -Wl,--no-as-needed $theirs $ours &&
    refused libmpi || fail "$family before Pure"
done
"$compiler" -x c - -o plain/none <<< 'int main(void) { return 0; }' || fail 'a program without MPI'
finish
