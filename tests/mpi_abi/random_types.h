/* Datatypes for random programs, each with its typemap: the basic types that it consists of, in order, and where they
 * lie. */
#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H

#include "random.h"

/* ---- basic types; not long double, which some MPIs copy without its padding ---- */

enum { BASICS = 24, MOST_ENTRIES = 400, MOST_SPAN = 1 << 15 };

USABLE MPI_Datatype basic_type(int basic) {
  const MPI_Datatype types[BASICS] = {
      MPI_CHAR,      MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE,          MPI_SHORT,           MPI_UNSIGNED_SHORT,
      MPI_INT,       MPI_UNSIGNED,    MPI_INT8_T,        MPI_INT16_T,       MPI_INT32_T,         MPI_INT64_T,
      MPI_UINT8_T,   MPI_UINT16_T,    MPI_UINT32_T,      MPI_UINT64_T,      MPI_FLOAT,           MPI_DOUBLE,
      MPI_LONG_LONG, MPI_C_BOOL,      MPI_LONG,          MPI_UNSIGNED_LONG, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX};
  return types[basic];
}
USABLE int basic_bytes(int basic) {
  static const int bytes[BASICS] = {1, 1, 1, 1, 2, 2, 4, 4, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 1, 8, 8, 8, 16};
  return bytes[basic];
}
USABLE int basic_alignment(int basic) { return basic >= 22 ? basic_bytes(basic) / 2 : basic_bytes(basic); }

/* ---- types ---- */

typedef struct {
  int basic;
  MPI_Aint at;
} entry;

typedef struct {
  MPI_Datatype type;
  int n; /* of its typemap */
  entry* map;
  int alignment;        /* of all that is in it; distances are multiples of it */
  MPI_Aint lb, extent;  /* as the MPI says */
  MPI_Aint first, last; /* of its bytes: the true lower and upper bound */
  bool is_named;        /* not to be freed */
} typed;

USABLE void measure(typed* of) {
  DO(MPI_Type_get_extent(of->type, &of->lb, &of->extent));
  of->first = of->last = 0;
  of->alignment = 1;
  for (int i = 0; i < of->n; ++i) {
    const MPI_Aint at = of->map[i].at, end = at + basic_bytes(of->map[i].basic);
    if (i == 0 || at < of->first) of->first = at;
    if (i == 0 || end > of->last) of->last = end;
    if (basic_alignment(of->map[i].basic) > of->alignment) of->alignment = basic_alignment(of->map[i].basic);
  }
}
USABLE typed typed_basic(int basic) {
  typed made = {.type = basic_type(basic), .n = 1, .map = malloc(sizeof(entry)), .is_named = true};
  made.map[0] = (entry){basic, 0};
  measure(&made);
  return made;
}
USABLE void free_typed(typed* of) {
  if (!of->is_named) DO(MPI_Type_free(&of->type));
  free(of->map);
  of->map = NULL;
}
/* Copies of a part, at a distance from each other, behind what the typemap has. */
USABLE void append(typed* to, const typed* part, int copies, MPI_Aint at) {
  to->map = realloc(to->map, sizeof(entry) * (size_t)(to->n + copies * part->n + 1));
  for (int i = 0; i < copies; ++i)
    for (int k = 0; k < part->n; ++k)
      to->map[to->n++] = (entry){part->map[k].basic, at + i * part->extent + part->map[k].at};
}
USABLE MPI_Aint up_to(MPI_Aint value, MPI_Aint multiple) {
  const MPI_Aint over = ((value % multiple) + multiple) % multiple;
  return over == 0 ? value : value + multiple - over;
}
/* The type with other bounds, in place of it. */
USABLE void resize(typed* of, MPI_Aint lb, MPI_Aint extent, __attribute__((unused)) bool large) {
  typed made = *of;
#ifdef HAS_LARGE
  if (large)
    DO(MPI_Type_create_resized_c(of->type, lb, extent, &made.type));
  else
#endif
    DO(MPI_Type_create_resized(of->type, lb, extent, &made.type));
  if (!of->is_named) DO(MPI_Type_free(&of->type));
  made.is_named = false;
  measure(&made);
  *of = made;
}
/* Copies side by side do not overlap. */
USABLE bool is_tile(const typed* of) {
  return of->extent >= of->last - of->first && of->extent > 0 && of->extent % of->alignment == 0;
}
USABLE void make_tile(choices* by, typed* of, bool is_padded) {
  /* The choices do not depend on what an MPI takes for the extent. */
  const bool always = chance(by, 8) || is_padded;
  const int before = between(by, 0, 3), behind = between(by, 0, 2);
  if (always || !is_tile(of)) {
    const MPI_Aint lb = of->first - of->alignment * before;
    resize(of, lb, up_to(of->last - lb + of->alignment * behind, of->alignment), before == 1);
  }
}
USABLE void make_duplicate(typed* of) {
  MPI_Datatype made;
  DO(MPI_Type_dup(of->type, &made));
  if (!of->is_named) DO(MPI_Type_free(&of->type));
  of->type = made;
  of->is_named = false;
}

