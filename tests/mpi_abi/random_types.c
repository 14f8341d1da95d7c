/* Random nested datatypes of all constructors: their sizes, bounds, envelopes and contents, what of them is packed, and
 * what messages of a rank to itself carry. Parts may overlap, and counts be zero: these are sent, never received. */
#include "random_elements.h"

/* ---- any type ---- */

static typed random_type(choices* by, int depth);

/* An array of up to three dimensions that is distributed in all ways, as one process has it. */
static void random_distributed(choices* by, typed* made, const typed* part) {
  int sizes[3], kinds[3], arguments[3], processes[3], at[3], owned[3][16], count[3], all = 1, copies = 1;
  const int n = between(by, 1, 3);
  const bool in_c = chance(by, 50);
  for (int d = 0; d < n; ++d) {
    sizes[d] = between(by, 1, 7);
    processes[d] = between(by, 1, 3);
    arguments[d] = MPI_DISTRIBUTE_DFLT_DARG;
    const int kind = below(by, 3), given = chance(by, 50) ? between(by, 1, 4) : 0;
    const int least = (sizes[d] + processes[d] - 1) / processes[d];
    kinds[d] = kind == 0 ? MPI_DISTRIBUTE_NONE : kind == 1 ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
    if (kind == 0) processes[d] = 1;
    if (kind == 1 && given >= least) arguments[d] = given;
    if (kind == 2 && given > 0) arguments[d] = given;
    all *= processes[d];
    at[d] = below(by, processes[d]);
    const int block = kind == 0 ? sizes[d] : given > 0 && (kind == 2 || given >= least) ? given : kind == 1 ? least : 1;
    count[d] = 0;
    for (int i = 0; i < sizes[d]; ++i)
      if (kind == 0 || (kind == 1 ? i / block : i / block % processes[d]) == at[d]) owned[d][count[d]++] = i;
    copies *= count[d];
  }
  int process = 0;
  for (int d = 0; d < n; ++d) process = process * processes[d] + at[d];
  DO(MPI_Type_create_darray(all, process, n, sizes, kinds, arguments, processes, in_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                            part->type, &made->type));
  for (int k = 0; k < copies; ++k) {
    MPI_Aint element = 0, scale = 1;
    for (int i = 0, left = k; i < n; ++i) { /* the dimension that runs fastest comes first */
      const int d = in_c ? n - 1 - i : i;
      element += owned[d][left % count[d]] * scale;
      left /= count[d];
      scale *= sizes[d];
    }
    append(made, part, 1, element * part->extent);
  }
}

/* A part that is not empty: the standard does not say what the bounds of a type without entries are. */
static typed random_part(choices* by, int depth) {
  typed made = random_type(by, depth - 1);
  if (made.n > 0) return made;
  free_typed(&made);
  return typed_basic(below(by, BASICS));
}

