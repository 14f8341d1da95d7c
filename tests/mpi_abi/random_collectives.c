/* Random collectives that move data: all kinds and forms, in place or not, several at a time, on both sides different
 * types with the same signature. */
#include "random_forms.h"

enum {
  BARRIER,
  BCAST,
  GATHER,
  GATHERV,
  SCATTER,
  SCATTERV,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  KINDS
};
enum { MOST_AT_ONCE = 3 };

/* A collective as all ranks have it, and this rank's part in it. */
typedef struct {
  int number, kind, form, root, size, rank;
  bool in_place, is_large;
  MPI_Comm over;
  MPI_Request request;
  signature block; /* of one block, or of the unit of blocks of several lengths */
  int times;
  elements sent, received;
  room from, into;
  blocks there, here;
  MPI_Datatype sent_types[MOST_RANKS], received_types[MOST_RANKS]; /* of all to all w */
  typed parts[2 * MOST_RANKS];
  int part_count;
} collective;

/* How many units rank `to` gets from rank `from`; alike both ways if it is in place. */
static int units(const collective* of, int from, int to) {
  const int low = of->in_place && from > to ? to : from, high = of->in_place && from > to ? from : to;
  choices by = choices_of((uint64_t)step * 100 + (uint64_t)of->number, (uint64_t)low, (uint64_t)high + 50);
  return chance(&by, 25) ? 0 : between(&by, 1, 3);
}
static signature unlike(const collective* of, int from, int to) {
  const int low = of->in_place && from > to ? to : from, high = of->in_place && from > to ? from : to;
  choices by = choices_of((uint64_t)step * 100 + (uint64_t)of->number, (uint64_t)low, (uint64_t)high + 90);
  signature made = {0};
  return chance(&by, 20) ? made : random_signature(&by, 8);
}

/* `count` blocks one after the other of a type. */
static void give_room(collective* of, bool is_sent, int first, int count, int salt) {
  const uint64_t all = (uint64_t)step * 1000 + (uint64_t)of->number * 100 + (uint64_t)(of->rank * 2 + salt);
  if (is_sent)
    of->from = room_for(&of->sent.of, first, count, all);
  else
    of->into = room_for(&of->received.of, first, count, all + 7777);
}

static void prepare_rooted(choices* own, collective* of) {
  const bool is_gather = of->kind == GATHER || of->kind == GATHERV, is_v = of->kind == GATHERV || of->kind == SCATTERV;
  const int mine = is_v ? units(of, of->rank, 0) : 1;
  const signature leaf = repeated(&of->block, mine);
  elements one = elements_of(own, &leaf), many = elements_of(own, &of->block);
  one.count *= of->times;
  many.count *= of->times;
  const int reach = of->size * many.count;
  for (int i = 0; i < of->size; ++i) of->here.counts[i] = many.count * units(of, i, 0);
  const int total = spread_out(own, &of->here, of->size);
  of->sent = is_gather ? one : many;
  of->received = is_gather ? many : one;
  give_room(of, is_gather, 0, one.count, 0);
  if (is_v)
    give_room(of, !is_gather, -2, total + 2, 1);
  else
    give_room(of, !is_gather, 0, reach, 1);
}

static void call_rooted(collective* of) {
  const bool is_gather = of->kind == GATHER || of->kind == GATHERV, is_root = of->rank == of->root;
  const blocks* v = &of->here;
  const void* from = of->in_place && is_root && is_gather ? MPI_IN_PLACE : of->from.data;
  void* into = of->in_place && is_root && !is_gather ? MPI_IN_PLACE : of->into.data;
  const MPI_Datatype s = of->sent.of.type, r = of->received.of.type;
  const int sc = of->sent.count, rc = of->received.count, root = of->root;
  MPI_Comm over = of->over;
  if (of->kind == GATHER)
    RUN(of->is_large, of->form, Gather, Igather, (from, sc, s, into, rc, r, root, over),
        (from, sc, s, into, rc, r, root, over), &of->request);
  if (of->kind == SCATTER)
    RUN(of->is_large, of->form, Scatter, Iscatter, (from, sc, s, into, rc, r, root, over),
        (from, sc, s, into, rc, r, root, over), &of->request);
  if (of->kind == GATHERV)
    RUN(of->is_large, of->form, Gatherv, Igatherv, (from, sc, s, into, v->counts, v->at, r, root, over),
        (from, sc, s, into, v->large_counts, v->large_at, r, root, over), &of->request);
  if (of->kind == SCATTERV)
    RUN(of->is_large, of->form, Scatterv, Iscatterv, (from, v->counts, v->at, s, into, rc, r, root, over),
        (from, v->large_counts, v->large_at, s, into, rc, r, root, over), &of->request);
}

