! What an MPI's mpi_f08 hands over besides what mpif.h does: handles that are compared, functions of the program, statuses,
! procedures without ierror, and sections, if it supports them. Run by 2 ranks.
module functions
  use mpi_f08
  implicit none
  integer :: calls = 0, handled = 0, class_of_handler = -1, wrong = 0, rank = -1
  type(MPI_Datatype) :: type_of_function
  type(MPI_Comm) :: comm_of_handler
contains
  subroutine check(is_so, name)
    logical, intent(in) :: is_so
    character(*), intent(in) :: name
    if (is_so) return
    print *, 'rank', rank, 'not so: ', name
    wrong = wrong + 1
  end subroutine

  subroutine combine(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    call check(datatype == type_of_function, 'the datatype that an operator gets')
    inout = inout + in
    calls = calls + 1
  end subroutine

  subroutine handle(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    comm_of_handler = comm
    class_of_handler = error_code
    handled = handled + 1
  end subroutine
end module

program modules
  use functions
  implicit none
  integer :: ranks, other, sent(4), got(4), count, total, i, key, class
  integer(MPI_ADDRESS_KIND) :: value
  logical :: flag
  integer :: words(MPI_STATUS_SIZE)
  complex(4) :: pair
  real(8) :: from(12), to(12)
  type(MPI_Status) :: status, all(2)
  type(MPI_Request) :: request, requests(2)
  type(MPI_Comm) :: made
  type(MPI_Op) :: op
  type(MPI_Datatype) :: row
  type(MPI_Errhandler) :: handler
  type(MPI_Group) :: group, empty
  type(MPI_Win) :: win
  type(MPI_Info) :: info

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  other = 1 - rank
  call check(MPI_COMM_WORLD /= MPI_COMM_SELF .and. MPI_COMM_WORLD == MPI_COMM_WORLD, 'handles of communicators')
  call check(MPI_INTEGER /= MPI_REAL .and. MPI_SUM /= MPI_MAX .and. MPI_REQUEST_NULL == MPI_REQUEST_NULL, 'handles')

  sent = rank + 1
  call MPI_Isend(sent, 3, MPI_INTEGER, other, 4, MPI_COMM_WORLD, request)
  call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call check(status%MPI_SOURCE == other .and. status%MPI_TAG == 4 .and. count == 3, 'a status')
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(request == MPI_REQUEST_NULL, 'MPI_REQUEST_NULL')
  call MPI_Irecv(got, 4, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(sent, 4, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, all)
  call check(all(1)%MPI_SOURCE == other .and. all(1)%MPI_TAG == 5 .and. got(4) == other + 1, 'statuses')
  call MPI_Irecv(got, 4, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(sent, 4, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  got = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(got(1) == 3 .and. got(4) == 3, 'MPI_IN_PLACE')
  call MPI_Op_create(combine, .true., op)
  type_of_function = MPI_INTEGER
  call MPI_Allreduce(sent, got, 4, MPI_INTEGER, op, MPI_COMM_WORLD)
  call check(got(2) == 3 .and. calls > 0, 'an operator of the program')
  call MPI_Op_free(op)
  call check(op == MPI_OP_NULL, 'MPI_OP_NULL')

  call MPI_Comm_create_errhandler(handle, handler)
  call MPI_Comm_dup(MPI_COMM_WORLD, made)
  call MPI_Comm_set_errhandler(made, handler)
  call MPI_Send(sent, 1, MPI_INTEGER, ranks, 0, made)
  call MPI_Error_class(class_of_handler, class)
  call check(handled == 1 .and. class == MPI_ERR_RANK .and. comm_of_handler == made, 'an error handler')
  call MPI_Comm_free(made)
  call check(made == MPI_COMM_NULL, 'MPI_COMM_NULL')
  call MPI_Errhandler_free(handler)
  value = 3
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, value)
  value = 9
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value)
  call MPI_Comm_dup(MPI_COMM_WORLD, made)
  value = 0
  call MPI_Comm_get_attr(made, key, value, flag)
  call check(flag .and. value == 9, 'MPI_COMM_DUP_FN')
  call MPI_Comm_free(made)
  call MPI_Comm_group(MPI_COMM_WORLD, group)
  call MPI_Group_difference(group, group, empty)
  call check(empty == MPI_GROUP_EMPTY, 'MPI_GROUP_EMPTY')
  call MPI_Group_free(group)
  call MPI_Type_contiguous(4, MPI_INTEGER, row)
  call MPI_Type_commit(row)
  call MPI_Sendrecv(sent, 1, row, other, 6, got, 1, row, other, 6, MPI_COMM_WORLD, status)
  call check(got(4) == other + 1, 'a datatype')
  call MPI_Type_free(row)
  call check(row == MPI_DATATYPE_NULL, 'MPI_DATATYPE_NULL')
  got = 0
  call MPI_Win_create(got, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(sent, 4, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_F_sync_reg(got)
  call check(got(3) == other + 1, 'MPI_Put')
  call MPI_Win_free(win)
  call MPI_Info_create(info)
  call MPI_Info_free(info)
  call check(info == MPI_INFO_NULL .and. win == MPI_WIN_NULL, 'MPI_INFO_NULL, MPI_WIN_NULL')
  call check(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 'MPI_Wtime')

  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [other], MPI_UNWEIGHTED, 1, [other], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., made)
  call MPI_Dist_graph_neighbors_count(made, i, count, flag)
  call check(i == 1 .and. count == 1 .and. .not. flag, 'MPI_UNWEIGHTED')
  call MPI_Comm_free(made)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [other], MPI_WEIGHTS_EMPTY, 0, [other], MPI_WEIGHTS_EMPTY, &
                                      MPI_INFO_NULL, .false., made)
  call MPI_Dist_graph_neighbors_count(made, i, count, flag)
  call check(i == 0 .and. flag, 'MPI_WEIGHTS_EMPTY')
  call MPI_Comm_free(made)
  call MPI_Sendrecv(sent, 4, MPI_INTEGER, other, 8, got, 4, MPI_INTEGER, other, 8, MPI_COMM_WORLD, status)
#ifdef OF_mpich
  call MPI_Status_f082f(status, words) ! which Open MPI 4.1's has not
  call MPI_Status_f2f08(words, all(1))
  call MPI_Get_count(all(1), MPI_INTEGER, count)
  call check(all(1)%MPI_SOURCE == other .and. all(1)%MPI_TAG == 8 .and. count == 4, 'a status as words')
#endif
  call MPI_Sizeof(from(1), count)
  call check(count == 8, 'the size of a real(8)')
  call MPI_Sizeof(pair, count)
  call check(count == 8, 'the size of a complex(4)')

  if (MPI_SUBARRAYS_SUPPORTED) then
    from = [(100 * rank + i, i = 1, 12)]
    to = -1
    call MPI_Irecv(to(2:11:3), 4, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(from(1:12:2), 4, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    do i = 1, 4
      call check(to(3 * i - 1) == 100 * other + 2 * i - 1, 'an element of a section')
    end do
    call check(sum(to) == 4 * 100 * other + 1 + 3 + 5 + 7 - 8, 'what lies between elements of a section')
  end if

  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(I0, A)', total, ' wrong'
  call MPI_Finalize()
  if (total /= 0) stop 1
end program
