! Sections of arrays in mpi_f08, blocking and not: beside the same call with an array, over any library of the standard ABI.
program sections
  use mpi_f08
  use iso_c_binding
  implicit none
  type particle
    real(8) :: place(3)
    integer :: number
    real(4) :: mass
  end type
  integer, parameter :: rows = 12, columns = 7, planes = 4
  real(8) :: from(rows, columns, planes), to(rows, columns, planes), should(rows, columns, planes)
  integer :: rank, size, next, before, i, j

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call all_counts
  call other_types
  call components
  call derived
  call nothing_stays
  call persistent
  call collectives
  call windows
  call edges
  print '(a,i0,a)', 'rank ', rank, ': right'
  call MPI_Finalize
contains

  subroutine wrong(what, number)
    character(*), intent(in) :: what
    integer, intent(in) :: number
    print *, 'rank ', rank, ' wrong: ', what, number
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  ! The value of an element tells the rank and the place.
  subroutine fill(of)
    integer, intent(in) :: of
    integer :: k
    from = reshape([(1000000._8 * of + k, k = 1, rows * columns * planes)], shape(from))
    to = -1
    should = -1
  end subroutine

  ! Any number of elements of a section with gaps in all dimensions, into one that runs backwards.
  subroutine all_counts
    type(MPI_Request) :: both(2)
    real(8) :: row(4 * 3 * 2), given(4, 3, 2)
    integer :: count
    do count = 0, 24
      call fill(before)
      given = from(2:12:3, 1:6:2, 1:4:3)
      row = reshape(given, [24])
      call put_first(should, row, count)
      call fill_own
      call MPI_Irecv(to(11:2:-3, 7:3:-2, 2:3), count, MPI_DOUBLE_PRECISION, before, count, MPI_COMM_WORLD, both(1))
      call MPI_Isend(from(2:12:3, 1:6:2, 1:4:3), count, MPI_DOUBLE_PRECISION, next, count, MPI_COMM_WORLD, both(2))
      call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
      if (any(to /= should)) call wrong('elements', count)
      ! The same with large counts, blocking.
      to = -1
      call MPI_Sendrecv(from(2:12:3, 1:6:2, 1:4:3), int(count, MPI_COUNT_KIND), MPI_DOUBLE_PRECISION, next, 1, &
                        to(11:2:-3, 7:3:-2, 2:3), int(count, MPI_COUNT_KIND), MPI_DOUBLE_PRECISION, before, 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (any(to /= should)) call wrong('elements of MPI_Sendrecv', count)
    end do
  end subroutine

  subroutine fill_own
    real(8) :: kept(rows, columns, planes)
    kept = should
    call fill(rank)
    should = kept
  end subroutine

  subroutine put_first(into, row, count)
    real(8), intent(inout) :: into(rows, columns, planes)
    real(8), intent(in) :: row(:)
    integer, intent(in) :: count
    integer :: k, a, b, c
    k = 0
    do c = 2, 3
      do b = 7, 3, -2
        do a = 11, 2, -3
          k = k + 1
          if (k > count) return
          into(a, b, c) = row(k)
        end do
      end do
    end do
  end subroutine

  ! Bytes of larger elements, and elements of two numbers in runs of them.
  subroutine other_types
    complex(8) :: pairs(5, 6), got(5, 6)
    integer(1) :: bytes(8), should_bytes(8)
    type(MPI_Request) :: both(2)
    call fill(rank)
    from = from + 2._8**52 ! the first byte of a number tells its place, too
    call MPI_Irecv(to(1:11:2, 2, 1:4:2), 96, MPI_BYTE, before, 2, MPI_COMM_WORLD, both(1))
    call MPI_Isend(from(1:11:2, 2, 1:4:2), 96, MPI_BYTE, next, 2, MPI_COMM_WORLD, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call fill_should
    should(1:11:2, 2, 1:4:2) = from(1:11:2, 2, 1:4:2) + 1000000._8 * (before - rank)
    if (any(to /= should)) call wrong('bytes', 0)
    call MPI_Irecv(to(1:11:2, 2, 1), 21, MPI_BYTE, before, 2, MPI_COMM_WORLD, both(1))
    call MPI_Isend(from(1:11:2, 3, 1), 21, MPI_BYTE, next, 2, MPI_COMM_WORLD, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    should(1:3:2, 2, 1) = from(1:3:2, 3, 1) + 1000000._8 * (before - rank)
    if (any(to(:4, :, :) /= should(:4, :, :)) .or. any(to(6:, :, :) /= should(6:, :, :))) call wrong('some bytes', 0)
    ! A run of eight bytes, and one byte of the next.
    to = transfer([(0_1, i = 1, 8)], 1._8)
    call MPI_Sendrecv(from(1:11:2, 3, 1), 9, MPI_BYTE, next, 2, to(1:11:2, 2, 1), 9, MPI_BYTE, before, 2, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    bytes = transfer(to(3, 2, 1), bytes)
    should_bytes = transfer(from(3, 3, 1) + 1000000._8 * (before - rank), bytes)
    if (bytes(1) /= should_bytes(1) .or. any(bytes(2:) /= 0)) call wrong('one byte', 0)
    pairs = cmplx(rank, 1, 8)
    got = 0
    call MPI_Sendrecv(pairs(1:5:2, 1:6:5), 6, MPI_DOUBLE_COMPLEX, next, 3, got(1:5:2, 2:3), 6, MPI_DOUBLE_COMPLEX, before, 3, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(got(1:5:2, 2:3) /= cmplx(before, 1, 8)) .or. sum(abs(got)) /= 6 * abs(cmplx(before, 1, 8))) call wrong('complex', 0)
  end subroutine

  subroutine fill_should
    should = -1
  end subroutine

  ! A component of an array of derived type is a section, too.
  subroutine components
    type(particle) :: mine(20), theirs(20)
    type(MPI_Request) :: both(2)
    mine%number = [(100 * rank + i, i = 1, 20)]
    theirs%number = -1
    theirs%mass = 5
    call MPI_Irecv(theirs%number, 20, MPI_INTEGER, before, 4, MPI_COMM_WORLD, both(1))
    call MPI_Isend(mine%number, 20, MPI_INTEGER, next, 4, MPI_COMM_WORLD, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    if (any(theirs%number /= [(100 * before + i, i = 1, 20)]) .or. any(theirs%mass /= 5)) call wrong('components', 0)
  end subroutine

  ! Datatypes of the program, whose elements are not those of the section.
  subroutine derived
    type(MPI_Datatype) :: every_other, pair
    type(MPI_Request) :: request, requests(1)
    type(MPI_Status) :: status
    logical :: flag
    integer :: at
    call MPI_Type_vector(3, 1, 2, MPI_DOUBLE_PRECISION, every_other)
    call MPI_Type_commit(every_other)
    call fill(rank)
    ! Elements 1, 3 and 5 of a section of six.
    call MPI_Irecv(to(1:11:2, 1, 1), 1, every_other, before, 5, MPI_COMM_WORLD, requests(1))
    to(3, 1, 1) = 42 ! no element of the message: the program's, also while it is on its way
    call MPI_Send(from(1:11:2, 1, 1), 1, every_other, next, 5, MPI_COMM_WORLD)
    call MPI_Waitany(1, requests, at, status)
    should(3, 1, 1) = 42
    should(1:9:4, 1, 1) = from(1:9:4, 1, 1) + 1000000._8 * (before - rank)
    if (at /= 1 .or. any(to /= should)) call wrong('a datatype of the program', at)
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair)
    call MPI_Type_commit(pair)
    to = -1
    call MPI_Irecv(to(1:11:2, 1, 1), 2, pair, before, 6, MPI_COMM_WORLD, request)
    call MPI_Send(from(1:11:2, 1, 1), 2, pair, next, 6, MPI_COMM_WORLD)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE)
    end do
    should = -1
    should(1:7:2, 1, 1) = from(1:7:2, 1, 1) + 1000000._8 * (before - rank)
    if (any(to /= should) .or. request /= MPI_REQUEST_NULL) call wrong('pairs', 0)
    call MPI_Type_free(pair)
    call MPI_Type_free(every_other)
  end subroutine

  ! Copies go when their requests are complete: all of them would be 320 MB.
  subroutine nothing_stays
    type(MPI_Datatype) :: pair
    type(MPI_Request) :: request
    real(8) :: long(2000), given(2)
    integer :: before_all, k
    long = 0
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair)
    call MPI_Type_commit(pair)
    before_all = resident()
    do k = 1, 20000
      given = [k, -k]
      call MPI_Irecv(long(1:2000:2), 1, pair, rank, 9, MPI_COMM_WORLD, request)
      call MPI_Send(given, 1, pair, rank, 9, MPI_COMM_WORLD)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      if (long(1) /= k .or. long(3) /= -k .or. any(long(5:) /= 0)) call wrong('one of many', k)
    end do
    if (resident() > before_all + 25000) call wrong('pages that stay', resident() - before_all)
    call MPI_Type_free(pair)
  end subroutine

  ! Pages of the process, of 4 KB.
  integer function resident()
    integer :: unit, all
    open(newunit=unit, file='/proc/self/statm', action='read')
    read(unit, *) all, resident
    close(unit)
  end function

  subroutine persistent
    type(MPI_Request) :: both(2), reduce
    real(8) :: sums(3)
    call MPI_Recv_init(to(1:11:2, 1, 1), 6, MPI_DOUBLE_PRECISION, before, 7, MPI_COMM_WORLD, both(1))
    call MPI_Send_init(from(2:12:2, 1, 1), 6, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, both(2))
    call MPI_Allreduce_init(from(1:5:2, 2, 1), to(1:5:2, 2, 1), 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                            reduce)
    do i = 1, 5
      call fill(rank)
      from = from + 17 * i
      call MPI_Startall(2, both)
      call MPI_Start(reduce)
      call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
      call MPI_Wait(reduce, MPI_STATUS_IGNORE)
      should(1:11:2, 1, 1) = from(2:12:2, 1, 1) + 1000000._8 * (before - rank)
      sums = 0
      do j = 0, size - 1
        sums = sums + from(1:5:2, 2, 1) + 1000000._8 * (j - rank)
      end do
      should(1:5:2, 2, 1) = sums
      if (any(to /= should)) call wrong('persistent', i)
    end do
    call MPI_Request_free(reduce)
    call MPI_Request_free(both(1))
    call MPI_Request_free(both(2))
  end subroutine

  subroutine collectives
    type(MPI_Request) :: request
    type(MPI_Datatype) :: types(size)
    real(8) :: got(rows, columns, planes)
    type(MPI_Comm) :: later = MPI_COMM_NULL
    integer :: counts(size), places(size), mine(3), all(6, size)
    call fill(0)
    if (rank /= 0) from = 0
    call MPI_Bcast(from(1:11:2, 1:7:3, 2), 18, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    call MPI_Ibcast(from(2:12:2, 1:7:3, 2), 18, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    got = from
    call fill(0)
    do j = 1, 7
      if (mod(j, 3) == 1 .and. any(got(:, j, 2) /= from(:, j, 2))) call wrong('MPI_Bcast', j)
      if (mod(j, 3) /= 1 .and. rank /= 0 .and. any(got(:, j, 2) /= 0)) call wrong('beside MPI_Bcast', j)
    end do
    all = -1
    mine = [rank, rank + 10, rank + 20]
    call MPI_Allgather(mine(1:3:2), 2, MPI_INTEGER, all(1:6:3, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
    if (any(all(1, :) /= [(j, j = 0, size - 1)]) .or. any(all(4, :) /= [(j + 20, j = 0, size - 1)]) .or. &
        count(all == -1) /= 4 * size) call wrong('MPI_Allgather', 0)
    counts = 1
    places = [(4 * (j - 1), j = 1, size)]
    types = MPI_INTEGER
    all(2, :) = 100 * rank + [(j, j = 1, size)]
    call MPI_Ialltoallw(all(2, :), counts, places, types, all(3, :), counts, places, types, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (any(all(3, :) /= 100 * [(j, j = 0, size - 1)] + rank + 1)) call wrong('MPI_Ialltoallw', all(3, 1))
    call MPI_Comm_idup(MPI_COMM_WORLD, later, request)
    call use_the_stack(40)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (later == MPI_COMM_NULL .or. later == MPI_COMM_WORLD) call wrong('MPI_Comm_idup', later%MPI_VAL)
    call MPI_Barrier(later)
    call MPI_Comm_free(later)
    call MPI_Reduce(all(3, :), all(5, :), size, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0 .and. any(all(5, :) /= 100 * [(j, j = 0, size - 1)] + size)) call wrong('MPI_Reduce', 0)
  end subroutine

  recursive subroutine use_the_stack(deep)
    integer, intent(in) :: deep
    integer :: there(100)
    there = deep
    if (deep > 0) call use_the_stack(deep - 1)
    if (any(there /= deep)) call wrong('the stack', deep)
  end subroutine

  subroutine windows
    type(MPI_Win) :: win
    call fill(rank)
    call MPI_Win_create(to, int(8 * rows * columns * planes, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(from(1:11:2, 3, 1), 6, MPI_DOUBLE_PRECISION, next, 10_MPI_ADDRESS_KIND, 6, MPI_DOUBLE_PRECISION, win)
    call MPI_Win_fence(0, win)
    call MPI_Get(from(2:12:2, 3, 1), 6, MPI_DOUBLE_PRECISION, next, 10_MPI_ADDRESS_KIND, 6, MPI_DOUBLE_PRECISION, win)
    call MPI_Win_fence(0, win)
    if (any(from(1:11:2, 3, 1) /= from(2:12:2, 3, 1))) call wrong('MPI_Put and MPI_Get', 0)
    call MPI_Win_free(win)
  end subroutine

  ! Where there is nothing to do, or something is wrong.
  subroutine edges
    type(MPI_Request) :: request
    integer :: code, error_class
    integer, target :: none(0), one
    type(MPI_Request) :: nothing(2)
    logical :: flag
    nothing = MPI_REQUEST_NULL
    one = 0
    call MPI_Waitany(2, nothing, one, MPI_STATUS_IGNORE)
    if (one /= MPI_UNDEFINED) call wrong('MPI_Waitany for nothing', one)
    call MPI_Testany(2, nothing, one, flag, MPI_STATUS_IGNORE)
    if (one /= MPI_UNDEFINED .or. .not. flag) call wrong('MPI_Testany for nothing', one)
    call MPI_Isend(none, 0, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, request)
    call MPI_Recv(from(1:0:2, 1, 1), 0, MPI_DOUBLE_PRECISION, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(one, 1, MPI_INTEGER, MPI_PROC_NULL, 0, from(1:11:2, 1, 1), 6, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Send(from(1:11:2, 1, 1), 7, MPI_DOUBLE_PRECISION, rank, 0, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, error_class)
    if (error_class /= MPI_ERR_COUNT) call wrong('more elements than the section has', error_class)
    call MPI_Buffer_attach(from(1:11:2, 1, 1), 48, code)
    call MPI_Error_class(code, error_class)
    if (error_class /= MPI_ERR_BUFFER) call wrong('a buffer with gaps', error_class)
  end subroutine
end program
