! A section of an array in calls that return before its elements have gone: a row of a matrix, whose elements are far apart.
!
!   purefc -O2 section.f90 -o section
!   purerun -n 3 ./section
!
! With mpi_f08 the call knows the shape of the section (MPI_SUBARRAYS_SUPPORTED is .true.), and nothing is copied. With `use mpi`
! and mpif.h the compiler would hand over a copy, and free it before the message is there.
! test: for n in 1 3; do purerun -n $n {} || exit; done
program section
  use mpi_f08
  implicit none
  integer, parameter :: rows = 4, columns = 6
  real(8) :: matrix(rows, columns)
  type(MPI_Request) :: both(2)
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  if (.not. MPI_SUBARRAYS_SUPPORTED) error stop 'section: this MPI would copy it'
  matrix = rank
  call MPI_Irecv(matrix(1, :), columns, MPI_DOUBLE_PRECISION, modulo(rank - 1, size), 0, MPI_COMM_WORLD, both(1))
  call MPI_Isend(matrix(3, columns:1:-1), columns, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 0, MPI_COMM_WORLD, both(2))
  call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
  if (any(matrix(1, :) /= modulo(rank - 1, size)) .or. any(matrix(2:, :) /= rank)) error stop 'section: wrong elements'
  print '(a,i0,a,6f4.0)', 'rank ', rank, ' has the row', matrix(1, :)
  call MPI_Finalize()
end program
