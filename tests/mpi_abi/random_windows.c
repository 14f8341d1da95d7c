/* Random windows of all flavours, and accesses of all kinds in epochs of all kinds, with derived types at both ends. In
 * the memory of each rank each other one has a slice, which it accesses at most once in an epoch; what ranks share they
 * only add to. So every byte is determined. */
#include "random_forms.h"

enum { CREATE, ALLOCATE, SHARED, DYNAMIC, FLAVOURS };
enum { FENCE, POST_START, LOCK, LOCK_ALL, EPOCHS };
enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH, SWAP, ADD, ACCESSES };
enum { SLICE = 1024, COUNTERS = 16, MOST_ACCESSES = 4, UNIT = 16 };

typedef struct {
  MPI_Win win;
  int flavour;
  char* memory;
  MPI_Aint bytes, addresses[MOST_RANKS]; /* of dynamic ones */
  int units[MOST_RANKS];
} window;

/* An access that goes on, or is done. */
typedef struct {
  int kind, target, number;
  elements here, there, result;
  room from, into;
  MPI_Request request;
} started;

static MPI_Aint displacement(const window* of, int target, MPI_Aint offset) {
  return of->flavour == DYNAMIC ? of->addresses[target] + offset : offset / of->units[target];
}

static window make_window(choices* by) {
  window made = {.flavour = below(by, FLAVOURS), .bytes = size * SLICE + COUNTERS * 8};
  for (int i = 0; i < size; ++i) made.units[i] = 1 << between(by, 0, 4);
  const int unit = made.units[rank];
  void* memory = NULL;
  switch (made.flavour) {
    case CREATE:
      memory = aligned_alloc(64, up_to(made.bytes, 64));
      EITHER_FORM(by, MPI_Win_create, memory, made.bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &made.win);
      break;
    case ALLOCATE:
      EITHER_FORM(by, MPI_Win_allocate, made.bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made.win);
      break;
    case SHARED:
      EITHER_FORM(by, MPI_Win_allocate_shared, made.bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made.win);
      break;
    default: {
      MPI_Aint address;
      memory = aligned_alloc(64, up_to(made.bytes, 64));
      DO(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made.win));
      DO(MPI_Win_attach(made.win, memory, made.bytes));
      DO(MPI_Get_address(memory, &address));
      DO(MPI_Allgather(&address, 1, MPI_AINT, made.addresses, 1, MPI_AINT, MPI_COMM_WORLD));
    }
  }
  made.memory = memory;
  fill(made.memory, (size_t)made.bytes, (uint64_t)rank + 1);
  DO(MPI_Win_set_errhandler(made.win, MPI_ERRORS_RETURN));
  void* value;
  int flag, members;
  MPI_Group group;
  DO(MPI_Win_get_attr(made.win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
  const int flavour = flag ? *(int*)value : -1;
  say("flavour %d as asked: %d", made.flavour,
      flavour == (made.flavour == CREATE     ? MPI_WIN_FLAVOR_CREATE
                  : made.flavour == ALLOCATE ? MPI_WIN_FLAVOR_ALLOCATE
                  : made.flavour == SHARED   ? MPI_WIN_FLAVOR_SHARED
                                             : MPI_WIN_FLAVOR_DYNAMIC));
  if (made.flavour != DYNAMIC) {
    DO(MPI_Win_get_attr(made.win, MPI_WIN_SIZE, &value, &flag));
    const long bytes = flag ? (long)*(MPI_Aint*)value : -1;
    DO(MPI_Win_get_attr(made.win, MPI_WIN_DISP_UNIT, &value, &flag));
    say("size %ld, unit %d", bytes, flag ? *(int*)value : -1);
  }
  DO(MPI_Win_get_group(made.win, &group));
  DO(MPI_Group_size(group, &members));
  say("members %d", members);
  DO(MPI_Group_free(&group));
  DO(MPI_Barrier(MPI_COMM_WORLD)); /* the memory is filled */
  return made;
}

static void free_window(window* of) {
  if (of->flavour == DYNAMIC) DO(MPI_Win_detach(of->win, of->memory));
  DO(MPI_Win_free(&of->win));
  if (of->flavour == CREATE || of->flavour == DYNAMIC) free(of->memory);
}

/* Integers only, for operations. */
static int integer_type(choices* by) {
  static const int types[] = {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 20, 21};
  return types[below(by, 17)];
}
static MPI_Op operation(choices* by) {
  const MPI_Op all[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_LAND, MPI_LXOR};
  return all[below(by, 9)];
}

/* One access to the slice that this rank has at the target. */
static void begin(choices* by, const window* of, started* to, int epoch) {
  signature what = random_signature(by, 10);
  const bool combines = to->kind >= ACCUMULATE, asks = epoch >= LOCK && chance(by, 30);
  const int integer = integer_type(by);
  if (combines)
    for (int i = 0; i < what.n; ++i) what.basics[i] = integer;
  if (to->kind >= FETCH) what.n = 1;
  MPI_Op op = operation(by);
  if (to->kind == GET_ACCUMULATE && chance(by, 20)) op = MPI_NO_OP;
  to->here = elements_of(by, &what);
  to->there = elements_of(by, &what);
  to->result = elements_of(by, &what);
  if (to->kind >= FETCH) { /* these take predefined types only */
    elements* const all[] = {&to->here, &to->there, &to->result};
    for (int i = 0; i < 3; ++i) {
      free_typed(&all[i]->of);
      *all[i] = (elements){typed_basic(to->kind == ADD ? 11 : integer), 1};
    }
  }
  to->from = room_for(&to->here.of, 0, to->here.count, (uint64_t)(rank * 10 + to->number + step * 100));
  to->into = room_for(&to->result.of, 0, to->result.count, 55);
  const typed* there = &to->there.of;
  const MPI_Aint last = (to->there.count - 1) * there->extent + there->last;
  MPI_Aint offset = up_to(rank * SLICE - there->first, UNIT);
  if (offset < 0) offset = 0;
  if (to->kind == ADD) offset = size * SLICE + below(by, COUNTERS) / 2 * UNIT;
  if (to->kind != ADD && offset + last > (rank + 1) * SLICE) return say("too large");
  const MPI_Aint at = displacement(of, to->target, offset);
  const MPI_Datatype h = to->here.of.type, t = there->type, r = to->result.of.type;
  void *from = to->from.data, *into = to->into.data;
  const int hc = to->here.count, tc = to->there.count, rc = to->result.count, target = to->target;
  const MPI_Win w = of->win;
  MPI_Request* q = &to->request;
  switch (to->kind) {
    case PUT:
      if (asks)
        EITHER_FORM(by, MPI_Rput, from, hc, h, target, at, tc, t, w, q);
      else
        EITHER_FORM(by, MPI_Put, from, hc, h, target, at, tc, t, w);
      break;
    case GET:
      if (asks)
        EITHER_FORM(by, MPI_Rget, into, rc, r, target, at, tc, t, w, q);
      else
        EITHER_FORM(by, MPI_Get, into, rc, r, target, at, tc, t, w);
      break;
    case ACCUMULATE:
      if (asks)
        EITHER_FORM(by, MPI_Raccumulate, from, hc, h, target, at, tc, t, op, w, q);
      else
        EITHER_FORM(by, MPI_Accumulate, from, hc, h, target, at, tc, t, op, w);
      break;
    case GET_ACCUMULATE:
      if (asks)
        EITHER_FORM(by, MPI_Rget_accumulate, from, hc, h, into, rc, r, target, at, tc, t, op, w, q);
      else
        EITHER_FORM(by, MPI_Get_accumulate, from, hc, h, into, rc, r, target, at, tc, t, op, w);
      break;
    case FETCH: DO(MPI_Fetch_and_op(from, into, h, target, at, op, w)); break;
    case SWAP: {
      /* the value that is there in half of all cases: then it is replaced */
      char* there_now = to->from.whole + MARGIN + 24;
      char initial[4096 * 8];
      fill(initial, (size_t)of->bytes, (uint64_t)target + 1);
      memcpy(there_now, initial + offset, 8);
      DO(MPI_Compare_and_swap(from, there_now, into, h, target, at, w));
      break;
    }
    default: DO(MPI_Accumulate(from, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_SUM, w)); break;
  }
}

static void finish(started* of) {
  DO(MPI_Wait(&of->request, MPI_STATUS_IGNORE));
  say("access %d to %d: %016llx %016llx", of->kind, of->target, (unsigned long long)hash_of_room(&of->from),
      (unsigned long long)hash_of_room(&of->into));
  free_room(&of->from);
  free_room(&of->into);
  free_typed(&of->here.of);
  free_typed(&of->there.of);
  free_typed(&of->result.of);
}

static void run_epoch(choices* by, choices* own, const window* of) {
  const int kind = below(by, EPOCHS), count = between(own, 0, MOST_ACCESSES);
  const bool asserts = chance(by, 50);
  bool is_used[MOST_RANKS] = {false};
  started all[MOST_ACCESSES];
  int made = 0;
  MPI_Group whole;
  DO(MPI_Comm_group(MPI_COMM_WORLD, &whole));
  if (kind == FENCE) DO(MPI_Win_fence(asserts ? MPI_MODE_NOPRECEDE : 0, of->win));
  if (kind == POST_START) {
    DO(MPI_Win_post(whole, asserts ? MPI_MODE_NOSTORE : 0, of->win));
    DO(MPI_Win_start(whole, 0, of->win));
  }
  if (kind == LOCK_ALL) DO(MPI_Win_lock_all(asserts ? MPI_MODE_NOCHECK : 0, of->win));
  for (int i = 0; i < count; ++i) {
    started each = {.kind = below(own, ACCESSES), .target = below(own, size), .number = i, .request = MPI_REQUEST_NULL};
    if (is_used[each.target] && each.kind != ADD) continue;
    if (each.kind != ADD) is_used[each.target] = true;
    if (kind == LOCK) DO(MPI_Win_lock(chance(own, 50) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, each.target, 0, of->win));
    begin(own, of, &each, kind);
    if (kind == LOCK && chance(own, 40)) DO(MPI_Win_flush(each.target, of->win));
    if (kind == LOCK && each.request != MPI_REQUEST_NULL) DO(MPI_Wait(&each.request, MPI_STATUS_IGNORE));
    if (kind == LOCK) DO(MPI_Win_unlock(each.target, of->win));
    if (kind == LOCK_ALL && chance(own, 30)) DO(MPI_Win_flush(each.target, of->win));
    all[made++] = each;
  }
  if (kind == LOCK_ALL)
    for (int i = 0; i < made; ++i)
      if (all[i].request != MPI_REQUEST_NULL) DO(MPI_Wait(&all[i].request, MPI_STATUS_IGNORE));
  if (kind == FENCE) DO(MPI_Win_fence(asserts ? MPI_MODE_NOSUCCEED : 0, of->win));
  if (kind == POST_START) {
    DO(MPI_Win_complete(of->win));
    if (chance(own, 50))
      DO(MPI_Win_wait(of->win));
    else
      for (int flag = 0; !flag;) DO(MPI_Win_test(of->win, &flag));
  }
  if (kind == LOCK_ALL) {
    DO(chance(own, 50) ? MPI_Win_flush_all(of->win) : MPI_SUCCESS);
    DO(MPI_Win_unlock_all(of->win));
  }
  for (int i = 0; i < made; ++i) finish(&all[i]);
  DO(MPI_Barrier(MPI_COMM_WORLD));
  DO(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, of->win));
  DO(MPI_Win_sync(of->win));
  say("epoch %d, memory: %016llx", kind, (unsigned long long)hash_of(of->memory, (size_t)of->bytes));
  if (of->flavour == SHARED) {
    MPI_Aint bytes;
    int unit;
    void* there;
    DO(MPI_Win_shared_query(of->win, (rank + 1) % size, &bytes, &unit, &there));
    say("of the next: %ld %d %016llx", (long)bytes, unit, (unsigned long long)hash_of(there, (size_t)bytes));
  }
  DO(MPI_Win_unlock(rank, of->win));
  DO(MPI_Barrier(MPI_COMM_WORLD));
  DO(MPI_Group_free(&whole));
}

static void program(void) {
  choices start = choices_of(5, 5, 5);
  window of = make_window(&start);
  for (step = 1; step <= 4; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0), own = choices_of((uint64_t)step, (uint64_t)rank, 1);
    run_epoch(&by, &own, &of);
  }
  if (chance(&start, 15)) {
    int value = 0;
    DO(MPI_Win_lock_all(0, of.win));
    FAILS(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, of.win));
    FAILS(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, of.win));
    FAILS(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, of.win));
    DO(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, of.win));
    DO(MPI_Win_unlock_all(of.win));
  }
  free_window(&of);
}
