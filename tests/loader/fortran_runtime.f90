! What the runtime library of Fortran has for a program, each in its own case, which the first argument names. A rank
! prints lines with its number, and nothing that depends on the way in which ranks run.
module ranks
  use iso_c_binding
  use iso_fortran_env
  implicit none
  integer(c_int) :: me, all
  integer :: of_thread = 7
  integer :: in_common
  common /of_threads/ in_common
  !$omp threadprivate(of_thread, /of_threads/)
  interface
    subroutine begin_rank(me, ranks) bind(c)
      import
      integer(c_int) :: me, ranks
    end subroutine
    subroutine wait_for_all() bind(c)
    end subroutine
    subroutine end_rank() bind(c)
    end subroutine
  end interface
contains
  subroutine say(text)
    character(*), intent(in) :: text
    write(*, '(a, i0, 2a)') 'rank ', me, ': ', text
  end subroutine

  ! Each thread of a rank has these variables for itself, and the ranks have threads of their own.
  subroutine threadprivate()
    use omp_lib
    integer :: thread, round, seen(0:1, 2)
    character(80) :: text
    call omp_set_dynamic(.false.)
    !$omp parallel num_threads(2) private(thread)
    thread = omp_get_thread_num()
    if (of_thread /= 7) call say('of_thread does not begin with 7')
    of_thread = 1000 * me + 10 * thread
    in_common = -of_thread - 1
    !$omp end parallel
    call wait_for_all()
    do round = 1, 3
      !$omp parallel num_threads(2) private(thread)
      thread = omp_get_thread_num()
      of_thread = of_thread + 1
      seen(thread, 1) = of_thread
      seen(thread, 2) = in_common
      !$omp end parallel
      call wait_for_all()
    end do
    write(text, '(4(1x, i0))') seen
    call say('threads have' // trim(text))
  end subroutine

  subroutine arguments()
    character(200) :: text
    integer :: number, length, status, name
    call get_command(text, length, status)
    name = index(text, '/', back=.true.) + 1
    write(text(length + 1:), '(2(1x, i0))') length + 1 - name, status
    call say(trim(text(name:)))
    do number = 1, command_argument_count()
      call get_command_argument(number, text, length, status)
      write(text(length + 1:), '(2(1x, i0))') length, status
      call say('argument ' // trim(text))
    end do
    call get_environment_variable('LOADER_TEST', text, length, status)
    write(text(length + 1:), '(2(1x, i0))') length, status
    call say('environment ' // trim(text))
  end subroutine

  ! Standard input is rank 0's.
  subroutine input()
    integer :: first, second, error
    character(80) :: text
    read(*, *, iostat=error) first, second
    if (error == iostat_end) then
      call say('end of file')
    else
      write(text, '(a, 3(1x, i0))') 'has read', first, second, error
      call say(trim(text))
      read(*, '(a)', iostat=error) text
      if (error == 0) call say('and then ' // trim(text))
    end if
  end subroutine

  ! Formats are kept, parsed, for the next time; modes of a unit stay: each rank uses its own at the same time.
  subroutine formats()
    integer :: round, i, number, error, again(4)
    real(real64) :: value
    character(120) :: text, form, written
    namelist /group/ number, value, text
    logical :: right
    right = .true.
    write(form, '(a, i0, a, i0, a)') '(sp, f', 20 + me, '.', 3 + me, ', 3(1x, i5.4), 1x, l1, 1x, es12.4e3, tr2, a)'
    open(10, status='scratch', decimal=merge('comma', 'point', mod(me, 2) == 1), form='formatted')
    call wait_for_all()
    do round = 1, 200
      write(written, form) me + 0.5_real64, (round + i, i = 1, 3), .true., 1.0e100_real64, 'end'
      rewind(10)
      write(10, *) me + 0.25_real64
      write(10, '(bz, i6)') round
      rewind(10)
      read(10, *) value
      read(10, '(bn, i6)') i
      right = right .and. value == me + 0.25_real64 .and. i == round
      number = me * 10
      text = 'of rank'
      write(form(101:), '(a)') ''
      write(10, nml=group, iostat=error)
      right = right .and. error == 0
      read(written(21 + me:), '(3(1x, i5), 1x)', iostat=error) again(1:3)
    end do
    close(10)
    call say(trim(written) // merge(' right', ' WRONG', right))
  end subroutine

  ! Unit 10 of each rank is another file; NEWUNIT counts for each rank; what is not closed is written at the end.
  subroutine units()
    integer :: first, second, i
    character(40) :: name, text
    logical :: there
    write(name, '(a, i0)') 'unit.', me
    open(10, file=name, status='replace')
    open(newunit=first, status='scratch')
    if (mod(me, 2) == 1) open(newunit=second, status='scratch')
    if (mod(me, 2) == 0) close(first)
    open(newunit=second, status='scratch')
    call wait_for_all()
    do i = 1, 5000
      write(10, '(a, 2(1x, i0))') 'line', me, i
    end do
    inquire(10, name=text)
    inquire(11, opened=there)
    write(text(len_trim(text) + 1:), '(1x, l1, 2(1x, i0))') there, first, second
    call say(trim(text(index(text, '/', back=.true.) + 1:)))
  end subroutine

  ! The sequence of numbers that follows a seed, while other ranks draw, too; and a seed is read as it was put.
  subroutine random()
    integer :: size, i
    integer, allocatable :: seed(:), again(:)
    real :: drawn(1000), first
    call random_seed(size=size)
    allocate(seed(size), again(size))
    seed = [(1234 + 77 * me + i, i = 1, size)]
    call random_seed(put=seed)
    call random_number(first)
    call wait_for_all()
    do i = 1, 100
      call random_number(drawn)
    end do
    call random_seed(get=again)
    call random_seed(put=seed)
    call random_number(drawn(1))
    write(*, '(a, i0, a, f8.6, 1x, f8.6, l2)') 'rank ', me, ': ', drawn(1000), drawn(1), drawn(1) == first .and. any(again /= seed)
  end subroutine

  subroutine execute()
    integer :: status, error
    character(80) :: text
    write(text, '(a, i0)') 'exit ', 3 + me
    call execute_command_line(text, exitstat=status, cmdstat=error)
    write(text, '(a, 2(1x, i0))') 'ended with', status, error
    call say(trim(text))
    write(text, '(a, i0, a, i0)') 'echo of rank ', me, ' > said.', me
    call execute_command_line(text, wait=.true.)
    write(text, '(a, i0)') 'said.', me
    open(20, file=text, status='old')
    read(20, '(a)') text
    close(20, status='delete')
    call say(trim(text))
  end subroutine

  ! Ends of one rank while the others wait, that the program does not ask for.
  subroutine bound(values, at)
    integer, intent(in) :: values(:), at
    write(*, *) values(at)
  end subroutine
  subroutine end_wrongly(how)
    character(*), intent(in) :: how
    integer, allocatable :: values(:)
    integer :: number
    integer, pointer :: nowhere
    if (me == 1) then
      select case (how)
      case ('stop')
        stop 3
      case ('error_stop')
        error stop 'for a reason'
      case ('error_stop_code')
        error stop 5
      case ('bounds')
        allocate(values(3))
        values = 1
        call bound(values, 4)
      case ('end_of_file')
        open(30, status='scratch')
        read(30, *) number
      case ('bad_number')
        open(30, status='scratch')
        write(30, '(a)') 'no number'
        rewind(30)
        read(30, *) number
      case ('deallocate')
        deallocate(values)
      case ('exit')
        call exit(6)
      case ('abort')
        call abort()
      case ('signal')
        nullify(nowhere)
        nowhere = 1
      end select
    end if
    call wait_for_all()
  end subroutine
end module

program fortran_runtime
  use ranks
  implicit none
  character(40) :: what
  call begin_rank(me, all)
  call get_command_argument(1, what)
  select case (what)
  case ('threadprivate'); call threadprivate()
  case ('arguments'); call arguments()
  case ('input'); call input()
  case ('formats'); call formats()
  case ('units'); call units()
  case ('random'); call random()
  case ('execute'); call execute()
  case default; call end_wrongly(trim(what))
  end select
  call end_rank()
end program