static void prepare_all(choices* own, collective* of) {
  const bool is_v = of->kind == ALLGATHERV || of->kind == ALLTOALLV,
             to_all = of->kind == ALLTOALL || of->kind == ALLTOALLV;
  const signature leaf = repeated(&of->block, is_v && !to_all ? units(of, of->rank, 0) : 1);
  of->sent = elements_of(own, &leaf);
  of->received = elements_of(own, &of->block);
  of->sent.count *= of->times;
  of->received.count *= of->times;
  const int sc = of->sent.count, rc = of->received.count, n = of->size;
  for (int i = 0; i < n; ++i) {
    of->there.counts[i] = sc * units(of, of->rank, i);
    of->here.counts[i] = rc * units(of, i, to_all ? of->rank : 0);
  }
  const int there_reach = spread_out(own, &of->there, n), here_reach = spread_out(own, &of->here, n);
  if (is_v && to_all)
    give_room(of, true, -2, there_reach + 2, 0);
  else
    give_room(of, true, 0, to_all ? n * sc : sc, 0);
  if (is_v)
    give_room(of, false, -2, here_reach + 2, 1);
  else
    give_room(of, false, 0, n * rc, 1);
}

static void call_all(collective* of) {
  const int sc = of->sent.count, rc = of->received.count;
  const blocks *a = &of->there, *b = &of->here;
  const void* from = of->in_place ? MPI_IN_PLACE : of->from.data;
  void* into = of->into.data;
  const MPI_Datatype s = of->sent.of.type, r = of->received.of.type;
  MPI_Comm over = of->over;
  if (of->kind == ALLGATHER)
    RUN(of->is_large, of->form, Allgather, Iallgather, (from, sc, s, into, rc, r, over),
        (from, sc, s, into, rc, r, over), &of->request);
  if (of->kind == ALLTOALL)
    RUN(of->is_large, of->form, Alltoall, Ialltoall, (from, sc, s, into, rc, r, over), (from, sc, s, into, rc, r, over),
        &of->request);
  if (of->kind == ALLGATHERV)
    RUN(of->is_large, of->form, Allgatherv, Iallgatherv, (from, sc, s, into, b->counts, b->at, r, over),
        (from, sc, s, into, b->large_counts, b->large_at, r, over), &of->request);
  if (of->kind == ALLTOALLV)
    RUN(of->is_large, of->form, Alltoallv, Ialltoallv, (from, a->counts, a->at, s, into, b->counts, b->at, r, over),
        (from, a->large_counts, a->large_at, s, into, b->large_counts, b->large_at, r, over), &of->request);
}

/* One side of an all to all w: elements for each rank, one behind the other. */
static room give_parts(choices* own, collective* of, bool is_sent, blocks* to, MPI_Datatype* types) {
  MPI_Aint at = MARGIN;
  for (int i = 0; i < of->size; ++i) {
    const signature carries = is_sent ? unlike(of, of->rank, i) : unlike(of, i, of->rank);
    elements part = elements_of(own, &carries);
    to->counts[i] = part.count;
    types[i] = part.of.type;
    to->at[i] = (int)up_to(at - part.of.first, 16);
    at = to->at[i] + part.of.last + (part.count > 0 ? part.count - 1 : 0) * part.of.extent + 16;
    of->parts[of->part_count++] = part.of;
  }
  widen(to, of->size);
  room made = {.bytes = (size_t)up_to(at + MARGIN, 64)};
  made.whole = made.data = aligned_alloc(64, made.bytes);
  fill(made.whole, made.bytes, (uint64_t)(step * 1000 + of->number * 100 + of->rank * 2 + is_sent));
  return made;
}

static void prepare_unlike(choices* own, collective* of) {
  of->from = give_parts(own, of, true, &of->there, of->sent_types);
  of->into = give_parts(own, of, false, &of->here, of->received_types);
}

static void call_unlike(collective* of) {
  const void* from = of->in_place ? MPI_IN_PLACE : of->from.data;
  const blocks *a = &of->there, *b = &of->here;
  RUN(of->is_large, of->form, Alltoallw, Ialltoallw,
      (from, a->counts, a->at, of->sent_types, of->into.data, b->counts, b->at, of->received_types, of->over),
      (from, a->large_counts, a->large_at, of->sent_types, of->into.data, b->large_counts, b->large_at,
       of->received_types, of->over),
      &of->request);
}

static void prepare(choices* own, collective* of) {
  MPI_Comm_rank(of->over, &of->rank);
  MPI_Comm_size(of->over, &of->size);
  of->request = MPI_REQUEST_NULL;
  if (of->kind == BCAST) {
    of->received = elements_of(own, &of->block);
    of->received.count *= of->times;
    give_room(of, false, 0, of->received.count, 0);
  } else if (of->kind == ALLTOALLW) {
    prepare_unlike(own, of);
  } else if (of->kind != BARRIER) {
    (of->kind <= SCATTERV ? prepare_rooted : prepare_all)(own, of);
  }
}

