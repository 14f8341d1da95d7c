! Heat: a square plate, hot along one edge. Its columns are dealt out to the ranks in blocks; before each step, ranks exchange the
! columns at the borders of their blocks (the halo). ../heat.cpp in Fortran, where columns lie in a row.
!
!   purefc -O2 heat.f90 -o heat
!   purerun -n 4 ./heat
!
! Rank 0 also computes the whole plate alone: the two must be equal, bit for bit.
! test: for n in 1 2 3 4 7; do purerun -n $n {} || exit; done
program heat
  use mpi_f08
  implicit none
  integer, parameter :: width = 64, steps = 150
  real(8), allocatable :: mine(:, :), whole(:, :)
  real(8) :: plate(width, width)
  integer, allocatable :: counts(:), places(:)
  integer :: rank, size, left, right, columns, i
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  if (size > width) error stop 'heat: at most one rank for each column'
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0) ! nobody is there, and nothing is sent
  right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < size)

  columns = first_of(rank + 1) - first_of(rank)
  allocate(mine(width, 0:columns + 1), source=0._8)
  if (rank == 0) mine(:, 0) = 100
  do i = 1, steps
    call MPI_Sendrecv(mine(:, 1), width, MPI_DOUBLE_PRECISION, left, 0, &
                      mine(:, columns + 1), width, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(mine(:, columns), width, MPI_DOUBLE_PRECISION, right, 1, &
                      mine(:, 0), width, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call step(mine)
  end do
  counts = [(width * (first_of(i + 1) - first_of(i)), i = 0, size - 1)]
  places = [(width * first_of(i), i = 0, size - 1)]
  call MPI_Gatherv(mine(:, 1:columns), width * columns, MPI_DOUBLE_PRECISION, plate, counts, places, MPI_DOUBLE_PRECISION, 0, &
                   MPI_COMM_WORLD)
  if (rank == 0) then
    allocate(whole(width, 0:width + 1), source=0._8)
    whole(:, 0) = 100
    do i = 1, steps
      call step(whole)
    end do
    if (any(plate /= whole(:, 1:width))) error stop 'heat: not as one rank computes it'
    print '(a,i0,a,f0.6)', 'heat: ', size, ' ranks, as one computes it; the mean is ', sum(plate) / width**2
  end if
  call MPI_Finalize()
contains
  integer function first_of(block)
    integer, intent(in) :: block
    first_of = width * block / size
  end function

  ! Each cell becomes the mean of its four neighbours.
  subroutine step(cells)
    real(8), intent(inout) :: cells(:, 0:)
    real(8) :: next(width, ubound(cells, 2) - 1)
    integer :: row, column
    next = 0
    do column = 1, ubound(cells, 2) - 1
      do row = 2, width - 1
        next(row, column) = 0.25_8 * (cells(row - 1, column) + cells(row + 1, column) &
                                      + cells(row, column - 1) + cells(row, column + 1))
      end do
    end do
    cells(:, 1:ubound(next, 2)) = next
  end subroutine
end program
