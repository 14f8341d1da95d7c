! Every constant of an MPI's mpif.h goes through a call and comes back as itself; run by 2 ranks. names.inc has the constants
! that it knows (names.py). Functions of the program get handles and codes of this MPI.
module state
  implicit none
  integer :: rank, wrong = 0, calls = 0, handled = 0, code_of_handler = -1, comm_of_handler = -1, type_of_function = -1
  integer :: copies = 0, deletes = 0
contains
  subroutine check(is_so, name)
    logical, intent(in) :: is_so
    character(*), intent(in) :: name
    if (is_so) return
    print *, 'rank', rank, 'not so: ', name
    wrong = wrong + 1
  end subroutine
end module

subroutine combine(in, inout, length, type)
  use state
  integer :: length, type
  integer :: in(length), inout(length)
  call check(type == type_of_function, 'the datatype that an operator gets')
  inout = inout + in
  calls = calls + 1
end subroutine

subroutine handle(comm, code)
  use state
  integer :: comm, code
  comm_of_handler = comm
  code_of_handler = code
  handled = handled + 1
end subroutine

subroutine copy_it(comm, key, extra, in, out, flag, ierr)
  use state
  include 'mpif.h'
  integer :: comm, key, ierr
  integer(MPI_ADDRESS_KIND) :: extra, in, out
  logical :: flag
  call check(comm == MPI_COMM_WORLD .and. extra == 77, 'what a copy function gets')
  out = in + 1
  flag = .true.
  ierr = MPI_SUCCESS
  copies = copies + 1
end subroutine

subroutine delete_it(comm, key, value, extra, ierr)
  use state
  include 'mpif.h'
  integer :: comm, key, ierr
  integer(MPI_ADDRESS_KIND) :: value, extra
  call check(extra == 77, 'what a delete function gets')
  ierr = MPI_SUCCESS
  deletes = deletes + 1
end subroutine

