/* Random reductions: all operators and types that go together, and operators of the program on derived types, of which
 * the order of the ranks matters; all kinds and forms, in place or not. Values are such that all of them are exact. */
#include <complex.h>

#include "random_forms.h"

enum { REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, REDUCE_LOCAL, KINDS };
enum kind_of_type { SIGNED, UNSIGNED, FLOATING, COMPLEX, BOOLEAN, BYTES, PAIR };

/* ---- predefined ---- */

typedef struct {
  const char* name;
  MPI_Datatype type;
  enum kind_of_type kind;
  int bytes, of_value, index_at; /* an element; its value's bytes that count; of a pair, where the index is */
} plain;

static plain random_plain(choices* by) {
#define OF(type, kind, c) \
  { #c, type, kind, sizeof(c), sizeof(c), 0 }
#define PAIR_OF(type, c, value)                \
  {                                            \
#c " and int", type, PAIR, sizeof(struct { \
      c a;                                     \
      int b;                                   \
    }),                                        \
        value,                                 \
        offsetof(                              \
            struct {                           \
              c a;                             \
              int b;                           \
            },                                 \
            b)                                 \
  }
  const plain all[] = {OF(MPI_SIGNED_CHAR, SIGNED, signed char),
                       OF(MPI_SHORT, SIGNED, short),
                       OF(MPI_INT, SIGNED, int),
                       OF(MPI_LONG, SIGNED, long),
                       OF(MPI_LONG_LONG, SIGNED, long long),
                       OF(MPI_UNSIGNED_CHAR, UNSIGNED, unsigned char),
                       OF(MPI_UNSIGNED_SHORT, UNSIGNED, unsigned short),
                       OF(MPI_UNSIGNED, UNSIGNED, unsigned),
                       OF(MPI_UNSIGNED_LONG, UNSIGNED, unsigned long),
                       OF(MPI_UNSIGNED_LONG_LONG, UNSIGNED, unsigned long long),
                       OF(MPI_INT8_T, SIGNED, int8_t),
                       OF(MPI_INT16_T, SIGNED, int16_t),
                       OF(MPI_INT32_T, SIGNED, int32_t),
                       OF(MPI_INT64_T, SIGNED, int64_t),
                       OF(MPI_UINT8_T, UNSIGNED, uint8_t),
                       OF(MPI_UINT16_T, UNSIGNED, uint16_t),
                       OF(MPI_UINT32_T, UNSIGNED, uint32_t),
                       OF(MPI_UINT64_T, UNSIGNED, uint64_t),
                       OF(MPI_AINT, SIGNED, MPI_Aint),
                       OF(MPI_OFFSET, SIGNED, MPI_Offset),
                       OF(MPI_COUNT, SIGNED, MPI_Count),
                       OF(MPI_FLOAT, FLOATING, float),
                       OF(MPI_DOUBLE, FLOATING, double),
                       {"long double", MPI_LONG_DOUBLE, FLOATING, sizeof(long double), 10, 0},
                       OF(MPI_C_FLOAT_COMPLEX, COMPLEX, float complex),
                       OF(MPI_C_DOUBLE_COMPLEX, COMPLEX, double complex),
                       OF(MPI_C_BOOL, BOOLEAN, bool),
                       OF(MPI_BYTE, BYTES, char),
                       PAIR_OF(MPI_FLOAT_INT, float, 4),
                       PAIR_OF(MPI_DOUBLE_INT, double, 8),
                       PAIR_OF(MPI_LONG_INT, long, 8),
                       PAIR_OF(MPI_2INT, int, 4),
                       PAIR_OF(MPI_SHORT_INT, short, 2),
                       PAIR_OF(MPI_LONG_DOUBLE_INT, long double, 10)};
#undef OF
#undef PAIR_OF
  return all[below(by, (int)(sizeof all / sizeof *all))];
}

