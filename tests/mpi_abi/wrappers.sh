#!/usr/bin/env bash
# purecc and purecxx as compilers of MPI programs, under their own names and those of an MPI: what they add, what they answer
# to build systems, which of Pure's two libraries a program gets. (As compilers of pure.h: tests/package/wrappers.sh.)
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory}
bin=$build/bin mpi_bin=$build/mpi/bin
cd "$work" || exit 1

cat > compiler << 'END'
#!/bin/sh
for word; do printf '[%s]' "$word"; done
echo
END
chmod +x compiler
export PURE_CXX=$work/compiler PURE_CC=$work/compiler
gives() { # gives EXPECTED COMMAND...
  local got
  got=$("${@:2}" 2>&1) || fail "${*:2} ends with status $?"
  [[ $got == "$1" ]] || fail "${*:2} gives $got, not $1"
}
headers=$build/mpi/include libraries=$build/lib
compiling="[-I$headers][-pthread]" linking="[-L$libraries][-Wl,-rpath,$libraries][-lmpi_abi][-pthread]"

echo 'what is added'
echo '  #  include "mpi.h"' > direct.cpp
echo '#include <mpi.h>' > a.c
for wrapper in "$bin/purecc" "$mpi_bin/mpicc"; do
  gives "[-O2][a.c][-o][a]$compiling$linking" "$wrapper" -O2 a.c -o a
  for option in -E -c; do gives "[$option][a.c]$compiling" "$wrapper" $option a.c; done
done
for wrapper in "$bin/purecxx" "$mpi_bin/mpicxx" "$mpi_bin/mpic++"; do
  gives "[direct.cpp]$compiling$linking" "$wrapper" direct.cpp # without -std: that of the compiler
  gives "[-std=c++11][-c][direct.cpp]$compiling" "$wrapper" -std=c++11 -c direct.cpp
done
gives "[a.cpp]$compiling$linking" "$mpi_bin/mpicxx" a.cpp # though nothing tells
echo 'int part() { return 0; }' > part.cpp # of whatever program, in whatever standard
[[ $("$bin/purecxx" -c part.cpp) != *-std=* ]] || fail "purecxx -c part.cpp: $("$bin/purecxx" -c part.cpp)"
for family in MPICH OMPI I_MPI; do
  gives "[-c][a.c]$compiling" env -u PURE_CC "${family}_CC=$work/compiler" "$mpi_bin/mpicc" -c a.c
  gives "[-c][direct.cpp]$compiling" env -u PURE_CXX "${family}_CXX=$work/compiler" "$mpi_bin/mpicxx" -c direct.cpp
done
gives "[-c][a.c]$compiling" env MPICH_CC=/none OMPI_CC=/none "$mpi_bin/mpicc" -c a.c # Pure's own comes first

