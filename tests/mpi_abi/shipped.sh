#!/usr/bin/env bash
# Programs as they are shipped: compiled with another MPI's own wrappers, and run by Pure's doors of its libraries' names. Every
# constant goes through a call and comes back as itself, in C and Fortran; the doors have what the libraries export.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PURETEST_BUILD_DIR:?the build directory}
cd "$work" || exit 1

# is_right PROGRAM [OPTION...]: run by 2 ranks, it finds nothing wrong.
is_right() {
  purerun_ends 0 -n 2 "${@:2}" "./$1"
  grep -qxF '0 wrong' out || fail "$interface, $*: $(cat out err)"
}

# Names that programs do not import: of the MPIs' insides, of types of modules, of extensions.
unwanted='MOD___|compile_constants_MOD_|interface_glue_MOD_|conversion_fn_null|MPIX_|mpix_|MPII_|MPIR_|pmpir_|mpir_|_f90|_F90|_f(08)?$|dll_locations|dummy|_FN$|_fn(_f|__?)?$'
unwanted+='|__mpi_f08_types_MOD_mpi_(?!.*(_eq|_ne|_c2f|_f2c|sizeof|status))' # constants, which compilers put into programs
unwanted+='|mpirinit|pmpixr|ompi_mpi_unavailable|F_ARGV|F_ERRCODES|c2f08|f082c|delete_error'

cat > hello.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, ranks, code;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  printf("%d of %d\n", rank, ranks);
  fflush(stdout);
  if (argc == 2) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&rank, 1, MPI_INT, 77, 0, MPI_COMM_WORLD); /* a code of this MPI */
    if (code != MPI_ERR_RANK) printf("another code\n");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Send(&rank, 1, MPI_INT, 78, 0, MPI_COMM_WORLD); /* here it ends */
  }
  if (argc == 3) MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* nobody sends */
  MPI_Finalize();
  return 0;
}
END
# A tool stands before MPI_Send, and a library has handles in its data.
cat > tool.c << 'END'
#include <mpi.h>
#include <stdio.h>
#ifdef OMPI_MPI_H
MPI_Comm where = MPI_COMM_WORLD;
MPI_Datatype what[2] = {MPI_INT, MPI_DOUBLE};
#else
MPI_Comm where = 0x44000000;
MPI_Datatype what[2] = {0x4c000405, 0x4c00080b};
#endif
static int sends;
int MPI_Send(const void* buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++sends;
  if (comm != where || type != what[0]) printf("other handles\n");
  return PMPI_Send(buf, count, type, to, tag, comm);
}
int sends_so_far(void) { return sends; }
END
cat > of_tool.c << 'END'
#include <mpi.h>
#include <stdio.h>
int sends_so_far(void);
extern MPI_Comm where;
extern MPI_Datatype what[2];
int main(int argc, char** argv) {
  int rank, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&got, 1, what[0], 0, 0, where, MPI_STATUS_IGNORE);
  if (what[1] != MPI_DOUBLE || where != MPI_COMM_WORLD) printf("other handles\n");
  printf("rank %d: %d sends\n", rank, sends_so_far());
  MPI_Finalize();
  return 0;
}
END
cat > asks.c << 'END'
#include <mpi.h>
__attribute__((weak)) int MPIX_Not_in_this_release(void);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (&MPIX_Not_in_this_release != 0) MPIX_Not_in_this_release();
  return MPI_Finalize();
}
END
cat > inside.c << 'END'
#include <mpi.h>
int MPIX_Of_this_library_alone(void);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPIX_Of_this_library_alone();
  return MPI_Finalize();
}
END
# What attributes point to is each rank's own, where ranks share all variables, the door's too.
cat > codes.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, class, flag, *last = NULL, before;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  before = *last;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Add_error_class(&class), MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d: %s\n", rank, (before == *last) == (rank == 0) && *last >= MPI_ERR_LASTCODE ? "as before" : "another");
  MPI_Finalize();
  return 0;
}
END
# A plug-in of any interface, in a program of any other one.
cat > plug.c << 'END'
#include <mpi.h>
int sum_of_ranks(void) {
  int rank = -1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
END
cat > host.c << 'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int mine = 1, all = 0;
  MPI_Init(&argc, &argv);
  void* plug = dlopen(argv[1], RTLD_NOW);
  int (*sum_of_ranks)(void) = plug == NULL ? NULL : (int (*)(void))dlsym(plug, "sum_of_ranks");
  if (sum_of_ranks == NULL) return printf("%s\n", dlerror());
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%d of %d\n", sum_of_ranks(), all);
  MPI_Finalize();
  return 0;
}
END
printf 'int MPIX_Of_this_library_alone(void) { return 0; }\n' > alone.c