static MPI_Op random_operator(choices* by, enum kind_of_type kind, bool* is_bitwise, int* number) {
  const MPI_Op all[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                        MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  static const int first[] = {0, 0, 0, 0, 4, 7, 10}, last[] = {9, 9, 3, 1, 6, 9, 11};
  *number = between(by, first[kind], last[kind]);
  *is_bitwise = *number >= 7 && *number <= 9;
  return all[*number];
}

static void set_value(char* at, const plain* of, int value) {
#define SET(c)                      \
  do {                              \
    const c made = (c)value;        \
    memcpy(at, &made, sizeof made); \
  } while (0)
  if (of->kind == FLOATING || of->kind == COMPLEX || of->kind == PAIR) {
    memset(at, 0, (size_t)of->bytes);
    if (of->type == MPI_FLOAT || of->type == MPI_FLOAT_INT) SET(float);
    if (of->type == MPI_DOUBLE || of->type == MPI_DOUBLE_INT) SET(double);
    if (of->type == MPI_LONG_DOUBLE || of->type == MPI_LONG_DOUBLE_INT) SET(long double);
    if (of->type == MPI_C_FLOAT_COMPLEX) memcpy(at, (float[2]){(float)value, 1}, 8);
    if (of->type == MPI_C_DOUBLE_COMPLEX) memcpy(at, (double[2]){value, -1}, 16);
    if (of->type == MPI_LONG_INT) SET(long);
    if (of->type == MPI_2INT) SET(int);
    if (of->type == MPI_SHORT_INT) SET(short);
  } else {
    const int64_t wide = value; /* the machine has the low bytes first */
    memcpy(at, &wide, (size_t)of->bytes);
  }
#undef SET
}
static void set_values(choices* by, char* at, const plain* of, int count, bool is_bitwise) {
  for (int i = 0; i < count; ++i, at += of->bytes) {
    if (is_bitwise) {
      for (int k = 0; k < of->bytes; ++k) at[k] = (char)next(by);
      continue;
    }
    set_value(at, of,
              of->kind == BOOLEAN    ? below(by, 2)
              : of->kind == UNSIGNED ? between(by, 0, 2)
                                     : between(by, -2, 2));
    if (of->kind == PAIR) {
      const int index = below(by, 9);
      memcpy(at + of->index_at, &index, sizeof index);
    }
  }
}
/* The bytes that have a meaning. The sign of a complex product that is zero depends on the order of its factors. */
static uint64_t hash_of_values(const char* at, const plain* of, int count) {
  uint64_t made = 0;
  for (int i = 0; i < count; ++i, at += of->bytes) {
    float complex single;
    double complex twice;
    memcpy(&single, at, of->bytes < 8 ? 0 : sizeof single);
    memcpy(&twice, at, of->bytes < 16 ? 0 : sizeof twice);
    if (of->type == MPI_C_FLOAT_COMPLEX)
      made = mixed(made + (uint64_t)(int64_t)crealf(single) * 1000 + (uint64_t)(int64_t)cimagf(single));
    else if (of->type == MPI_C_DOUBLE_COMPLEX)
      made = mixed(made + (uint64_t)(int64_t)creal(twice) * 1000 + (uint64_t)(int64_t)cimag(twice));
    else
      made = mixed(made + hash_of(at, (size_t)of->of_value));
    if (of->kind == PAIR) made = mixed(made + hash_of(at + of->index_at, sizeof(int)));
  }
  return made;
}

/* ---- of the program: a matrix of two rows, or four sums ---- */

enum { MODULUS = 10007 };
RANK_OWN const typed* layout; /* of the elements of the reduction that goes on */

static int32_t* member(void* of, int element, int which) {
  return (int32_t*)((char*)of + element * layout->extent + layout->map[which].at);
}
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    int64_t a[4], b[4];
    for (int k = 0; k < 4; ++k) a[k] = *member(in, i, k), b[k] = *member(inout, i, k);
    for (int k = 0; k < 4; ++k)
      *member(inout, i, k) = (int32_t)((a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[2 + k % 2]) % MODULUS);
  }
}
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    for (int k = 0; k < 4; ++k) *member(inout, i, k) = (*member(inout, i, k) + *member(in, i, k)) % MODULUS;
}
static void set_matrices(choices* by, char* at, int count) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 4; ++k) *member(at, i, k) = below(by, MODULUS);
}