/* ---- constructors with arrays of lengths and distances, in either form ---- */

#ifdef HAS_LARGE
USABLE void counts_of(MPI_Count* to, const int* of, int n) {
  for (int i = 0; i < n; ++i) to[i] = of[i];
}
USABLE void counts_of_bytes(MPI_Count* to, const MPI_Aint* of, int n) {
  for (int i = 0; i < n; ++i) to[i] = of[i];
}
#endif
/* Displacements in bytes; of one type, or of one type each. */
USABLE MPI_Datatype blocks_in_bytes(choices* by, int n, const int* lengths, const MPI_Aint* bytes,
                                    const MPI_Datatype* types, bool is_struct) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
#ifdef HAS_LARGE
  if (chance(by, 30)) {
    MPI_Count many[MOST_ENTRIES], at[MOST_ENTRIES];
    counts_of(many, lengths, n);
    counts_of_bytes(at, bytes, n);
    if (is_struct)
      DO(MPI_Type_create_struct_c(n, many, at, types, &made));
    else
      DO(MPI_Type_create_hindexed_c(n, many, at, *types, &made));
    return made;
  }
#else
  (void)chance(by, 30);
#endif
  if (is_struct)
    DO(MPI_Type_create_struct(n, lengths, bytes, types, &made));
  else
    DO(MPI_Type_create_hindexed(n, lengths, bytes, *types, &made));
  return made;
}
/* Displacements in extents. */
USABLE MPI_Datatype blocks_in_extents(choices* by, int n, const int* lengths, const int* at, MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
#ifdef HAS_LARGE
  if (chance(by, 30)) {
    MPI_Count many[MOST_ENTRIES], far[MOST_ENTRIES];
    counts_of(many, lengths, n);
    counts_of(far, at, n);
    DO(MPI_Type_indexed_c(n, many, far, type, &made));
    return made;
  }
#else
  (void)chance(by, 30);
#endif
  DO(MPI_Type_indexed(n, lengths, at, type, &made));
  return made;
}

/* ---- constructors of copies of one part; copies lie at the given distances ---- */

typedef struct {
  int n, lengths[MOST_ENTRIES];
  MPI_Aint at[MOST_ENTRIES]; /* in bytes */
} places;

/* n blocks in all, at distances in extents, in no order, without overlap. */
USABLE places apart(choices* by, const typed* part, int copies) {
  places made = {0};
  int order[MOST_ENTRIES], left = copies;
  MPI_Aint at = part->extent * between(by, -2, 2);
  while (left > 0 || (made.n < 3 && chance(by, 10))) {
    const int length = left == 0 || chance(by, 8) ? 0 : between(by, 1, left < 4 ? left : 4);
    made.lengths[made.n++] = length;
    left -= length;
  }
  shuffled(by, order, made.n);
  for (int i = 0; i < made.n; ++i) {
    made.at[order[i]] = at;
    at += part->extent * (made.lengths[order[i]] + (chance(by, 50) ? 0 : between(by, 0, 3)));
  }
  return made;
}

