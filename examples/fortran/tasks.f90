! A loop whose iterations cost more and more, in rank 0 alone: ranks that wait in a call of MPI take parts of it. `pure_parallel_for`
! of <pure/tasks.h>, by bind(C); with any other MPI the program does not link, so keep such calls in a file of their own.
!
!   purefc -O2 tasks.f90 -o tasks
!   purerun -n 4 ./tasks
!
! test: purerun -n 4 {}
module shared_loop
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    ! Calls body(first, last, context) for parts of 0, ..., count - 1, in whatever ranks have time.
    integer(c_int) function pure_parallel_for(count, body, context, options) bind(C)
      import
      integer(c_size_t), value :: count
      type(c_funptr), value :: body
      type(c_ptr), value :: context, options
    end function
  end interface
contains
  ! Threads of other ranks run it, too: each part writes elements of its own, of the array that `context` points to. No call of
  ! MPI is allowed here.
  subroutine add_up(first, last, context) bind(C)
    integer(c_size_t), value :: first, last
    type(c_ptr), value :: context
    real(8), pointer :: sums(:)
    integer(c_size_t) :: i, j
    call c_f_pointer(context, sums, [last])
    do i = first + 1, last
      sums(i) = 0
      do j = 1, i
        sums(i) = sums(i) + 1._8 / j
      end do
    end do
  end subroutine
end module

program tasks
  use mpi_f08
  use shared_loop
  implicit none
  integer, parameter :: count = 4000
  real(8), target :: sums(count)
  real(8) :: last
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    if (pure_parallel_for(int(count, c_size_t), c_funloc(add_up), c_loc(sums), c_null_ptr) /= 0) error stop 'tasks: refused'
    last = sums(count)
  end if
  call MPI_Bcast(last, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD) ! the others wait here, and help
  if (abs(last - 8.87139029_8) > 1e-6_8) error stop 'tasks: a wrong sum'
  if (rank == 0) print '(a,i0,a,f0.8)', 'the harmonic number ', count, ' is ', last
  call MPI_Finalize()
end program
