/* Random groups and communicators: made in all ways of others, compared, used, and freed while operations of them go
 * on; with names, attributes and error handlers. A place of the pool holds, in each rank, the communicator that the
 * rank has got there, or none: its members make the same choices. */
#include "random.h"

enum { POOL = 5, MOST = 16 };
RANK_OWN MPI_Comm pool[POOL];
RANK_OWN int copied, deleted, keyval;

static const char* comparison(int of) {
  return of == MPI_IDENT ? "ident" : of == MPI_CONGRUENT ? "congruent" : of == MPI_SIMILAR ? "similar" : "unequal";
}

/* The ranks of the world that are in a group, in its order. */
static void say_group(const char* what, MPI_Group group) {
  int members = 0, own = 0, ours[MOST], theirs[MOST], result = 0;
  char text[200] = "";
  MPI_Group world;
  DO(MPI_Comm_group(MPI_COMM_WORLD, &world));
  DO(MPI_Group_size(group, &members));
  DO(MPI_Group_rank(group, &own));
  for (int i = 0; i < members; ++i) ours[i] = i;
  DO(MPI_Group_translate_ranks(group, members, ours, world, theirs));
  for (int i = 0; i < members; ++i) snprintf(text + strlen(text), sizeof text - strlen(text), " %d", theirs[i]);
  DO(MPI_Group_compare(group, world, &result));
  say("%s: %d, own %d, %s:%s", what, members, own == MPI_UNDEFINED ? -1 : own, comparison(result), text);
  DO(MPI_Group_free(&world));
}

static void say_communicator(const char* what, MPI_Comm of) {
  int result = 0, sum = -1, own = 0, members = 0, got = -1, flag = -1, is_inter = -1, length;
  void* value = NULL;
  char name[MPI_MAX_OBJECT_NAME] = "";
  if (of == MPI_COMM_NULL) return say("%s: none", what);
  MPI_Group group;
  DO(MPI_Comm_group(of, &group));
  say_group(what, group);
  DO(MPI_Group_free(&group));
  DO(MPI_Comm_compare(of, MPI_COMM_WORLD, &result));
  DO(MPI_Comm_test_inter(of, &is_inter));
  DO(MPI_Comm_rank(of, &own));
  DO(MPI_Comm_size(of, &members));
  DO(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, of));
  DO(MPI_Sendrecv(&rank, 1, MPI_INT, (own + 1) % members, 5, &got, 1, MPI_INT, (own + members - 1) % members, 5, of,
                  MPI_STATUS_IGNORE));
  DO(MPI_Comm_get_attr(of, keyval, &value, &flag));
  DO(MPI_Comm_get_name(of, name, &length));
  say("  %s, inter %d, sum %d, left %d, attribute %d %ld, name '%s' %d", comparison(result), is_inter, sum, got, flag,
      flag ? (long)(intptr_t)value : -1L, of == MPI_COMM_WORLD ? "" : name, length);
  DO(MPI_Barrier(of));
}

/* ---- groups ---- */

/* Some members of one. */
static MPI_Group part_of(choices* by, MPI_Group of) {
  MPI_Group made;
  int members, order[MOST], range[1][3];
  DO(MPI_Group_size(of, &members));
  shuffled(by, order, members);
  const int kind = below(by, 4), count = members == 0 ? 0 : between(by, 0, members);
  if (kind < 2 || members == 0) {
    DO((kind == 0 ? MPI_Group_incl : MPI_Group_excl)(of, count, order, &made));
  } else {
    const int first = below(by, members), last = below(by, members);
    range[0][0] = first;
    range[0][1] = last;
    range[0][2] = (first <= last ? 1 : -1) * between(by, 1, 2);
    DO((kind == 2 ? MPI_Group_range_incl : MPI_Group_range_excl)(of, 1, range, &made));
  }
  return made;
}