/* A type of one subarray of `copies` elements, if that is a product of up to three sides. */
USABLE void subarray_of(choices* by, typed* made, const typed* part, int copies) {
  int sides[3], sizes[3], starts[3], left = copies, n = between(by, 1, 3);
  for (int i = 0; i < n; ++i) {
    sides[i] = left;
    if (i < n - 1) do
        sides[i] = between(by, 1, left);
      while (left % sides[i] != 0);
    left /= sides[i];
    sizes[i] = sides[i] + between(by, 0, 2);
    starts[i] = between(by, 0, sizes[i] - sides[i]);
  }
  const bool in_c = chance(by, 50);
  DO(MPI_Type_create_subarray(n, sizes, sides, starts, in_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part->type,
                              &made->type));
  int at[3] = {0};
  for (int k = 0; k < copies; ++k) {
    MPI_Aint element = 0;
    for (int i = 0; i < n; ++i) {
      const int dimension = in_c ? i : n - 1 - i;
      element = element * sizes[dimension] + starts[dimension] + at[dimension];
    }
    append(made, part, 1, element * part->extent);
    for (int i = 0; i < n; ++i) {
      const int dimension = in_c ? n - 1 - i : i;
      if (++at[dimension] < sides[dimension]) break;
      at[dimension] = 0;
    }
  }
}

/* A distributed array, one dimension, of which one process has as many elements as there are copies. */
USABLE void distributed_of(choices* by, typed* made, const typed* part, int copies) {
  const int processes = between(by, 1, 3), process = below(by, processes), whole = copies * processes;
  int block = 1, distribution = MPI_DISTRIBUTE_BLOCK, argument = MPI_DISTRIBUTE_DFLT_DARG;
  if (chance(by, 60)) {
    do block = between(by, 1, copies);
    while (copies % block != 0);
    distribution = MPI_DISTRIBUTE_CYCLIC;
    if (block != 1 || chance(by, 50)) argument = block;
  } else {
    block = copies;
  }
  DO(MPI_Type_create_darray(processes, process, 1, &whole, &distribution, &argument, &processes,
                            chance(by, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part->type, &made->type));
  for (int k = 0; k < copies; ++k)
    append(made, part, 1,
           ((MPI_Aint)(k / block) * processes * block + (MPI_Aint)process * block + k % block) * part->extent);
}

/* A type of so many copies of a part, apart from each other where the part is a tile; takes the part. */
USABLE typed typed_copies(choices* by, typed part, int copies) {
  typed made = {0};
  const places to = apart(by, &part, copies);
  int shorts[MOST_ENTRIES];
  for (int i = 0; i < to.n; ++i) shorts[i] = (int)(part.extent == 0 ? 0 : to.at[i] / part.extent);
  int kind = below(by, 8), divisor = 1;
  switch (kind) {
    case 0:
      EITHER_FORM(by, MPI_Type_contiguous, copies, part.type, &made.type);
      append(&made, &part, copies, 0);
      break;
    case 1:
    case 2: {
      if (copies > 0) do
          divisor = between(by, 1, copies);
        while (copies % divisor != 0);
      const int blocks = copies / divisor;
      const MPI_Aint stride = (divisor + between(by, 0, 3)) * (chance(by, 25) ? -1 : 1);
      if (kind == 1)
        EITHER_FORM(by, MPI_Type_vector, blocks, divisor, (int)stride, part.type, &made.type);
      else
        EITHER_FORM(by, MPI_Type_create_hvector, blocks, divisor, stride * part.extent, part.type, &made.type);
      for (int i = 0; i < blocks; ++i) append(&made, &part, divisor, i * stride * part.extent);
      break;
    }
    case 3:
    case 4: {
      if (kind == 3)
        made.type = blocks_in_extents(by, to.n, to.lengths, shorts, part.type);
      else
        made.type = blocks_in_bytes(by, to.n, to.lengths, to.at, &part.type, false);
      for (int i = 0; i < to.n; ++i) append(&made, &part, to.lengths[i], to.at[i]);
      break;
    }
    case 5: {
      int order[MOST_ENTRIES];
      MPI_Aint bytes[MOST_ENTRIES];
      shuffled(by, order, copies);
      for (int i = 0; i < copies; ++i) bytes[i] = (order[i] = 2 * order[i] - 1) * part.extent;
      if (chance(by, 50))
        DO(MPI_Type_create_indexed_block(copies, 1, order, part.type, &made.type));
      else
        DO(MPI_Type_create_hindexed_block(copies, 1, bytes, part.type, &made.type));
      for (int i = 0; i < copies; ++i) append(&made, &part, 1, bytes[i]);
      break;
    }
    default:
      if (copies == 0) {
        DO(MPI_Type_contiguous(0, part.type, &made.type));
      } else if (kind == 6) {
        subarray_of(by, &made, &part, copies);
      } else {
        distributed_of(by, &made, &part, copies);
      }
  }
  free_typed(&part);
  measure(&made);
  return made;
}

#endif