static void call(collective* of) {
  if (of->kind == BARRIER) { /* has no counts */
    if (of->form == BLOCKING) DO(MPI_Barrier(of->over));
    if (of->form == NONBLOCKING) DO(MPI_Ibarrier(of->over, &of->request));
    if (of->form == PERSISTENT) RUN_PERSISTENT(Barrier, (of->over), &of->request);
  } else if (of->kind == BCAST) {
    void* data = of->into.data;
    const int count = of->received.count;
    RUN(of->is_large, of->form, Bcast, Ibcast, (data, count, of->received.of.type, of->root, of->over),
        (data, count, of->received.of.type, of->root, of->over), &of->request);
  } else if (of->kind == ALLTOALLW) {
    call_unlike(of);
  } else {
    (of->kind <= SCATTERV ? call_rooted : call_all)(of);
  }
}

static void say_outcome(const collective* of) {
  static const char* const names[KINDS] = {"barrier",   "bcast",      "gather",   "gatherv",   "scatter",  "scatterv",
                                           "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
  say("%d of %d: %s form %d root %d in place %d: %016llx %016llx", of->rank, of->size, names[of->kind], of->form,
      of->root, of->in_place, of->from.whole != NULL ? (unsigned long long)hash_of_room(&of->from) : 0ULL,
      of->into.whole != NULL ? (unsigned long long)hash_of_room(&of->into) : 0ULL);
}

static void finish(collective* of) {
  say_outcome(of);
  if (of->form == PERSISTENT) { /* once more, with other data */
    if (of->from.whole != NULL) fill(of->from.whole, of->from.bytes, (uint64_t)of->rank + 31);
    if (of->kind == BCAST) fill(of->into.whole, of->into.bytes, (uint64_t)of->rank + 32);
#ifdef HAS_PERSISTENT
    DO(MPI_Start(&of->request));
    DO(MPI_Wait(&of->request, MPI_STATUS_IGNORE));
    DO(MPI_Request_free(&of->request));
#else
    call(of);
#endif
    say_outcome(of);
  }
  if (of->from.whole != NULL) free_room(&of->from);
  if (of->into.whole != NULL) free_room(&of->into);
  for (int i = 0; i < of->part_count; ++i) free_typed(&of->parts[i]);
  if (of->sent.of.map != NULL) free_typed(&of->sent.of);
  if (of->received.of.map != NULL) free_typed(&of->received.of);
}

static void program(void) {
  choices colors = choices_of(1, 2, 3);
  MPI_Comm part = MPI_COMM_NULL;
  /* Open MPI's ranks may choose different algorithms where they have different types, and then wait for ever. */
  const bool is_alike = chance(&colors, 50);
  if (OF_OPENMPI && !is_alike) return say("not run");
  const bool is_split = size > 2 && chance(&colors, 50);
  if (is_split) DO(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part));
  for (step = 1; step <= 4; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0), own = choices_of((uint64_t)step, (uint64_t)rank, 1);
    choices types = choices_of((uint64_t)step, is_alike ? 0 : (uint64_t)rank, 2);
    const int count = between(&by, 1, MOST_AT_ONCE);
    collective all[MOST_AT_ONCE];
    int order[MOST_AT_ONCE];
    for (int i = 0; i < count; ++i) {
      collective each = {.number = i, .kind = below(&by, KINDS), .form = below(&by, FORMS)};
      each.over = chance(&by, 30) && is_split ? part : MPI_COMM_WORLD;
      each.root = below(&by, each.over == MPI_COMM_WORLD ? size : size / 2);
      each.in_place = chance(&by, 30);
      each.block = random_signature(&by, 10);
      each.times = chance(&by, 70) ? 1 : 1 << between(&by, 1, 7);
      all[i] = each;
      prepare(&types, &all[i]);
      all[i].is_large = chance(&own, 30);
      call(&all[i]);
    }
    shuffled(&own, order, count);
    for (int i = 0; i < count; ++i) DO(MPI_Wait(&all[order[i]].request, MPI_STATUS_IGNORE));
    for (int i = 0; i < count; ++i) finish(&all[i]);
  }
  int value = 0;
  if (chance(&colors, 20)) {
    FAILS(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    FAILS(MPI_Bcast(&value, 1, MPI_INT, -1, MPI_COMM_WORLD));
    FAILS(MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    FAILS(MPI_Barrier(MPI_COMM_NULL));
  }
  if (is_split) DO(MPI_Comm_free(&part));
}