static void with_groups(choices* by, MPI_Comm of) {
  MPI_Group whole, a, b, made[3];
  int result, there[MOST], ranks[MOST], members;
  DO(MPI_Comm_group(of, &whole));
  a = part_of(by, whole);
  b = part_of(by, whole);
  say_group("a", a);
  say_group("b", b);
  DO(MPI_Group_union(a, b, &made[0]));
  DO(MPI_Group_intersection(a, b, &made[1]));
  DO(MPI_Group_difference(a, b, &made[2]));
  DO(MPI_Group_compare(a, b, &result));
  say("a and b: %s", comparison(result));
  for (int i = 0; i < 3; ++i) say_group(i == 0 ? "union" : i == 1 ? "intersection" : "difference", made[i]);
  DO(MPI_Group_size(a, &members));
  for (int i = 0; i < members; ++i) ranks[i] = i;
  ranks[members] = MPI_PROC_NULL;
  DO(MPI_Group_translate_ranks(a, members + 1, ranks, b, there));
  for (int i = 0; i < members; ++i) say("  %d of a is %d of b", i, there[i] == MPI_UNDEFINED ? -1 : there[i]);
  say("  nobody is nobody: %d", there[members] == MPI_PROC_NULL);
  for (int i = 0; i < 3; ++i) DO(MPI_Group_free(&made[i]));
  DO(MPI_Group_free(&a));
  DO(MPI_Group_free(&b));
  DO(MPI_Group_free(&whole));
}

/* ---- attributes ---- */