/* ---- any reduction ---- */

typedef struct {
  int kind, form, root, count, counts[MOST_RANKS]; /* of each rank */
  MPI_Count large_counts[MOST_RANKS];
  bool in_place;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;
} reduction;

static void call(choices* own, reduction* of, const void* from, void* into) {
  const MPI_Comm over = MPI_COMM_WORLD;
  const MPI_Datatype type = of->type;
  const MPI_Op op = of->op;
  const int n = of->count;
  MPI_Request* request = &of->request;
  const bool is_large = chance(own, 30);
  if (of->in_place && (of->kind != REDUCE || rank == of->root)) from = MPI_IN_PLACE;
  switch (of->kind) {
    case REDUCE:
      RUN(is_large, of->form, Reduce, Ireduce, (from, into, n, type, op, of->root, over),
          (from, into, n, type, op, of->root, over), request);
      break;
    case ALLREDUCE:
      RUN(is_large, of->form, Allreduce, Iallreduce, (from, into, n, type, op, over), (from, into, n, type, op, over),
          request);
      break;
    case SCAN:
      RUN(is_large, of->form, Scan, Iscan, (from, into, n, type, op, over), (from, into, n, type, op, over), request);
      break;
    case EXSCAN:
      RUN(is_large, of->form, Exscan, Iexscan, (from, into, n, type, op, over), (from, into, n, type, op, over),
          request);
      break;
    case REDUCE_SCATTER:
      RUN(is_large, of->form, Reduce_scatter, Ireduce_scatter, (from, into, of->counts, type, op, over),
          (from, into, of->large_counts, type, op, over), request);
      break;
    case REDUCE_SCATTER_BLOCK:
      RUN(is_large, of->form, Reduce_scatter_block, Ireduce_scatter_block, (from, into, of->counts[0], type, op, over),
          (from, into, of->large_counts[0], type, op, over), request);
      break;
    default: EITHER_FORM(own, MPI_Reduce_local, from, into, n, type, op); break;
  }
}
static void wait(reduction* of) {
  DO(MPI_Wait(&of->request, MPI_STATUS_IGNORE));
  if (of->request != MPI_REQUEST_NULL) DO(MPI_Request_free(&of->request));
}

static reduction random_reduction(choices* by) {
  reduction made = {
      .kind = below(by, KINDS), .form = below(by, FORMS), .root = below(by, size), .request = MPI_REQUEST_NULL};
  made.in_place = chance(by, 30) && made.kind != REDUCE_LOCAL;
  const int most = chance(by, 80) ? 6 : 700, block = between(by, 0, most);
  if (made.kind == REDUCE_SCATTER || made.kind == REDUCE_SCATTER_BLOCK) {
    for (int i = 0; i < size; ++i) {
      made.counts[i] = made.kind == REDUCE_SCATTER ? between(by, 0, most) : block;
      made.large_counts[i] = made.counts[i];
      made.count += made.counts[i];
    }
  } else {
    made.count = block;
  }
  return made;
}
/* How many elements of the result the standard says anything about; -1: nothing is written. */
static int results(const reduction* of) {
  if (of->kind == EXSCAN && rank == 0) return 0;
  if (of->kind == REDUCE && rank != of->root) return -1;
  return of->kind == REDUCE_SCATTER || of->kind == REDUCE_SCATTER_BLOCK ? of->counts[rank] : of->count;
}

