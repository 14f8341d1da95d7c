#!/usr/bin/env bash
# Fortran's side of the MPI door: every function from each interface, over a library that prints what arrives; callbacks and array
# sections over Pure, and over MPICH's library of the standard ABI as a second opinion; where errors and hangs are said to be.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory}
cd "$work" || exit 1
command -v gfortran > /dev/null || skip 'gfortran is not installed'
export XDG_CACHE_HOME=$work/cache PURE_FC=gfortran

purefc -O1 -g -std=f2018 -Wall -Wno-unused-dummy-argument -o sections "$here/fortran/sections.f90" || fail 'sections.f90 does not compile'
purefc -O1 -g -o callbacks "$here/fortran/callbacks.f90" 2> err || fail "callbacks.f90 does not compile: $(cat err)"
modules=("$XDG_CACHE_HOME"/pure/fortran/gfortran-*/)
[[ -e ${modules[0]}/mpi_f08.mod ]] || fail 'there are no modules where they should be'

python3 "$here/fortran_calls.py" "$here/../.." "$build" gfortran "$work" "${modules[0]}" > calls || fail "calls: $(tail -40 calls)"

for program in sections callbacks; do
  for ranks in 1 3; do
    for kind in threads processes; do
      purerun_ends 0 --ranks-as "$kind" -n "$ranks" "./$program"
      for ((rank = 0; rank < ranks; ++rank)); do
        grep -qxF "rank $rank: right" out || fail "$program, $ranks $kind: rank $rank is not right: $(cat out err)"
      done
    done
  done
done

other=$here/../../build/rivals/mpich
if [[ -e $other/lib/libmpi_abi.so.1 ]]; then
  for program in sections callbacks; do
    gfortran -O1 -I "$build/mpi/include" -I "${modules[0]}" "$here/fortran/$program.f90" -o "other_$program" -L "$build/lib" -lpure_mpifort \
      "$other/lib/libmpi_abi.so.1" -Wl,-rpath,"$other/lib" 2> err || fail "$program.f90 over MPICH's libmpi_abi: $(cat err)"
    timeout 60 "$other/bin/mpiexec" -n 3 "./other_$program" > out 2>&1 || fail "$program over MPICH's libmpi_abi: $(cat out)"
    [[ $(grep -c ': right' out) == 3 ]] || fail "$program over MPICH's libmpi_abi: $(cat out)"
  done
else
  not_tested "MPICH's libmpi_abi" 'bench/rivals has not installed it'
fi

# Errors, and what ranks wait for, are where the program is, and not in the side.
cat > places.f90 << 'END'
program places
  use mpi_f08
  implicit none
  interface
    subroutine send_in_c() bind(C)
    end subroutine
  end interface
  integer :: rank, x
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (command_argument_count() == 1) call MPI_Recv(x, 1, MPI_INTEGER, &
    1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Send(x, 1, MPI_INTEGER, 79, 0, MPI_COMM_WORLD)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  if (command_argument_count() > 1) call send_in_c()
  call MPI_Send(x, 1, MPI_INTEGER, 77, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
END
cat > in_c.c << 'END'
#include <mpi.h>
void send_in_c(void) {
  int x = 0;
  MPI_Send(&x, 1, MPI_INT, 78, 0, MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_SELF);
}
END
purecc -g -O0 -c in_c.c || fail 'in_c.c does not compile'
purefc -g -O0 -o places places.f90 in_c.o || fail 'places.f90 does not compile'
for kind in threads processes; do
  purerun_ends 1 --ranks-as "$kind" -n 2 ./places
  grep -q 'at .*places.f90:17 ' err || fail "$kind: the place of an error: $(cat err)"
  purerun_ends 1 --ranks-as "$kind" -n 2 ./places from C # behind a call from Fortran, which has returned an error
  grep -q 'at .*in_c.c:4 ' err || fail "$kind: the place of an error in C: $(cat err)"
  purerun_ends 1 --ranks-as "$kind" -n 2 ./places waits
  grep -q 'rank 0 waits in MPI_Recv .*at .*places.f90:1[12] ' err || fail "$kind: the place of a wait: $(cat err)"
done

# A section in a non-blocking call of `use mpi` is a copy that is gone when the call has returned: PURE_CHECK sees that somebody else
# has its memory.
cat > copied.f90 << 'END'
program copied
  use mpi
  implicit none
  integer :: rank, e, r
  real(8) :: a(100, 100), b(100)
  real(8), allocatable :: other(:)
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  a = rank
  b = 5
  if (rank == 0) then
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Send(b, 100, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, e)
    if (command_argument_count() == 0) then
      call MPI_Isend(a(1, :), 100, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, r, e)
    else
      call MPI_Isend(b, 100, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, r, e)
    end if
    allocate(other(100), source = 7._8)
    call MPI_Wait(r, MPI_STATUS_IGNORE, e)
    print *, other(100)
  else
    if (command_argument_count() == 0) then
      call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, r, e)
    else
      call MPI_Irecv(a(2, :), 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, r, e)
    end if
    allocate(other(100), source = 7._8)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Wait(r, MPI_STATUS_IGNORE, e)
    call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    print *, other(100)
  end if
  call MPI_Finalize(e)
end program
END
purefc -g -O0 -o copied copied.f90 || fail 'copied.f90 does not compile'
for kind in threads processes; do
  purerun_ends 1 --check --ranks-as "$kind" -n 2 ./copied
  grep -q 'the buffer of a send to rank 1, tag 1, was changed .*copied.f90:15 ' err || fail "$kind: a section that is sent: $(cat err)"
  ! grep -q 'ranks share' err || fail "$kind: the ranks share nothing: $(cat err)"
  purerun_ends 1 --check --ranks-as "$kind" -n 2 ./copied received
  grep -q 'the buffer of a receive from rank 0, tag 0, was changed .*copied.f90:26 ' err || fail "$kind: a section that is received: $(cat err)"
done

# An INTEGER of 8 bytes is refused by the compiler, where purefc does not see the option.
cat > wide.f90 << 'END'
program wide
  include 'mpif.h'
  integer ierror
  call MPI_INIT(ierror)
end program
END
! gfortran -fdefault-integer-8 -I "$build/mpi/include" -c wide.f90 2> err || fail 'mpif.h takes integers of 8 bytes'
grep -q 'mpif.h:7:' err || fail "integers of 8 bytes: $(cat err)"
finish