parts=("$here"/shipped/{constants,messages,objects,errors}.c)
tested=0
for interface in openmpi mpich; do
  command -v "mpicc.$interface" > /dev/null || { not_tested "$interface" 'its wrappers are not installed' && continue; }
  ((++tested))
  mkdir -p "$interface"
  mpifort=$(command -v "mpifort.$interface") || mpifort=none
  python3 "$here/shipped/names.py" "$root" "mpicc.$interface" "$mpifort" "$interface" || fail "names.py: $interface"
  mpicc.$interface -w -I"$interface" "${parts[@]}" -o constants || fail "constants.c: $interface"
  mpicc.$interface -w -no-pie -fno-pie -I"$interface" "${parts[@]}" -o at_fixed_place || fail "-no-pie: $interface"
  for kind in threads processes; do
    is_right constants --ranks-as "$kind"
  done
  is_right at_fixed_place
  if [[ $mpifort != none ]] && command -v gfortran > /dev/null; then
    mpicc.$interface -c "$here/shipped/ignored.c" -o ignored.o || fail "ignored.c: $interface"
    for program in constants modules sizes; do
      "$mpifort" -cpp "-DOF_$interface" -w -fallow-argument-mismatch -I"$interface" -J"$interface" "$here/shipped/$program.f90" ignored.o -o "$program.f" ||
        fail "$program.f90: $interface"
      for kind in threads processes; do is_right "$program.f" --ranks-as "$kind"; done
    done
  else
    not_tested "Fortran of $interface" 'gfortran is not installed'
  fi

  mpicc.$interface -w codes.c -o codes || fail "codes.c: $interface"
  for kind in 'threads --globals shared' threads processes; do
    purerun_ends 0 -n 2 --ranks-as $kind ./codes
    [[ $(sort out) == $'0: as before\n1: as before' ]] || fail "$interface, $kind: $(cat out err)"
  done

  # What it says, where errors are, and what nobody else has to do with: one rank without purerun.
  mpicc.$interface -w -g hello.c -o hello || fail "hello.c: $interface"
  purerun_ends 0 -n 2 ./hello
  grep -q '^purerun: ./hello: ranks are threads .* Its MPI is Pure, in place of .* (libmpi' err || fail "$interface: $(cat err)"
  purerun_ends 0 --explain -n 2 ./hello
  grep -q 'in place of' <(tr '\n' ' ' < out) || fail "$interface, --explain: $(cat out)"
  [[ $(LD_LIBRARY_PATH=$build/lib/doors/$interface ./hello) == '0 of 1' ]] || fail "$interface: alone, it is no rank of one"
  purerun_ends 1 -n 1 ./hello error
  grep -q "hello.c:$(grep -n 'here it ends' hello.c | cut -d: -f1)" err || fail "$interface: the error is elsewhere: $(cat err)"
  ! grep -q 'another code' out || fail "$interface: an error has another code"
  purerun_ends 1 -n 2 --set HANG_TIMEOUT=1 --set HANG_ENDS=1 ./hello hang it
  grep -q "hello.c:$(grep -n 'nobody sends' hello.c | cut -d: -f1)" err || fail "$interface: a hang is elsewhere: $(cat err)"

  mpicc.$interface -w -shared -fPIC tool.c -o libtool.so && mpicc.$interface -w of_tool.c -L. -ltool -Wl,-rpath,"$PWD" -o of_tool ||
    fail "a tool: $interface"
  for kind in threads processes; do
    purerun_ends 0 -n 2 --ranks-as "$kind" ./of_tool
    [[ $(sort out) == $'rank 0: 1 sends\nrank 1: 0 sends' ]] || fail "$interface, a tool, $kind: $(cat out err)"
  done

  # A name that only its own library has; one that a program asks for, and can be without.
  mpicc.$interface -w asks.c -o asks || fail "asks.c: $interface"
  purerun_ends 0 -n 2 ./asks
  gcc -shared -fPIC alone.c -o libmpi_alone.so && mpicc.$interface -w inside.c ./libmpi_alone.so -o inside && rm libmpi_alone.so
  mpicc.$interface -w -shared -fPIC hello.c -o libmpi_alone.so
  purerun_ends 3 -n 2 ./inside
  grep -q 'MPIX_Of_this_library_alone' err || fail "$interface: what it lacks is not named: $(cat err)"
  rm -f libmpi_alone.so

  doors=$build/lib/doors/$interface
  own=("$doors"/lib*.so.[0-9]*)
  for library in $(ldd ./constants ./constants.f ./modules.f 2> /dev/null | sed -n 's/^\t\(libmpi[^ ]*\) => \([^ ]*\) .*/\2/p' | sort -u); do
    python3 "$here/shipped/exports.py" "$unwanted" "$library" "${own[@]}" > lacks || fail "$library: $(head -5 lacks)"
  done