echo 'what build systems ask'
answers() { # answers WRAPPER
  for option in -showme:compile --showme:compile -compile_info -compile-info; do gives "-I$headers -pthread" "$1" $option; done
  for option in -showme:link -link_info -link-info; do
    gives "-L$libraries -Wl,-rpath,$libraries -lmpi_abi -pthread" "$1" $option
  done
  for option in -show -showme --showme; do
    gives "$work/compiler -I$headers -pthread -L$libraries -Wl,-rpath,$libraries -lmpi_abi -pthread" "$1" $option
  done
  gives "$headers" "$1" -showme:incdirs
  gives "$libraries" "$1" -showme:libdirs
  gives mpi_abi "$1" -showme:libs
  gives "$work/compiler" "$1" -showme:command
  [[ $("$1" -showme:version) =~ ^${1##*/}': Pure '[0-9.]+' (Language: C'(\+\+)?')'$ ]] ||
    fail "$1 -showme:version: $("$1" -showme:version)"
}
answers "$bin/purecc"
answers "$bin/purecxx"
gives "$work/compiler -c x.c -I$headers -pthread" "$mpi_bin/mpicc" -show -c x.c
gives "-I$headers -pthread" "$mpi_bin/mpicxx" -showme:compile
gives "[-c][x.c]$compiling" env -u PURE_CC "$mpi_bin/mpicc" -cc="$work/compiler" -c x.c

echo 'mpiexec, as test suites call it'
cat > prints.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** values) {
  const char* of_test = getenv("OF_TEST");
  MPI_Init(&count, &values);
  printf("OF_TEST=%s\n", of_test == NULL ? "" : of_test);
  return MPI_Finalize();
}
END
env -u PURE_CC "$bin/purecc" prints.c -o prints || fail 'prints.c does not compile'
starts() { # starts TEXT OPTION...: mpiexec with these options runs a program, whose output has TEXT
  local got
  got=$("$mpi_bin/mpiexec" "${@:2}" -n 1 ./prints 2> err) || fail "mpiexec ${*:2}: status $?: $(cat err)"
  grep -qF -- "$1" <<< "$got" || fail "mpiexec ${*:2}: no $1 in what it prints"
}
for options in --oversubscribe --allow-run-as-root '--bind-to core' '--bind-to none' '-host localhost' \
  '-hosts localhost,localhost' --use-hwthread-cpus '-bind-to core --oversubscribe'; do
  starts OF_TEST= $options
  [[ $(cat err) == 'purerun: ./prints: ranks are threads with globals of their own.' ]] || fail "mpiexec $options says: $(cat err)"
done
starts OF_TEST= --bind-to socket
grep -qF -- '--bind-to socket: each rank is bound to its share' err || fail "mpiexec --bind-to socket says: $(cat err)"
starts OF_TEST=yes -x OF_TEST=yes
starts 'OF_TEST=a b' -env OF_TEST 'a b'
OF_TEST=mine starts OF_TEST=mine -x OF_TEST
starts OF_TEST=yes -genv OF_TEST yes
"$mpi_bin/mpiexec" -host elsewhere -n 1 ./prints > out 2> err && fail 'mpiexec -host elsewhere: status 0'
grep -qF -- '--hosts' err || fail "mpiexec -host elsewhere says: $(cat err)"
"$mpi_bin/mpiexec" -n 1 env : -n 1 ./prints > out 2> err && fail 'mpiexec with two programs: status 0'
grep -qF 'several programs' err || fail "mpiexec with two programs says: $(cat err)"
"$build/bin/purerun" --oversubscribe -n 1 ./prints > out 2> err && fail 'purerun --oversubscribe: status 0'

echo 'which library: by what sources include, and by what objects lack'
unset PURE_CXX PURE_CC
mkdir headers
echo '#include <mpi.h>' > headers/of_mpi.hpp
cat > indirect.cpp << 'END'
#include "of_mpi.hpp"
int main(int count, char** values) { return MPI_Init(&count, &values) + MPI_Finalize(); }
END
cat > of_pure.cpp << 'END'
#include <pure/pure.hpp>
int main() { return pure::run([] {}); }
END
cat > on_condition.cpp << 'END'
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include "of_pure.hpp"
int main() { return pure::run([] {}); }
END
echo '#include <pure/pure.hpp>' > headers/of_pure.hpp
mkdir headers/pure && echo 'namespace pure { int thing(); }' > headers/pure/thing.hpp
cat > own_folder.cpp << 'END'
#include "of_mpi.hpp"
#include "pure/thing.hpp"
int main() { return pure::thing(); }
END
echo '#include "pure/thing.hpp"
int pure::thing() { return 0; }' > own_folder_too.cpp
echo 'int pure_thing(); int main() { return pure_thing(); }' > own_name.cpp # a name of the program
echo '#include <mpi.h>
int pure_thing() { return MPI_Finalize(); }' > own_name_too.cpp
is_linked_with() { # is_linked_with LIBRARY FILE...
  "$bin/purecxx" -I headers "${@:2}" -o linked || fail "purecxx ${*:2}: status $?"
  local needed
  needed=$(readelf -d linked | grep -oE 'lib(pure|mpi_abi)\.so' | tr '\n' ' ')
  [[ $needed == "$1 " ]] || fail "purecxx ${*:2} links $needed, not $1"
}
"$bin/purecxx" -I headers -c indirect.cpp own_name.cpp own_name_too.cpp || fail 'purecxx -c'
"$bin/purecxx" -c of_pure.cpp || fail 'purecxx -c of_pure.cpp'
"$bin/purecxx" -I headers -c on_condition.cpp || fail 'purecxx -c on_condition.cpp'
"$bin/purecxx" -I headers -c own_folder.cpp own_folder_too.cpp || fail 'purecxx -c own_folder.cpp'
ar rc libarchive.a indirect.o
is_linked_with libmpi_abi.so indirect.cpp
is_linked_with libmpi_abi.so indirect.o
is_linked_with libmpi_abi.so libarchive.a
is_linked_with libmpi_abi.so -L. -larchive
is_linked_with libmpi_abi.so -L . -l archive
for name in indirect.ii indirect.2.cpp; do
  "$bin/purecxx" -I headers -E indirect.cpp -o "$name" || fail "purecxx -E -o $name"
  is_linked_with libmpi_abi.so "$name"
done
"$bin/purecxx" -E of_pure.cpp -o of_pure.2.cpp && is_linked_with libpure.so of_pure.2.cpp || fail 'of_pure.2.cpp'
is_linked_with libmpi_abi.so own_name.o own_name_too.o
is_linked_with libmpi_abi.so own_folder.o own_folder_too.o own_name_too.o
is_linked_with libmpi_abi.so own_folder.cpp own_folder_too.cpp
is_linked_with libpure.so on_condition.o
is_linked_with libpure.so on_condition.cpp
is_linked_with libpure.so of_pure.o
is_linked_with libpure.so of_pure.cpp

echo 'libraries of the program, tools of MPI, and whatever else a command may be'
cat > solver.cpp << 'END'
#include <mpi.h>
int solve() { int rank; return MPI_Comm_rank(MPI_COMM_WORLD, &rank); }
END
echo 'int solve(); int main() { return solve == nullptr; }' > uses_solver.cpp
cat > tool.cpp << 'END'
#include <mpi.h>
extern "C" int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
END
mkdir lib && "$bin/purecxx" -c solver.cpp && ar rc lib/libof_mpi.a solver.o || fail 'libof_mpi.a'
"$bin/purecxx" -shared -fPIC solver.cpp -o lib/libshared.so || fail 'libshared.so'
is_linked_with libmpi_abi.so -Llib uses_solver.cpp -lof_mpi
is_linked_with libmpi_abi.so -L lib uses_solver.cpp -l of_mpi
is_linked_with libmpi_abi.so -Llib uses_solver.cpp -l:libof_mpi.a
is_linked_with libmpi_abi.so -L. -Llib uses_solver.cpp -Wl,--no-as-needed -lshared -lm
echo '-Llib uses_solver.cpp -lof_mpi' > response
is_linked_with libmpi_abi.so @response
echo '-Iheaders indirect.cpp' > response
is_linked_with libmpi_abi.so @response
is_linked_with libmpi_abi.so -shared -fPIC tool.cpp
is_linked_with libmpi_abi.so -x c++ a.c uses_solver.cpp -x none solver.o
"$bin/purecxx" -fsyntax-only -xc++ - < direct.cpp && "$bin/purecxx" -fPIC -shared -xc++ - -o linked < solver.cpp ||
  fail 'a source that comes by stdin'
"$bin/purecxx" -r solver.o uses_solver.cpp -o joined.o && is_linked_with libmpi_abi.so joined.o || fail 'purecxx -r'
for wrapper in "$bin/purecc" "$bin/purecxx"; do
  "$wrapper" -static solver.cpp uses_solver.cpp -o linked > out 2>&1 && fail "${wrapper##*/} -static links"
  grep -qE 'there is no libmpi_abi\.a for -static' out || fail "${wrapper##*/} -static says: $(cat out)"
  "$wrapper" -static -c solver.cpp || fail "${wrapper##*/} -static -c"
done
finish
