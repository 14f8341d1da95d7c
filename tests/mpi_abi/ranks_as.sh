#!/usr/bin/env bash
# What purerun makes of MPI programs: threads with globals of their own, threads that share them, or processes; whose MPI a
# program is linked with; who has started it. What decides: rank_choice.sh. $1: the C++ compiler of the build.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
current=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build/rivals/mpich/bin/mpicc_abi
cd "$work" || exit 1

says() { # says TEXT: purerun has said that, on stderr, in one line
  grep -qF -- "$1" err || fail "it does not say '$1' but: $(cat err)"
}
quiet() { [[ ! -s err ]] || fail "$*: it says: $(cat err)"; }
processes() { # processes NUMBER: so many have said their number
  [[ $(grep -o 'process [0-9]*' out | sort -u | wc -l) == "$1" ]] || fail "not $1 processes: $(cat out)"
}

cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef GLOBAL
int counter;
#endif
int main(int count, char** values) {
  int rank, size, token = 0, flag;
  if (MPI_Initialized(&flag) != MPI_SUCCESS || flag) return 4;
  MPI_Init(&count, &values);
  if (MPI_Initialized(&flag) != MPI_SUCCESS || !flag) return 4;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef GLOBAL
  counter += rank;
#endif
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (token != (rank + size - 1) % size) return 5;
#ifdef GLOBAL
  if (count == 1 && counter != rank) return 7; /* with an argument all add to one */
#endif
  printf("rank %d of %d in process %d\n", rank, size, (int)syscall(SYS_getpid));
  if (count > 1 && strcmp(values[1], "unreceived") == 0 && rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  if (count > 1 && strcmp(values[1], "leave") == 0) return 0;
  MPI_Finalize();
  if (MPI_Finalized(&flag) != MPI_SUCCESS || !flag) return 4;
  return count > 1 && strcmp(values[1], "fail") == 0 ? 6 : 0;
}
END
purecc program.c -o clean && purecc -DGLOBAL program.c -o global || fail 'program.c does not compile'

echo 'what ranks are'
./clean > out || fail "alone: status $?"
grep -q 'rank 0 of 1' out || fail "alone: $(cat out)"
is_loaded=true
[[ $(uname -m) == x86_64 ]] || is_loaded=false
each_rank() { # each_rank NUMBER: so many have spoken
  for ((rank = 0; rank < $1; ++rank)); do grep -q "rank $rank of $1 " out || fail "no rank $rank: $(cat out)"; done
}
if $is_loaded; then
  for kind in '' '--ranks-as auto'; do
    # shellcheck disable=SC2086
    purerun_ends 0 $kind -n 3 ./global && processes 1 && each_rank 3
    [[ $(< err) == 'purerun: ./global: ranks are threads with globals of their own.' ]] || fail "$kind: it says $(< err)"
  done
  purerun_ends 0 --ranks-as threads -n 3 ./global && processes 1 && each_rank 3 && quiet 'as threads'
  strip -o bare global
  purerun_ends 0 --ranks-as threads -n 2 ./bare && processes 1 && each_rank 2
  purerun_ends 0 --ranks-as threads -N 2 -n 4 ./global && processes 2 && each_rank 4
  purerun_ends 0 -N 2 -n 4 ./global && processes 2 && each_rank 4
  purerun_ends 0 -n 3 seq 2 # a program without an MPI
  [[ $(sort out | tr '\n' ' ') == '1 1 1 2 2 2 ' ]] || fail "seq of three ranks prints $(< out)"
  says 'purerun: seq: each rank runs it by itself, as a thread.'
  purerun_ends 1 -n 2 false
  shared=(--globals shared)
else
  not_tested 'private globals' 'nothing loads programs on this processor'
  purerun_ends 0 -n 3 ./global && processes 3 && quiet 'by default'
  shared=(--ranks-as threads)
fi
purerun_ends 0 --ranks-as processes -n 2 ./global && processes 2 && each_rank 2 && quiet 'as processes'
purerun_ends 0 "${shared[@]}" -n 3 ./clean && processes 1 && each_rank 3 && quiet 'as threads that share nothing'
purerun_ends 0 "${shared[@]}" -n 2 ./global shared && processes 1
says 'purerun: warning: as threads the ranks share 1 writable global variable: counter (`pure globals ./global`)'
purerun_ends 0 --ranks-as auto "${shared[@]:0:2}" -n 2 ./clean && processes 1
says 'purerun: ./clean: ranks are threads, since it has no writable global variables.'
purerun_ends 0 --ranks-as auto "${shared[@]:0:2}" -n 2 ./global && processes 2
says 'purerun: ./global: ranks are processes; threads would share 1 writable global variable: counter ('
[[ $(wc -l < err) == 1 ]] || fail "auto says more than a line: $(cat err)"
strip -o bare clean
purerun_ends 0 --ranks-as auto "${shared[@]:0:2}" -n 2 ./bare && processes 2
says 'threads would share what nobody knows: ./bare is stripped'
purerun_ends 1 --ranks-as processes -n 2 ./clean leave
says 'MPI_Finalize has to come first'
purerun_ends 1 --ranks-as threads -n 2 ./clean leave
says 'MPI_Finalize'
purerun_ends 6 --ranks-as threads -n 2 ./clean fail
for kind in processes threads; do # what is left behind is a failure, of who is asked to look for it
  purerun_ends 1 --check --ranks-as $kind -n 2 ./clean unreceived
  says 'was never received: MPI_Send at'
  PURE_CHECK=0 purerun_ends 0 --ranks-as $kind -n 2 ./clean unreceived
done
purerun_ends 0 --ranks-as threads -N 2 -n 4 --mpi none ./clean && processes 2
purerun_ends 0 -N 2 -n 2 ./clean && processes 2 && quiet 'one rank in each process'
purerun_ends 2 --ranks-as fibers -n 2 ./clean
purerun_ends 0 -n 2 --dry-run ./clean
[[ $(< out) == *'LD_LIBRARY_PATH='*"$build/lib"*'./clean '* ]] || fail "--dry-run prints $(< out)"

echo 'whose MPI'
mkdir elsewhere
foreign() { # foreign SONAME PROGRAM: linked with a library of that name
  echo 'int MPI_Init(int* count, char*** values) { return count == 0 || values == 0; }' > mpi.c
  "$compiler" -x c -shared -fPIC mpi.c -Wl,-soname,"$1" -o "elsewhere/$1" &&
    echo 'int MPI_Init(int*, char***); int main(int count, char** values) { return MPI_Init(&count, &values); }' > foreign.c &&
    "$compiler" -x c foreign.c -x none -o "$2" "elsewhere/$1" -Wl,-rpath,"$PWD/elsewhere" || fail "$1 does not compile"
}
refused() { # refused PROGRAM TEXT
  purerun_ends 3 -n 2 "./$1"
  says "purerun: ./$1 is built for $2, not for Pure."
  says 'MPICC=purecc'
  says '  with -DMPI_HOME='
  if grep -qE '.{81}' <<< "$(tail -n +2 err)"; then fail "more than 80 columns: $(cat err)"; fi
}
taken() { # taken PROGRAM TEXT: Pure has a door of that library's name
  purerun_ends 0 --explain -n 2 "./$1"
  grep -qF "Its MPI is Pure, in place of $2." <<< "$(tr '\n' ' ' < out)" || fail "--explain $1: $(< out)"
}
foreign libmpi.so.20 of_old_openmpi
refused of_old_openmpi 'libmpi.so.20 (Open MPI, before its version 4)'
foreign libmpi.so.40 of_openmpi
taken of_openmpi 'Open MPI (libmpi.so.40)'
foreign libmpi.so.12 of_mpich
strip of_mpich
taken of_mpich 'MPICH, or its ABI (libmpi.so.12)'
foreign libmpich.so.12 of_debian
taken of_debian 'MPICH, or its ABI (libmpich.so.12)'
"$compiler" -x c -shared -fPIC foreign.c -x none -o elsewhere/libown.so -Dmain=own elsewhere/libmpi.so.20 \
  -Wl,-rpath,"$PWD/elsewhere" &&
  echo 'int own(int, char**); int main(int count, char** values) { return own(count, values); }' > by_library.c &&
  "$compiler" -x c by_library.c -x none -o by_library elsewhere/libown.so -Wl,-rpath,"$PWD/elsewhere" || fail 'by_library'
refused by_library 'libmpi.so.20 (Open MPI, before its version 4)'
echo '#include <pure.h>
extern "C" int MPI_Init(int*, char***);
int main() { return pure_rank() < 0 ? MPI_Init(nullptr, nullptr) : 0; }' > both.cpp
purecxx both.cpp -o both elsewhere/libmpi.so.40 -Wl,-rpath,"$PWD/elsewhere" || fail 'both.cpp'
purerun_ends 0 -n 2 ./both # a program of pure.h may have an MPI of its own
# Two MPIs in one program: the other one by a library, in the program itself, and by a library of the system's.
mixed() { # mixed PROGRAM BY ARGUMENT...: purecc with the arguments makes it
  local way
  purecc program.c -o "$@" -Wl,-rpath,"$PWD/elsewhere" || fail "$1"
  for way in '--ranks-as threads' '--ranks-as processes' '' --explain; do
    purerun_ends 3 $way -n 2 "./$1"
    says "purerun: ./$1 needs two MPIs: Pure's (libmpi_abi.so.1), and $second, which $by brings along."
    if grep -qE '.{81}' <<< "$(tail -n +2 err)"; then fail "more than 80 columns: $(cat err)"; fi
  done
}
by=libown.so second='Open MPI, before its version 4 (libmpi.so.20)' mixed of_two -Wl,--no-as-needed elsewhere/libown.so
by='its own command to link' second='Open MPI (libmpi.so.40)' mixed of_two_itself -Wl,--no-as-needed elsewhere/libmpi.so.40
"$compiler" -x c -shared -fPIC mpi.c -Wl,-soname,libmpi_mpifh.so.20 -o elsewhere/libmpi_mpifh.so.20 &&
  "$compiler" -x c foreign.c -x none -o of_fortran -Wl,--no-as-needed elsewhere/libmpi.so.20 elsewhere/libmpi_mpifh.so.20 \
    -Wl,-rpath,"$PWD/elsewhere" || fail of_fortran
purerun_ends 3 -n 2 ./of_fortran
says 'MPIFC=purefc'

foreign libmpi_abi.so.1 of_other_folder
purecc program.c -o of_other_folder -Wl,-rpath,"$PWD/elsewhere" || fail of_other_folder
for kind in processes threads; do
  purerun_ends 0 --ranks-as $kind -n 2 ./of_other_folder && each_rank 2
done
purecc program.c -o of_fixed_folder -Wl,--disable-new-dtags,-rpath,"$PWD/elsewhere" || fail of_fixed_folder
for kind in processes threads; do
  purerun_ends 0 --ranks-as $kind -n 2 ./of_fixed_folder && each_rank 2 # DT_RPATH comes before LD_LIBRARY_PATH
done

cat > program.py << 'END'
import ctypes
mpi = ctypes.CDLL("libmpi_abi.so.1")
rank = ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(ctypes.c_void_p(0x101), ctypes.byref(rank))
print(f"process {rank.value}\n", end="")
mpi.MPI_Finalize()
END
purerun_ends 0 --ranks-as processes -n 2 python3 program.py && processes 2
echo 'import os; print(os.environ.get("MPI4PY_LIBMPI"))' > told.py # where mpi4py's wheels look for an MPI
purerun_ends 0 --ranks-as processes -n 1 python3 told.py
[[ $(< out) == "$build/lib/doors/mpich/libmpi.so.12" ]] || fail "mpi4py is told: $(cat out)"
MPI4PY_LIBMPI=mine purerun_ends 0 --ranks-as processes -n 1 python3 told.py
[[ $(< out) == mine ]] || fail "mpi4py is told: $(cat out)"
echo pass > nothing.py
purerun_ends 0 -n 2 python3 nothing.py
says 'purerun: note: python3 ran as an ordinary program' && says 'mpi4py' && says 'MPI4PY_LIBMPI'
if grep -q purecxx err; then fail "Python is told to use purecxx: $(cat err)"; fi

if [[ -x $current ]]; then # built for the standard ABI by others
  "$current" program.c -o theirs || fail "$current"
  for kind in processes threads; do purerun_ends 0 --ranks-as $kind -n 2 ./theirs && each_rank 2; done
else
  not_tested mpich-current 'bench/rivals has installed no MPICH with the standard ABI'
fi

echo 'who has started it'
for family in mpich openmpi; do
  if [[ -e $build/lib/libpure_net_$family.so ]]; then # its mpiexec
    purerun_ends 0 -N 2 -n 2 --mpi $family ./clean && processes 2
  else
    not_tested $family 'this build has no plug-in for it'
  fi
done
started_by() { # started_by TEXT VARIABLE...
  local text=$1
  shift
  env PURE_PLUGIN_DIR="$PWD" "$@" ./clean > out 2> err && fail "$*: status 0"
  says "$text"
  says 'start with `purerun'
}
started_by 'mpiexec of MPICH (Hydra) has started 2 processes' PMI_RANK=0 PMI_SIZE=2
started_by 'mpiexec of Open MPI has started 2 processes' OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
text='srun of Slurm has started 2 processes'
env PURE_PLUGIN_DIR="$PWD" SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 ./clean > out 2> err && fail 'srun: status 0'
says "$text"
finish