static void say_result(const reduction* of, const char* what, int op, uint64_t hash) {
  static const char* const names[KINDS] = {"reduce", "allreduce", "scan", "exscan", "reduce_scatter", "block", "local"};
  say("%s form %d root %d in place %d: %d of %s, operator %d: %016llx", names[of->kind], of->form, of->root,
      of->in_place, of->count, what, op, (unsigned long long)hash);
}

static void predefined(choices* by, choices* own) {
  reduction all[3];
  plain types[3];
  char *from[3], *into[3];
  int ops[3];
  const int count = between(by, 1, 3);
  for (int i = 0; i < count; ++i) {
    bool is_bitwise;
    all[i] = random_reduction(by);
    types[i] = random_plain(by);
    all[i].type = types[i].type;
    all[i].op = random_operator(by, types[i].kind, &is_bitwise, &ops[i]);
    const size_t bytes = (size_t)(types[i].bytes * all[i].count) + 64;
    from[i] = aligned_alloc(64, up_to((MPI_Aint)bytes, 64));
    into[i] = aligned_alloc(64, up_to((MPI_Aint)bytes, 64));
    memset(into[i], 0x11, bytes);
    set_values(own, from[i], &types[i], all[i].count, is_bitwise);
    if (all[i].in_place || all[i].kind == REDUCE_LOCAL) set_values(own, into[i], &types[i], all[i].count, is_bitwise);
    call(own, &all[i], from[i], into[i]);
  }
  for (int i = count - 1; i >= 0; --i) wait(&all[i]);
  for (int i = 0; i < count; ++i) {
    const int known = results(&all[i]);
    const uint64_t tail = hash_of(into[i] + types[i].bytes * all[i].count, 64);
    say_result(&all[i], types[i].name, ops[i],
               hash_of_values(into[i], &types[i], known < 0 ? all[i].count : known) + tail);
    free(from[i]);
    free(into[i]);
  }
}

static void of_program(choices* by, choices* own) {
  reduction of = random_reduction(by);
  const bool is_commutative = chance(by, 40);
  const int integers[4] = {10, 10, 10, 10}; /* MPI_INT32_T */
  typed element = tile_of(by, integers, 4);
  int is_said = -1;
  layout = &element;
  DO(MPI_Type_commit(&element.type));
  of.type = element.type;
  DO(MPI_Op_create(is_commutative ? add : multiply, is_commutative, &of.op));
  DO(MPI_Op_commutative(of.op, &is_said));
  room from = room_for(&element, 0, of.count, (uint64_t)rank), into = room_for(&element, 0, of.count, 50);
  set_matrices(own, from.data, of.count);
  set_matrices(own, into.data, of.count);
  call(own, &of, from.data, into.data);
  wait(&of);
  const int known = results(&of);
  uint64_t made = 0;
  for (int i = 0; i < known; ++i)
    for (int k = 0; k < 4; ++k) made = mixed(made + (uint64_t)*member(into.data, i, k));
  /* In place a reduce-scatter may leave anything behind its result. */
  const bool is_whole = known < 0 || known == of.count || !of.in_place;
  say_result(&of, "matrices", is_said,
             made + (is_whole && (known != 0 || of.kind != EXSCAN) ? hash_of_room(&into) : 0));
  say("operands %016llx", (unsigned long long)hash_of_room(&from));
  DO(MPI_Op_free(&of.op));
  free_room(&from);
  free_room(&into);
  free_typed(&element);
}

static void program(void) {
  for (step = 1; step <= 6; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0), own = choices_of((uint64_t)step, (uint64_t)rank, 1);
    (chance(&by, 60) ? predefined : of_program)(&by, &own);
  }
  int value = 0, other = 0;
  choices by = choices_of(9, 9, 9);
  if (!chance(&by, 10)) return;
  FAILS(MPI_Reduce_local(&value, &other, 1, MPI_INT, MPI_OP_NULL));
  FAILS(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
  FAILS(MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
  FAILS(MPI_Reduce(&value, &other, 1, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD));
}