program constants
  use state
  implicit none
  include 'mpif.h'
  external :: combine, handle, copy_it, delete_it
  integer, external :: is_status_ignore, are_statuses_ignore ! ignored.c
  integer :: ierr, ranks, provided, level, i, size, got(4), sent(4), other, status(MPI_STATUS_SIZE), all(MPI_STATUS_SIZE, 2)
  integer :: request, requests(2), made, op, result, count, index, indices(2), counts(3), combiner, integers(16), key, class, code
  integer :: handler, length, win, dims(1), source, dest, group, empty, info, derived, inner
  integer(MPI_ADDRESS_KIND) :: lower, extent, addresses(4), value, place
  logical :: flag, periods(1)
  character(MPI_MAX_ERROR_STRING) :: text
  character(MPI_MAX_OBJECT_NAME) :: name
  integer :: total
  include 'names.inc'

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call MPI_Query_thread(level, ierr)
  call check(provided == MPI_THREAD_SERIALIZED .and. level == provided, 'levels of threads')
  other = 1 - rank

  do i = 1, size_of_types
    if (types(i) == MPI_DATATYPE_NULL) cycle
    call MPI_Type_size(types(i), size, ierr)
    call check(ierr == MPI_SUCCESS .and. size >= 0, names_of_types(i))
    call MPI_Type_contiguous(2, types(i), derived, ierr)
    call MPI_Type_get_envelope(derived, counts(1), counts(2), counts(3), combiner, ierr)
    call check(combiner == MPI_COMBINER_CONTIGUOUS .and. counts(1) == 1 .and. counts(3) == 1, 'MPI_COMBINER_CONTIGUOUS')
    call MPI_Type_get_contents(derived, 1, 0, 1, integers, addresses, inner, ierr)
    call MPI_Type_size(inner, length, ierr)
    call check(integers(1) == 2 .and. length == size, names_of_types(i))
    call MPI_Type_free(derived, ierr)
    call check(derived == MPI_DATATYPE_NULL, 'a datatype that is freed')
  end do
  call MPI_Type_get_extent(MPI_DOUBLE_PRECISION, lower, extent, ierr)
  call check(lower == 0 .and. extent == 8, 'the extent of MPI_DOUBLE_PRECISION')

  sent = rank + 1
  call MPI_Allreduce(sent, got, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call check(all_are(got, 3), 'MPI_SUM')
  call MPI_Allreduce(sent, got, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  call check(all_are(got, 2), 'MPI_MAX')
  got = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, ierr)
  call check(all_are(got, 2), 'MPI_IN_PLACE')
  sent(1:2) = [10 - rank, rank]
  call MPI_Allreduce(sent, got, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
  call check(got(1) == 10 .and. got(2) == 0, 'MPI_MAXLOC')
  call MPI_Op_create(combine, .true., op, ierr)
  type_of_function = MPI_INTEGER
  sent = rank + 1
  call MPI_Allreduce(sent, got, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call check(all_are(got, 3) .and. calls > 0, 'an operator of the program')
  call MPI_Op_free(op, ierr)
  call check(op == MPI_OP_NULL, 'MPI_OP_NULL')

  call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
  call MPI_Comm_compare(MPI_COMM_WORLD, made, result, ierr)
  call check(result == MPI_CONGRUENT, 'MPI_CONGRUENT')
  call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, result, ierr)
  call check(result == MPI_IDENT, 'MPI_IDENT')
  call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, result, ierr)
  call check(result == MPI_UNEQUAL, 'MPI_UNEQUAL')
  call MPI_Comm_free(made, ierr)
  call check(made == MPI_COMM_NULL, 'MPI_COMM_NULL')
  call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 1, rank == 0), 0, made, ierr)
  call check((made == MPI_COMM_NULL) .eqv. (rank == 0), 'MPI_UNDEFINED as color')
  if (made /= MPI_COMM_NULL) call MPI_Comm_free(made, ierr)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made, ierr)
  call check(ierr == MPI_SUCCESS .and. made /= MPI_COMM_NULL, 'MPI_COMM_TYPE_SHARED')
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
  call MPI_Group_difference(group, group, empty, ierr)
  call check(empty == MPI_GROUP_EMPTY, 'MPI_GROUP_EMPTY')
  call MPI_Group_translate_ranks(group, 2, [rank, MPI_PROC_NULL], group, got, ierr)
  call check(got(1) == rank .and. got(2) == MPI_PROC_NULL, 'MPI_PROC_NULL of a group')
  call MPI_Group_free(group, ierr)

  call check(is_status_ignore(MPI_STATUS_IGNORE) == 1 .and. is_status_ignore(status) == 0, 'MPI_F_STATUS_IGNORE')
  call check(are_statuses_ignore(MPI_STATUSES_IGNORE) == 1 .and. are_statuses_ignore(all) == 0, 'MPI_F_STATUSES_IGNORE')
  status = 7
  call MPI_Recv(got, 4, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
  call check(status(MPI_SOURCE) == MPI_PROC_NULL .and. status(MPI_TAG) == MPI_ANY_TAG .and. status(MPI_ERROR) == 7, 'a status')
  call MPI_Isend(sent, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request, ierr)
  call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
  call check(status(MPI_SOURCE) == other .and. status(MPI_TAG) == 5, 'MPI_ANY_SOURCE, MPI_ANY_TAG')
  call MPI_Get_count(status, MPI_INTEGER, count, ierr)
  call check(count == 3, 'a count')
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
  call check(count == MPI_UNDEFINED, 'MPI_UNDEFINED as count')
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call check(request == MPI_REQUEST_NULL, 'MPI_REQUEST_NULL')
  requests = MPI_REQUEST_NULL
  call MPI_Waitany(2, requests, index, status, ierr)
  call check(index == MPI_UNDEFINED, 'MPI_UNDEFINED as index')
  call MPI_Irecv(got, 4, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Send(sent, 2, MPI_INTEGER, other, 6, MPI_COMM_WORLD, ierr)
  call MPI_Waitsome(2, requests, count, indices, all, ierr)
  call check(count == 1 .and. indices(1) == 2 .and. all(MPI_SOURCE, 1) == other .and. all(MPI_TAG, 1) == 6, 'an index')
  call MPI_Irecv(got, 4, MPI_INTEGER, other, 7, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(sent, 2, MPI_INTEGER, other, 7, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call check(all_are(requests, MPI_REQUEST_NULL), 'MPI_STATUSES_IGNORE')
  call MPI_Get_address(sent, place, ierr)
  call MPI_Type_create_hindexed(1, [4], [place], MPI_INTEGER, derived, ierr)
  call MPI_Type_commit(derived, ierr)
  sent = rank + 20
  call MPI_F_sync_reg(sent)
  call MPI_Sendrecv(MPI_BOTTOM, 1, derived, other, 8, got, 4, MPI_INTEGER, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call check(all_are(got, other + 20), 'MPI_BOTTOM')
  call MPI_Type_free(derived, ierr)

  do i = 1, 2
    code = merge(MPI_ORDER_C, MPI_ORDER_FORTRAN, i == 1)
    call MPI_Type_create_darray(2, 0, 1, [8], [MPI_DISTRIBUTE_CYCLIC], [MPI_DISTRIBUTE_DFLT_DARG], [2], code, MPI_INTEGER, &
                                derived, ierr)
    call MPI_Type_get_envelope(derived, counts(1), counts(2), counts(3), combiner, ierr)
    call MPI_Type_get_contents(derived, 16, 4, 1, integers, addresses, inner, ierr)
    call check(combiner == MPI_COMBINER_DARRAY .and. integers(5) == MPI_DISTRIBUTE_CYCLIC .and. &
               integers(6) == MPI_DISTRIBUTE_DFLT_DARG .and. integers(8) == code .and. inner == MPI_INTEGER, 'a darray')
    call MPI_Type_free(derived, ierr)
  end do

  call MPI_Topo_test(MPI_COMM_WORLD, result, ierr)
  call check(result == MPI_UNDEFINED, 'MPI_UNDEFINED as topology')
  dims = 2
  periods = .false.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., made, ierr)
  call MPI_Topo_test(made, result, ierr)
  call check(result == MPI_CART, 'MPI_CART')
  call MPI_Cart_shift(made, 0, 1, source, dest, ierr)
  call check(source == merge(MPI_PROC_NULL, 0, rank == 0) .and. dest == merge(1, MPI_PROC_NULL, rank == 0), 'MPI_Cart_shift')
  call MPI_Cart_get(made, 1, dims, periods, got, ierr)
  call check(.not. periods(1) .and. got(1) == rank, 'MPI_Cart_get')
  call MPI_Comm_free(made, ierr)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [other], MPI_UNWEIGHTED, 1, [other], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., made, ierr)
  call MPI_Topo_test(made, result, ierr)
  call MPI_Dist_graph_neighbors_count(made, source, dest, flag, ierr)
  call check(result == MPI_DIST_GRAPH .and. source == 1 .and. dest == 1 .and. .not. flag, 'MPI_UNWEIGHTED')
  call MPI_Comm_free(made, ierr)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [other], MPI_WEIGHTS_EMPTY, 0, [other], MPI_WEIGHTS_EMPTY, &
                                      MPI_INFO_NULL, .false., made, ierr)
  call MPI_Dist_graph_neighbors_count(made, source, dest, flag, ierr)
  call check(source == 0 .and. flag, 'MPI_WEIGHTS_EMPTY')
  call MPI_Comm_free(made, ierr)

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call check(flag .and. value >= 32767, 'MPI_TAG_UB')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
  call check(flag .and. (value == 0 .or. value == 1), 'MPI_WTIME_IS_GLOBAL')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, value, flag, ierr)
  call check(flag .and. value >= MPI_ERR_LASTCODE, 'MPI_LASTUSEDCODE')
  value = 77
  call MPI_Comm_create_keyval(copy_it, delete_it, key, value, ierr)
  value = 5
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
  call MPI_Comm_get_attr(made, key, value, flag, ierr)
  call check(flag .and. value == 6 .and. copies == 1, 'an attribute that is copied')
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call check(key == MPI_KEYVAL_INVALID .and. deletes == 2, 'MPI_KEYVAL_INVALID')
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, value, ierr)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
  value = 0
  call MPI_Comm_get_attr(made, key, value, flag, ierr)
  call check(flag .and. value == 6, 'MPI_COMM_DUP_FN')
  call MPI_Comm_free(made, ierr)

  call MPI_Win_create(got, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
  call check(flag .and. value == MPI_WIN_FLAVOR_CREATE, 'MPI_WIN_FLAVOR_CREATE')
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
  call check(flag .and. value == 16, 'MPI_WIN_SIZE')
  got = 0
  call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
  sent = rank + 30
  call MPI_Put(sent, 4, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(ior(MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED), win, ierr)
  call check(ierr == MPI_SUCCESS .and. all_are(got, other + 30), 'MPI_Put')
  call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win, ierr)
  call check(ierr == MPI_SUCCESS, 'MPI_LOCK_SHARED')
  call MPI_Win_unlock(other, win, ierr)
  call MPI_Win_free(win, ierr)
  call check(win == MPI_WIN_NULL, 'MPI_WIN_NULL')

  call MPI_Comm_create_errhandler(handle, handler, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, made, ierr)
  call MPI_Comm_set_errhandler(made, handler, ierr)
  do i = 1, size_of_classes
    call MPI_Error_class(classes(i), class, ierr)
    call check(ierr == MPI_SUCCESS .and. class == classes(i), names_of_classes(i))
    call MPI_Error_string(classes(i), text, length, ierr)
    call check(length > 0 .and. len_trim(text) == length, names_of_classes(i))
    if (classes(i) == MPI_SUCCESS) cycle
    call MPI_Comm_call_errhandler(made, classes(i), ierr)
    call check(code_of_handler == classes(i) .and. comm_of_handler == made, names_of_classes(i))
  end do
  call check(handled == size_of_classes - 1, 'calls of an error handler')
  call MPI_Errhandler_free(handler, ierr)
  call check(handler == MPI_ERRHANDLER_NULL, 'MPI_ERRHANDLER_NULL')
  call MPI_Comm_free(made, ierr)
  call MPI_Send(sent, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, class, ierr)
  call check(class == MPI_ERR_RANK, 'MPI_ERR_RANK')
  call MPI_Comm_set_name(MPI_COMM_SELF, 'a name  ', ierr)
  call MPI_Comm_get_name(MPI_COMM_SELF, name, length, ierr)
  call check(length == 6 .and. name == 'a name', 'a name')
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, ' key ', ' value ', ierr)
  call MPI_Info_get_nkeys(info, count, ierr)
  call MPI_Info_free(info, ierr)
  call check(count == 1 .and. info == MPI_INFO_NULL, 'MPI_INFO_NULL')

  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(I0, A)', total, ' wrong'
  call MPI_Finalize(ierr)
  if (total /= 0) stop 1
contains
  logical function all_are(numbers, number)
    integer, intent(in) :: numbers(:), number
    all_are = count_of(numbers, number) == ubound(numbers, 1)
  end function
  integer function count_of(numbers, number)
    integer, intent(in) :: numbers(:), number
    integer :: at
    count_of = 0
    do at = 1, ubound(numbers, 1)
      if (numbers(at) == number) count_of = count_of + 1
    end do
  end function
end program