/* A constructor over random parts; depth: how many are yet to come. */
static typed random_type(choices* by, int depth) {
  typed made = {0}, parts[4] = {{0}};
  if (depth == 0 || chance(by, 10)) return typed_basic(below(by, BASICS));
  typed part = random_part(by, depth);
  const int kind = below(by, 13), n = between(by, 0, 3), length = between(by, 0, 3), stride = between(by, -4, 5);
  const MPI_Aint unit = part.alignment;
  int lengths[4], shorts[4];
  MPI_Aint bytes[4];
  MPI_Datatype types[4];
  for (int i = 0; i < n; ++i) {
    lengths[i] = between(by, 0, 2);
    shorts[i] = between(by, -3, 6);
    bytes[i] = unit * between(by, -8, 12);
  }
  if (part.n * 12 > MOST_ENTRIES || part.last - part.first > 4096 || labs(part.extent) > 4096) return part;
  switch (kind) {
    case 0:
      EITHER_FORM(by, MPI_Type_contiguous, length, part.type, &made.type);
      append(&made, &part, length, 0);
      break;
    case 1:
      EITHER_FORM(by, MPI_Type_vector, n, length, stride, part.type, &made.type);
      for (int i = 0; i < n; ++i) append(&made, &part, length, i * stride * part.extent);
      break;
    case 2:
      EITHER_FORM(by, MPI_Type_create_hvector, n, length, stride * unit, part.type, &made.type);
      for (int i = 0; i < n; ++i) append(&made, &part, length, i * stride * unit);
      break;
    case 3:
      made.type = blocks_in_extents(by, n, lengths, shorts, part.type);
      for (int i = 0; i < n; ++i) append(&made, &part, lengths[i], shorts[i] * part.extent);
      break;
    case 4:
      made.type = blocks_in_bytes(by, n, lengths, bytes, &part.type, false);
      for (int i = 0; i < n; ++i) append(&made, &part, lengths[i], bytes[i]);
      break;
    case 5:
      DO(MPI_Type_create_indexed_block(n, length, shorts, part.type, &made.type));
      for (int i = 0; i < n; ++i) append(&made, &part, length, shorts[i] * part.extent);
      break;
    case 6:
      DO(MPI_Type_create_hindexed_block(n, length, bytes, part.type, &made.type));
      for (int i = 0; i < n; ++i) append(&made, &part, length, bytes[i]);
      break;
    case 7: {
      const MPI_Aint low = unit * between(by, -3, 3), extent = unit * between(by, -1, 9);
      EITHER_FORM(by, MPI_Type_create_resized, part.type, low, extent, &made.type);
      append(&made, &part, 1, 0);
      break;
    }
    case 8:
      DO(MPI_Type_dup(part.type, &made.type));
      append(&made, &part, 1, 0);
      break;
    case 9:
    case 10: /* a structure, the first part once more and others, which may have markers */
      for (int i = 0; i < n; ++i) {
        if (i > 0) parts[i] = random_part(by, chance(by, 50) ? 1 : depth);
        const typed* each = i == 0 ? &part : &parts[i];
        if (each->n > 80) lengths[i] = 0;
        bytes[i] = up_to(bytes[i], each->alignment);
        types[i] = each->type;
        append(&made, each, lengths[i], bytes[i]);
      }
      made.type = blocks_in_bytes(by, n, lengths, bytes, types, true);
      for (int i = 1; i < n; ++i) free_typed(&parts[i]);
      break;
    case 11:
      if (part.n > 8) return typed_copies(by, part, between(by, 1, 6));
      random_distributed(by, &made, &part);
      break;
    default: /* a subarray, and others */ return typed_copies(by, part, between(by, 1, 6));
  }
  free_typed(&part);
  measure(&made);
  /* How Open MPI pads a structure that begins below zero is not how the standard says. */
  if ((kind == 9 || kind == 10) && made.first < 0) resize(&made, made.first, up_to(made.last - made.first, 16), n == 1);
  return made;
}

/* ---- how it was made ---- */

