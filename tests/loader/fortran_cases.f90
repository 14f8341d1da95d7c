! Variables of Fortran, for fortran.c: set_... writes each, and get_... tells whether it is as written (1) or not (0).
module state
  use iso_c_binding
  implicit none
  integer :: in_module = 151
  real(8), allocatable :: allocated_one(:)
  character(8) :: text = 'initial'
  type point
    integer :: x = 152
    integer, pointer :: to => null()
  end type
  type(point), target :: a_point
  integer, target :: pointed = 153
  integer :: alike(2) = (/ 154, 155 /)
end module

block data first_values
  integer :: in_common(10), rest
  common /own_block/ in_common, rest
  data in_common /10*156/, rest /157/
end block data

subroutine count_calls(counted)
  implicit none
  integer, intent(out) :: counted
  integer, save :: calls = 0
  calls = calls + 1
  counted = calls
end subroutine

integer(c_int) function set_module(me) bind(c, name='f_set_module')
  use state
  integer(c_int), value :: me
  set_module = 0
  if (in_module /= 151 .or. allocated(allocated_one) .or. text /= 'initial' .or. alike(2) /= 155) return
  in_module = me
  allocate(allocated_one(me + 3))
  allocated_one = me
  write(text, '(a,i0)') 'r', me
  alike = me
  set_module = 1
end function
integer(c_int) function get_module(me) bind(c, name='f_get_module')
  use state
  integer(c_int), value :: me
  character(8) :: expected
  write(expected, '(a,i0)') 'r', me
  get_module = 0
  if (in_module == me .and. size(allocated_one) == me + 3 .and. all(allocated_one == me) .and. text == expected &
      .and. alike(1) == me) get_module = 1
end function

integer(c_int) function set_common(me) bind(c, name='f_set_common')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: in_common(10), rest, own(3), blank(5)
  common /own_block/ in_common, rest
  common /zeros/ own
  common blank
  set_common = 0
  if (any(in_common /= 156) .or. rest /= 157 .or. any(own /= 0)) return
  in_common = me
  rest = me + 1
  own = me + 2
  blank = me + 3
  set_common = 1
end function
integer(c_int) function get_common(me) bind(c, name='f_get_common')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: seen_otherwise(11), own(3), blank(5)
  common /own_block/ seen_otherwise
  common /zeros/ own
  common blank
  get_common = 0
  if (all(seen_otherwise(1:10) == me) .and. seen_otherwise(11) == me + 1 .and. all(own == me + 2) &
      .and. all(blank == me + 3)) get_common = 1
end function

integer(c_int) function set_save(me) bind(c, name='f_set_save')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: i, counted
  do i = 0, me
    call count_calls(counted)
  end do
  set_save = 0
  if (counted == me + 1) set_save = 1
end function
integer(c_int) function get_save(me) bind(c, name='f_get_save')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: counted
  call count_calls(counted)
  get_save = 0
  if (counted == me + 2) get_save = 1
end function

integer(c_int) function set_pointer(me) bind(c, name='f_set_pointer')
  use state
  integer(c_int), value :: me
  set_pointer = 0
  if (a_point%x /= 152 .or. associated(a_point%to) .or. pointed /= 153) return
  a_point%to => pointed
  a_point%x = me
  pointed = me + 1
  set_pointer = 1
end function
integer(c_int) function get_pointer(me) bind(c, name='f_get_pointer')
  use state
  integer(c_int), value :: me
  get_pointer = 0
  if (a_point%x == me .and. associated(a_point%to, pointed) .and. a_point%to == me + 1) get_pointer = 1
end function

! A unit that each rank has for itself, of the same number.
integer(c_int) function set_unit(me) bind(c, name='f_set_unit')
  use iso_c_binding
  integer(c_int), value :: me
  logical :: is_open
  set_unit = 0
  inquire(10, opened=is_open)
  if (is_open) return
  open(10, status='scratch', form='formatted')
  write(10, *) me * 11
  set_unit = 1
end function
integer(c_int) function get_unit(me) bind(c, name='f_get_unit')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: value, error
  get_unit = 0
  value = -1
  rewind(10, iostat=error)
  if (error /= 0) return
  read(10, *, iostat=error) value
  close(10)
  if (error == 0 .and. value == me * 11) get_unit = 1
end function

! The runtime's own: the sequence of random numbers, units that it chooses.
integer(c_int) function set_runtime(me) bind(c, name='f_set_runtime')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: i, unit
  set_runtime = 0
  do i = 0, me
    open(newunit=unit, status='scratch')
  end do
  if (unit == -10 - me) set_runtime = 1
end function
integer(c_int) function get_runtime(me) bind(c, name='f_get_runtime')
  use iso_c_binding
  integer(c_int), value :: me
  integer :: unit
  get_runtime = 0
  open(newunit=unit, status='scratch')
  if (unit == -11 - me) get_runtime = 1
end function
