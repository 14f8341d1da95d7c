! Hello from every rank, and a sum of all.
!
!   purefc -O2 hello.f90 -o hello
!   purerun -n 4 ./hello
!
! test: purerun -n 4 {}
program hello
  use mpi_f08
  implicit none
  integer :: rank, size, total
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  print '(a,i0,a,i0,a,i0)', 'hello from rank ', rank, ' of ', size, ': the sum is ', total
  if (total /= size * (size + 1) / 2) error stop 'hello: the sum is wrong'
  call MPI_Finalize()
end program
