! What the module mpi says about the sizes of types that have several kinds. Run by 2 ranks.
program sizes
  use mpi
  implicit none
  integer :: ierr, rank, wrong = 0, total
  integer(1) :: one
  integer(8) :: eight
  real(4) :: short
  real(8) :: long
  complex(4) :: pair
  complex(8) :: long_pair, several(3)
  logical :: is_so
  character :: letter
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call sized('integer(1)', size_of(1), 1)
  call sized('integer(8)', size_of(2), 8)
  call sized('real(4)', size_of(3), 4)
  call sized('real(8)', size_of(4), 8)
  call sized('complex(4)', size_of(5), 8)
#ifndef OF_mpich
  call sized('complex(8)', size_of(6), 16) ! which MPICH 4.0's has not
  call sized('an array', size_of(7), 16)
#endif
  call sized('logical', size_of(8), 4)
  call sized('character', size_of(9), 1)
  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(I0, A)', total, ' wrong'
  call MPI_Finalize(ierr)
contains
  integer function size_of(what)
    integer, intent(in) :: what
    size_of = -1
    select case (what)
    case (1); call MPI_Sizeof(one, size_of, ierr)
    case (2); call MPI_Sizeof(eight, size_of, ierr)
    case (3); call MPI_Sizeof(short, size_of, ierr)
    case (4); call MPI_Sizeof(long, size_of, ierr)
    case (5); call MPI_Sizeof(pair, size_of, ierr)
#ifndef OF_mpich
    case (6); call MPI_Sizeof(long_pair, size_of, ierr)
    case (7); call MPI_Sizeof(several, size_of, ierr)
#endif
    case (8); call MPI_Sizeof(is_so, size_of, ierr)
    case (9); call MPI_Sizeof(letter, size_of, ierr)
    end select
  end function
  subroutine sized(name, found, expected)
    character(*), intent(in) :: name
    integer, intent(in) :: found, expected
    if (found == expected) return
    print *, 'rank', rank, name, ' has', found
    wrong = wrong + 1
  end subroutine
end program