done
((tested > 0)) || skip 'neither mpicc.openmpi nor mpicc.mpich is installed'

interfaces=(purecc)
for interface in openmpi mpich; do ! command -v "mpicc.$interface" > /dev/null || interfaces+=("mpicc.$interface"); done
for compile in "${interfaces[@]}"; do
  "$compile" -w -shared -fPIC plug.c -o "plug.$compile.so" && "$compile" -w host.c -o "host.$compile" -ldl || fail "$compile: plug.c"
done
for host in "${interfaces[@]}"; do
  for plug in "${interfaces[@]}"; do
    purerun_ends 0 -n 3 --ranks-as threads "./host.$host" "./plug.$plug.so"
    [[ $(sort -u out) == '3 of 3' ]] || fail "$plug in $host: $(cat out err)"
    if [[ $plug == "$host" ]]; then
      purerun_ends 0 -n 3 --ranks-as processes "./host.$host" "./plug.$plug.so"
      [[ $(sort -u out) == '3 of 3' ]] || fail "$plug in $host: $(cat out err)"
    else # there the program's own functions come first, for all
      purerun_ends 1 -n 3 --ranks-as processes "./host.$host" "./plug.$plug.so"
      grep -q 'a library that has been loaded needs .*, but the program calls MPI by' err || fail "$plug in $host: $(cat out err)"
    fi
  done
done
# Linked with two, it is of neither.
if ((tested == 2)); then
  mpicc.openmpi -w hello.c -Wl,--no-as-needed ./plug.mpicc.mpich.so -o of_both || fail of_both
  purerun_ends 3 -n 2 ./of_both
  grep -q '^purerun: ./of_both needs two MPIs: Open MPI (libmpi.so.40), and MPICH, or its ABI (libmpi.*), which plug.mpicc.mpich.so brings' err ||
    fail "of both: $(cat err)"
fi

# An MPI inside of the program, or what stands for one: several ranks would be several jobs.
cat > of_one.c << 'END'
int MPI_Init(int* argc, char*** argv) { return !argc || !argv; }
END
cat > with_one.c << 'END'
int MPI_Init(int*, char***);
int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
END
gcc of_one.c with_one.c -o one_inside && gcc -shared -fPIC of_one.c -o libmpiseq.so && gcc with_one.c ./libmpiseq.so -o one_beside ||
  fail 'of_one.c'
inside=(./one_inside ./one_beside)
if [[ -e hello ]] && command -v mpicc.mpich > /dev/null && mpicc.mpich -w -static-mpi hello.c -o static 2> /dev/null &&
  [[ $(ldd ./static) != *libmpi* ]]; then
  strip -o stripped static
  inside+=(./static ./stripped)
fi
for program in "${inside[@]}"; do
  purerun_ends 3 -n 2 "$program"
  grep -q 'has an MPI inside of it' err || fail "$program: $(cat err)"
  purerun_ends 0 -n 1 "$program"
  purerun_ends 0 -n 2 env "$program"
done

# Under the name of an MPI's launcher, what scripts have in them is taken.
ln -s "$(command -v purerun)" mpirun
[[ $(./mpirun --oversubscribe --allow-run-as-root --mca btl self,vader --bind-to core -np 2 ./hello 2> err | sort) == $'0 of 2\n1 of 2' ]] ||
  fail "mpirun: $(cat err)"
# The network that connects processes is the other MPI.
if [[ -e $build/lib/libpure_net_openmpi.so && -e hello ]]; then
  mpicc.openmpi -w hello.c -o of_openmpi 2> /dev/null
  purerun_ends 2 -n 2 -N 2 --mpi openmpi ./of_openmpi
  grep -q 'has the name of the one that would connect' err || fail "the same MPI twice: $(cat err)"
fi

if command -v lmp > /dev/null; then
  cat > in.melt << 'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 40
END
  rows() { sed -n '/^ *Step/,/^Loop/p' "$1" | grep -E '^ +[0-9]'; }
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpiexec.openmpi --oversubscribe -n 2 lmp -in in.melt > theirs 2>&1
  rows theirs > their_rows
  [[ $(wc -l < their_rows) == 5 ]] || fail "lmp with its own MPI: $(tail -5 theirs)"
  for kind in threads processes; do
    purerun_ends 0 -n 2 --ranks-as "$kind" lmp -in in.melt
    rows out | cmp - their_rows || fail "lmp, $kind: other results"
  done
else
  not_tested lammps 'it is not installed'
fi

finish
