! Functions of a program in Fortran that MPI calls, and values of attributes, in both modules: over any library of the standard ABI.
module functions_of_f08
  use mpi_f08
  use iso_c_binding
  implicit none
  integer :: handled = 0, handled_code = 0, copied = 0, deleted = 0
  type(MPI_Comm) :: handled_comm
contains
  subroutine largest_of_pair(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    integer :: i
    if (datatype /= MPI_2INTEGER) call wrong('the datatype of an operator')
    call c_f_pointer(invec, a, [2 * length])
    call c_f_pointer(inoutvec, b, [2 * length])
    do i = 1, length
      if (a(2 * i - 1) > b(2 * i - 1)) b(2 * i - 1:2 * i) = a(2 * i - 1:2 * i)
    end do
  end subroutine

  subroutine add_large(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) call wrong('the datatype of a large operator')
    call c_f_pointer(invec, a, [length])
    call c_f_pointer(inoutvec, b, [length])
    b = a + b
  end subroutine

  subroutine handle(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    handled = handled + 1
    handled_code = error_code
    handled_comm = comm
  end subroutine

  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    if (oldcomm /= MPI_COMM_WORLD) call wrong('the communicator that is copied')
    if (extra_state /= 2_8**40) call wrong('the extra state')
    copied = copied + 1
    attribute_val_out = attribute_val_in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine copy_nothing(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    flag = .false.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (extra_state /= 2_8**40) call wrong('the extra state of a deletion')
    if (attribute_val /= -2_8**50 .and. attribute_val /= -2_8**50 + 1) call wrong('the value that is deleted')
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine wrong(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    error stop 1
  end subroutine
end module

subroutine test_f08
  use functions_of_f08
  implicit none
  type(MPI_Op) :: op
  type(MPI_Comm) :: dup
  type(MPI_Errhandler) :: handler, is
  type(MPI_Datatype) :: pair
  integer :: rank, size, keyval, code, mine(4), all(4)
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: flag

  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)

  call MPI_Op_create(largest_of_pair, .true., op)
  mine = [mod(rank + 1, size), rank, -rank, rank]
  call MPI_Allreduce(mine, all, 2, MPI_2INTEGER, op, MPI_COMM_WORLD)
  if (any(all /= [size - 1, modulo(size - 2, size), 0, 0])) call wrong('the result of an operator')
  call MPI_Op_commutative(op, flag)
  if (.not. flag) call wrong('whether it commutes')
  call MPI_Op_free(op)
  if (op /= MPI_OP_NULL) call wrong('an operator that was freed')
  call MPI_Op_create_c(add_large, .false., op)
  call MPI_Allreduce(MPI_IN_PLACE, mine, 4_8, MPI_INTEGER, op, MPI_COMM_WORLD)
  if (mine(2) /= size * (size - 1) / 2) call wrong('the result of a large operator')
  call MPI_Op_commutative(op, flag)
  if (flag) call wrong('whether the large one commutes')
  call MPI_Op_free(op)

  ! A derived datatype comes as the program has named it.
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call MPI_Op_create(of_derived, .true., op)
  mine(1:2) = [rank, 1]
  call MPI_Allreduce(mine, all, 1, pair, op, MPI_COMM_WORLD)
  if (all(2) /= size) call wrong('the result for a derived datatype')
  call MPI_Op_free(op)

  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  call MPI_Comm_create_errhandler(handle, handler)
  call MPI_Comm_set_errhandler(dup, handler)
  call MPI_Comm_get_errhandler(dup, is)
  if (is /= handler) call wrong('the handler that was set')
  call MPI_Send(mine, 1, MPI_INTEGER, size + 7, 0, dup, code)
  call MPI_Error_class(handled_code, code)
  if (handled /= 1 .or. code /= MPI_ERR_RANK .or. handled_comm /= dup) call wrong('what the error handler got')
  call MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER)
  if (handled /= 2 .or. handled_code /= MPI_ERR_OTHER) call wrong('an error handler that is called')
  call MPI_Comm_free(dup)

  call MPI_Comm_create_keyval(copy, delete, keyval, 2_8**40)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag)
  if (flag) call wrong('an attribute that nobody has set')
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, -2_8**50)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag)
  if (.not. flag .or. value /= -2_8**50) call wrong('an attribute')
  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  call MPI_Comm_get_attr(dup, keyval, value, flag)
  if (.not. flag .or. value /= -2_8**50 + 1 .or. copied /= 1) call wrong('an attribute that was copied')
  call MPI_Comm_free(dup)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  if (deleted /= 2) call wrong('how many were deleted')
  call MPI_Comm_free_keyval(keyval)
  if (keyval /= MPI_KEYVAL_INVALID) call wrong('a key that was freed')

  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_8)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 77_8)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  call MPI_Comm_get_attr(dup, keyval, value, flag)
  if (.not. flag .or. value /= 77) call wrong('an attribute of MPI_COMM_DUP_FN')
  call MPI_Comm_free(dup)
  call MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, keyval, 0_8)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 77_8)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  call MPI_Comm_get_attr(dup, keyval, value, flag)
  if (flag) call wrong('an attribute that is not copied')
  call MPI_Comm_free(dup)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  if (.not. flag .or. value < 32767) call wrong('MPI_TAG_UB')
  call of_windows