static int copy(MPI_Comm of, int key, void* extra, void* in, void* out, int* flag) {
  (void)of, (void)key, (void)extra;
  ++copied;
  *flag = (intptr_t)in % 3 != 0;
  *(void**)out = (void*)((intptr_t)in + 1);
  return MPI_SUCCESS;
}
static int forget(MPI_Comm of, int key, void* value, void* extra) {
  (void)of, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

/* ---- communicators ---- */

/* What was started over a communicator is completed after it has been freed. */
static void free_while_busy(choices* by, MPI_Comm* of) {
  enum { WORDS = 3000 };
  const int words = chance(by, 50) ? 1 : WORDS;
  MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int own, members, *sent = malloc(sizeof(int) * WORDS), *got = malloc(sizeof(int) * WORDS), sum = 0;
  DO(MPI_Comm_rank(*of, &own));
  DO(MPI_Comm_size(*of, &members));
  for (int i = 0; i < words; ++i) sent[i] = rank * 1000 + i;
  const bool with_collective = chance(by, 50);
  DO(MPI_Irecv(got, words, MPI_INT, (own + members - 1) % members, 1, *of, &requests[0]));
  DO(MPI_Isend(sent, words, MPI_INT, (own + 1) % members, 1, *of, &requests[1]));
  if (with_collective) DO(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, *of, &requests[2]));
  if (chance(by, 50)) DO(MPI_Ibarrier(*of, &requests[3]));
  DO(MPI_Comm_free(of));
  say("freed: %d", *of == MPI_COMM_NULL);
  DO(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  say("came: %016llx, sum %d", (unsigned long long)hash_of(got, sizeof(int) * (size_t)words), sum);
  free(sent);
  free(got);
}

static MPI_Comm made_of(choices* by, MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group whole, part;
  MPI_Request request;
  int own, members, order[MOST], colors[MOST], is_member, got = 0;
  DO(MPI_Comm_rank(of, &own));
  DO(MPI_Comm_size(of, &members));
  const int kind = below(by, 8);
  shuffled(by, order, members);
  for (int i = 0; i < members; ++i) colors[i] = chance(by, 15) ? MPI_UNDEFINED : below(by, 2);
  DO(MPI_Comm_group(of, &whole));
  switch (kind) {
    case 0:
    case 1: DO(MPI_Comm_split(of, colors[own], kind == 0 ? order[own] : 0, &made)); break;
    case 2: DO(MPI_Comm_dup(of, &made)); break;
    case 3:
      DO(MPI_Comm_idup(of, &made, &request));
      DO(MPI_Allreduce(&own, &got, 1, MPI_INT, MPI_SUM, of));
      DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
      break;
    case 4: DO(MPI_Comm_dup_with_info(of, MPI_INFO_NULL, &made)); break;
    case 5:
      part = part_of(by, whole);
      DO(MPI_Comm_create(of, part, &made));
      DO(MPI_Group_free(&part));
      break;
    case 6:
      part = part_of(by, whole);
      DO(MPI_Group_rank(part, &is_member));
      if (is_member != MPI_UNDEFINED) DO(MPI_Comm_create_group(of, part, 17, &made));
      DO(MPI_Group_free(&part));
      break;
    default: DO(MPI_Comm_split_type(of, MPI_COMM_TYPE_SHARED, order[own], MPI_INFO_NULL, &made)); break;
  }
  DO(MPI_Group_free(&whole));
  if (made == MPI_COMM_NULL) return made;
  int result, copies = 0;
  DO(MPI_Comm_compare(made, of, &result));
  say("made %d: %s of it, copies %d", kind, comparison(result), copies);
  return made;
}

static void program(void) {
  choices start = choices_of(7, 7, 7);
  copied = deleted = 0;
  DO(MPI_Comm_create_keyval(copy, forget, &keyval, NULL));
  for (int i = 0; i < POOL; ++i) pool[i] = MPI_COMM_NULL;
  DO(MPI_Comm_dup(MPI_COMM_WORLD, &pool[0]));
  DO(MPI_Comm_set_attr(pool[0], keyval, (void*)(intptr_t)below(&start, 100)));
  for (step = 1; step <= 12; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0);
    const int from = below(&by, POOL), to = between(&by, 1, POOL - 1), what = below(&by, 10);
    const bool busy = chance(&by, 50);
    char name[32];
    /* Where a rank has none, others may have one: they decide alike, by the step alone. */
    if (what < 5) {
      MPI_Comm made = pool[from] == MPI_COMM_NULL ? MPI_COMM_NULL : made_of(&by, pool[from]);
      if (pool[to] != MPI_COMM_NULL) {
        choices how = choices_of((uint64_t)step, 1, 1);
        if (busy)
          free_while_busy(&how, &pool[to]);
        else
          DO(MPI_Comm_free(&pool[to]));
      }
      pool[to] = made;
      say_communicator("new", made);
    } else if (pool[from] != MPI_COMM_NULL) {
      if (what == 5) with_groups(&by, pool[from]);
      if (what == 6 || what == 9) DO(MPI_Comm_set_attr(pool[from], keyval, (void*)(intptr_t)below(&by, 100)));
      if (what == 7) {
        snprintf(name, sizeof name, "of step %d", step);
        DO(MPI_Comm_set_name(pool[from], name));
      }
      if (what == 8) {
        int flag;
        void* value;
        DO(MPI_Comm_get_attr(pool[from], keyval, &value, &flag));
        if (flag) DO(MPI_Comm_delete_attr(pool[from], keyval));
      }
      say_communicator("used", pool[from]);
    }
    say("copied %d, deleted %d", copied, deleted);
  }
  for (int i = 0; i < POOL; ++i)
    if (pool[i] != MPI_COMM_NULL) DO(MPI_Comm_free(&pool[i]));
  say("copied %d, deleted %d", copied, deleted);
  DO(MPI_Comm_free_keyval(&keyval));
  say("key %d", keyval == MPI_KEYVAL_INVALID);
  if (!chance(&start, 10)) return;
  MPI_Comm none = MPI_COMM_NULL;
  MPI_Group group, made;
  int number = size;
  DO(MPI_Comm_group(MPI_COMM_WORLD, &group));
  FAILS(MPI_Comm_size(MPI_COMM_NULL, &number));
  FAILS(MPI_Group_incl(group, 1, &number, &made));
  FAILS(MPI_Comm_dup(MPI_COMM_NULL, &none));
  DO(MPI_Group_free(&group));
}