static const char* combiner_name(int combiner) {
#define IS(name) \
  if (combiner == MPI_COMBINER_##name) return #name;
  IS(NAMED)
  IS(DUP)
  IS(CONTIGUOUS)
  IS(VECTOR)
  IS(HVECTOR)
  IS(INDEXED)
  IS(HINDEXED)
  IS(INDEXED_BLOCK)
  IS(HINDEXED_BLOCK)
  IS(STRUCT)
  IS(SUBARRAY)
  IS(DARRAY)
  IS(RESIZED)
#undef IS
  return "another";
}

/* Numbers in any order: with large counts some of them are in other arrays. */
static uint64_t sum_of(uint64_t sum, int64_t value) { return sum + mixed((uint64_t)value + 12345); }

/* Whether it is a predefined type. */
static bool say_contents(MPI_Datatype type, int depth) {
  int combiner = -1;
  uint64_t sum = 0;
  MPI_Datatype parts[MOST_ENTRIES];
#ifdef HAS_LARGE
  MPI_Count integers, addresses, counts, types;
  DO(MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner));
  if (combiner != MPI_COMBINER_NAMED) {
    int i[MOST_ENTRIES];
    MPI_Aint a[MOST_ENTRIES];
    MPI_Count c[MOST_ENTRIES];
    DO(MPI_Type_get_contents_c(type, integers, addresses, counts, types, i, a, c, parts));
    for (int k = 0; k < integers; ++k) sum = sum_of(sum, i[k]);
    for (int k = 0; k < addresses; ++k) sum = sum_of(sum, a[k]);
    for (int k = 0; k < counts; ++k) sum = sum_of(sum, c[k]);
  }
  const int numbers = (int)(integers + addresses + counts);
#else
  int integers, addresses, types;
  DO(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  if (combiner != MPI_COMBINER_NAMED) {
    int i[MOST_ENTRIES];
    MPI_Aint a[MOST_ENTRIES];
    DO(MPI_Type_get_contents(type, integers, addresses, types, i, a, parts));
    for (int k = 0; k < integers; ++k) sum = sum_of(sum, i[k]);
    for (int k = 0; k < addresses; ++k) sum = sum_of(sum, a[k]);
  }
  const int numbers = integers + addresses;
#endif
  if (combiner == MPI_COMBINER_NAMED) return true;
  say("%*s%s: %d numbers %016llx, %d types", depth, "", combiner_name(combiner), numbers,
      /* distributions, their default and orders are constants of the MPI */
      combiner == MPI_COMBINER_DARRAY || combiner == MPI_COMBINER_SUBARRAY ? 0 : (unsigned long long)sum, (int)types);
  for (int k = 0; k < types; ++k) {
    int bytes;
    MPI_Type_size(parts[k], &bytes);
    say("%*sof %d bytes", depth, "", bytes);
    if (!say_contents(parts[k], depth + 1)) DO(MPI_Type_free(&parts[k]));
  }
  return false;
}

/* ---- what it carries ---- */

/* To a type of the signature, which may have room for more elements than come. */
static void send_to_self(choices* by, const typed* type, const room* from, int count, const signature* carries) {
  signature whole = *carries;
  while (whole.n < MOST_ENTRIES && chance(by, 30)) whole.basics[whole.n++] = below(by, BASICS);
  elements to = elements_of(by, &whole);
  room into = room_for(&to.of, 0, to.count, 2);
  MPI_Status status;
  if (chance(by, 30) && type->n > 0) {
    MPI_Datatype at = absolute(type, from->data);
    DO(MPI_Sendrecv(MPI_BOTTOM, count, at, 0, 3, into.data, to.count, to.of.type, 0, 3, MPI_COMM_SELF, &status));
    DO(MPI_Type_free(&at));
  } else {
    EITHER_FORM(by, MPI_Sendrecv, from->data, count, type->type, 0, 3, into.data, to.count, to.of.type, 0, 3,
                MPI_COMM_SELF, &status);
  }
  say_status(&status, &to.of, carries->n);
  say_came(&into, 2, type, count, from, &to);
  free_room(&into);
  free_typed(&to.of);
}

/* An element of which a part comes: a pattern, many times, between others. */
static void receive_part(choices* by) {
  signature whole = random_signature(by, 6);
  const int pattern = between(by, 2, 4), times = between(by, 2, 6), first = whole.n;
  for (int i = 0; i < pattern * times; ++i)
    whole.basics[whole.n++] = i < pattern ? below(by, BASICS) : whole.basics[first + i % pattern];
  while (chance(by, 50)) whole.basics[whole.n++] = below(by, BASICS);
  signature sent = whole;
  sent.n = between(by, 0, whole.n);
  elements to = {tile_of(by, whole.basics, whole.n), 1}, from = elements_of(by, &sent);
  DO(MPI_Type_commit(&to.of.type));
  room there = room_for(&from.of, 0, from.count, 6), here = room_for(&to.of, 0, 1, 7);
  MPI_Status status;
  DO(MPI_Sendrecv(there.data, from.count, from.of.type, 0, 4, here.data, 1, to.of.type, 0, 4, MPI_COMM_SELF, &status));
  say_status(&status, &to.of, sent.n);
  say_came(&here, 7, &from.of, from.count, &there, &to);
  free_room(&there);
  free_room(&here);
  free_typed(&from.of);
  free_typed(&to.of);
}

static void pack(choices* by, const typed* type, const room* from, int count, const signature* carries) {
  int bytes, at = between(by, 0, 9), begin = at;
  elements to = elements_of(by, carries);
  room into = room_for(&to.of, 0, to.count, 3);
  DO(MPI_Pack_size(count, type->type, MPI_COMM_SELF, &bytes));
  char* packed = calloc(1, (size_t)bytes + 32);
  DO(MPI_Pack(from->data, count, type->type, packed, bytes + begin, &at, MPI_COMM_SELF));
  begin = at - begin; /* how many, which the standard leaves to the MPI */
  at -= begin;
  DO(MPI_Unpack(packed, begin + at, &at, into.data, to.count, to.of.type, MPI_COMM_SELF));
  say("unpacked: %016llx", (unsigned long long)hash_of_room(&into));
  free(packed);
  free_room(&into);
  free_typed(&to.of);
}

/* Types whose values external32 has as they are, but for the order of their bytes. */
static bool is_external(const signature* of) {
  for (int i = 0; i < of->n; ++i)
    if (of->basics[i] >= 19) return false;
  return true;
}

static void pack_external(choices* by, const typed* type, const room* from, int count, const signature* carries) {
  MPI_Aint bytes = -1, at = 0, begin = 0;
  DO(MPI_Pack_external_size("external32", count, type->type, &bytes));
  char* packed = calloc(1, (size_t)bytes + 32);
#ifdef HAS_LARGE
  MPI_Count far = 0;
  DO(MPI_Pack_external_c("external32", from->data, count, type->type, packed, bytes, &far));
  if (chance(by, 30)) {
    at = far;
  } else {
    memset(packed, 0, (size_t)bytes);
#else
  {
    (void)chance(by, 30);
#endif
    DO(MPI_Pack_external("external32", from->data, count, type->type, packed, bytes, &at));
  }
  say("external: %ld at %ld, %016llx", (long)bytes, (long)at, (unsigned long long)hash_of(packed, (size_t)at));
  elements to = elements_of(by, carries);
  room into = room_for(&to.of, 0, to.count, 4);
  DO(MPI_Unpack_external("external32", packed, at, &begin, into.data, to.count, to.of.type));
  say("from external: %016llx", (unsigned long long)hash_of_room(&into));
  free(packed);
  free_room(&into);
  free_typed(&to.of);
}

static void program(void) {
  choices by = choices_of((uint64_t)rank, 0, 0);
  for (step = 0; step < 6; ++step) {
    typed type = random_type(&by, between(&by, 1, 4));
    const int count = between(&by, 0, 3);
    int bytes;
    MPI_Aint first, span;
    MPI_Count large, low, high;
    DO(MPI_Type_commit(&type.type));
    DO(MPI_Type_size(type.type, &bytes));
    DO(MPI_Type_size_x(type.type, &large));
    DO(MPI_Type_get_true_extent(type.type, &first, &span));
    int in_all = 0;
    for (int i = 0; i < type.n; ++i) in_all += basic_bytes(type.map[i].basic);
    const bool is_right = bytes == in_all && (type.n == 0 || (first == type.first && first + span == type.last));
    say("size %d %lld%s", bytes, (long long)large, is_right ? "" : " unlike the typemap");
    DO(MPI_Type_get_extent_x(type.type, &low, &high));
    if (type.n > 0) say("bounds %ld %ld, %lld %lld", (long)type.lb, (long)type.extent, (long long)low, (long long)high);
    DO(MPI_Type_get_true_extent_x(type.type, &low, &high));
    if (type.n > 0) say("true %ld %ld, %lld %lld", (long)first, (long)span, (long long)low, (long long)high);
    say_contents(type.type, 0);
    signature carries = {0};
    for (int i = 0; i < count * type.n && carries.n < MOST_ENTRIES; ++i)
      carries.basics[carries.n++] = type.map[i % type.n].basic;
    if (carries.n == count * type.n) {
      room from = room_for(&type, 0, count, 1);
      send_to_self(&by, &type, &from, count, &carries);
      pack(&by, &type, &from, count, &carries);
      if (is_external(&carries) && carries.n > 0) pack_external(&by, &type, &from, count, &carries);
      free_room(&from);
    }
    free_typed(&type);
    receive_part(&by);
  }
}