contains
  subroutine of_derived(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= pair) call wrong('the derived datatype of an operator')
    call c_f_pointer(invec, a, [2 * length])
    call c_f_pointer(inoutvec, b, [2 * length])
    b = a + b
  end subroutine

  subroutine of_windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    call MPI_Win_allocate(800_8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
    if (.not. flag .or. value /= 800) call wrong('MPI_WIN_SIZE')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
    if (value /= 8) call wrong('MPI_WIN_DISP_UNIT')
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag)
    if (value /= transfer(base, value)) call wrong('MPI_WIN_BASE')
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag)
    if (value /= MPI_WIN_FLAVOR_ALLOCATE) call wrong('MPI_WIN_CREATE_FLAVOR')
    call MPI_Win_free(win)
  end subroutine
end subroutine

! The names of MPI-1, and operators of mpif.h: INTEGERs, and arguments without a shape.
subroutine add_old(invec, inoutvec, length, datatype)
  use mpi
  integer :: length, datatype, invec(length), inoutvec(length)
  if (datatype /= MPI_INTEGER) error stop 2
  inoutvec = inoutvec + invec
end subroutine

subroutine copy_old(oldcomm, keyval, extra_state, value_in, value_out, flag, ierror)
  integer :: oldcomm, keyval, extra_state, value_in, value_out, ierror
  logical :: flag
  if (extra_state /= -5) error stop 3
  value_out = value_in + 1
  flag = .true.
  ierror = 0
end subroutine

subroutine delete_old(comm, keyval, value, extra_state, ierror)
  integer :: comm, keyval, value, extra_state, ierror
  if (extra_state /= -5 .or. value /= -9 .and. value /= -8) error stop 4
  ierror = 0
end subroutine

subroutine test_mpi
  use mpi
  implicit none
  external :: add_old, copy_old, delete_old
  integer :: op, ierror, mine(3), size, keyval, dup, value
  logical :: flag
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Op_create(add_old, .true., op, ierror)
  mine = 2
  call MPI_Allreduce(MPI_IN_PLACE, mine, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  if (any(mine /= 2 * size)) error stop 5
  call MPI_Op_free(op, ierror)
  call MPI_Keyval_create(copy_old, delete_old, keyval, -5, ierror)
  call MPI_Attr_put(MPI_COMM_WORLD, keyval, -9, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierror)
  call MPI_Attr_get(dup, keyval, value, flag, ierror)
  if (.not. flag .or. value /= -8) error stop 6
  call MPI_Comm_free(dup, ierror)
  call MPI_Attr_delete(MPI_COMM_WORLD, keyval, ierror)
  call MPI_Keyval_free(keyval, ierror)
end subroutine

program callbacks
  use functions_of_f08
  implicit none
  integer :: rank, length
  type(MPI_Info) :: early
  character(20) :: value
  logical :: flag
  ! Info objects may be there before MPI_Init.
  call MPI_Info_create(early)
  call MPI_Info_set(early, '  a key ', '  a value')
  call MPI_Init
  length = 20
  call MPI_Info_get_string(early, 'a key', length, value, flag)
  if (.not. flag .or. value /= 'a value' .or. length /= 7) call wrong('an info object that was there before MPI_Init')
  call MPI_Info_free(early)
  if (early /= MPI_INFO_NULL) call wrong('an info object that was freed')
  call test_f08
  call test_mpi
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  print '(a,i0,a)', 'rank ', rank, ': right'
  call MPI_Finalize
end program
