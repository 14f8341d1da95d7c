/* Signatures for random programs: types that carry one, in any order of places, and the memory that they lie in. */
#ifndef RANDOM_ELEMENTS_H
#define RANDOM_ELEMENTS_H

#include "random_types.h"

/* ---- types of a signature ---- */

/* A signature: basic types, some of them in a pattern. */
typedef struct {
  int n, basics[MOST_ENTRIES];
} signature;

USABLE signature random_signature(choices* by, int most) {
  signature made = {0};
  const int pattern = between(by, 1, 4), times = between(by, 1, 8);
  int of[4];
  for (int i = 0; i < 4; ++i) of[i] = below(by, BASICS);
  for (int i = 0; i < times * pattern && made.n < most; ++i) made.basics[made.n++] = of[i % pattern];
  while (made.n < most && chance(by, 40)) made.basics[made.n++] = below(by, BASICS);
  return made;
}
USABLE signature repeated(const signature* of, int times) {
  signature made = {0};
  for (int i = 0; i < times * of->n; ++i) made.basics[made.n++] = of->basics[i % of->n];
  return made;
}
USABLE bool has_period(const int* basics, int n, int period) {
  if (n % period != 0) return false;
  for (int i = period; i < n; ++i)
    if (basics[i] != basics[i - period]) return false;
  return true;
}

/* A tile whose typemap has these basic types in this order; not committed. */
USABLE typed tile_of(choices* by, const int* basics, int n) {
  typed made = {0};
  bool is_padded = false; /* as the MPI's compiler aligns structures, which the standard leaves open */
  if (n == 1) {
    made = typed_basic(basics[0]);
  } else {
    int period = 1;
    while (!has_period(basics, n, period)) ++period;
    if (period < n && chance(by, 80)) {
      made = typed_copies(by, tile_of(by, basics, period), n / period);
    } else { /* a structure of parts, in some order of places */
      typed parts[3];
      const int count = n == 2 ? 2 : between(by, 2, 3), *from = basics;
      int order[3], lengths[3] = {1, 1, 1};
      MPI_Datatype types[3] = {0};
      MPI_Aint at = 8 * between(by, -4, 4), bytes[3] = {0};
      for (int i = 0; i < count; ++i) {
        const int left = n - (int)(from - basics),
                  length = i == count - 1 ? left : between(by, 1, left - (count - 1 - i));
        parts[i] = tile_of(by, from, length);
        types[i] = parts[i].type;
        from += length;
      }
      shuffled(by, order, count);
      for (int i = 0; i < count; ++i) {
        const typed* part = &parts[order[i]];
        bytes[order[i]] = up_to(at - part->first, part->alignment);
        at = bytes[order[i]] + part->last + (chance(by, 50) ? 0 : between(by, 0, 24));
      }
      made.type = blocks_in_bytes(by, count, lengths, bytes, types, true);
      for (int i = 0; i < count; ++i) {
        append(&made, &parts[i], 1, bytes[i]);
        free_typed(&parts[i]);
      }
      measure(&made);
      is_padded = true;
    }
  }
  make_tile(by, &made, is_padded);
  if (chance(by, 5)) make_duplicate(&made);
  return made;
}

/* How a rank has a signature: some elements of a type, committed. */
typedef struct {
  typed of;
  int count;
} elements;

USABLE elements elements_of(choices* by, const signature* of) {
  elements made = {.count = 0};
  if (of->n == 0) {
    made.of = typed_basic(0);
    return made;
  }
  int period = between(by, 1, of->n);
  if (chance(by, 40)) period = 1;
  while (!has_period(of->basics, of->n, period)) ++period;
  made.count = of->n / period;
  made.of = tile_of(by, of->basics, period);
  DO(MPI_Type_commit(&made.of.type));
  return made;
}

/* ---- buffers ---- */

enum { MARGIN = 32 };
/* The bytes that elements lie in, with a margin, all of them filled. */
typedef struct {
  char *whole, *data;
  size_t bytes;
} room;

USABLE void fill(void* bytes, size_t count, uint64_t salt) {
  choices by = {mixed(salt + 99) ^ (uint64_t)seed};
  unsigned char* to = bytes;
  for (size_t i = 0; i < count; ++i) to[i] = (unsigned char)next(&by);
}
/* For elements from one number to another, in extents. */
USABLE room room_for(const typed* of, MPI_Aint first, MPI_Aint count, uint64_t salt) {
  MPI_Aint low = 0, high = 0;
  if (count > 0) {
    const MPI_Aint a = first * of->extent, b = (first + count - 1) * of->extent;
    low = (a < b ? a : b) + of->first;
    high = (a < b ? b : a) + of->last;
  }
  room made = {.bytes = (size_t)(up_to(high - low, 16) + 2 * MARGIN + 16)};
  made.whole = aligned_alloc(64, (size_t)up_to((MPI_Aint)made.bytes, 64));
  made.data = made.whole + up_to(MARGIN - low, 16);
  fill(made.whole, made.bytes, salt);
  return made;
}
/* What a message does, by the typemaps: `count` elements into as many basic elements of the other type. */
USABLE void carry(const typed* of, int count, const char* from, const typed* as, char* to) {
  for (int i = 0; i < count * of->n; ++i) {
    const entry a = of->map[i % of->n], b = as->map[i % as->n];
    memcpy(to + i / as->n * as->extent + b.at, from + i / of->n * of->extent + a.at, (size_t)basic_bytes(a.basic));
  }
}
USABLE void free_room(room* of) { free(of->whole); }
USABLE uint64_t hash_of_room(const room* of) { return hash_of(of->whole, of->bytes); }

/* Of a receive that has taken so many basic elements. */
USABLE void say_status(const MPI_Status* status, const typed* type, int come) {
  int count = -7, entries = -7;
  MPI_Count large = -7;
  DO(MPI_Get_count(status, type->type, &count));
  /* Of types with empty blocks MPICH's divide by zero. */
  entries = come;
  large = come;
  if (!OF_MPICH) {
    DO(MPI_Get_elements(status, type->type, &entries));
    DO(MPI_Get_elements_x(status, type->type, &large));
  }
  say("status: from %d tag %d, count %d elements %d %lld", status->MPI_SOURCE, status->MPI_TAG,
      count == MPI_UNDEFINED ? -1 : count, entries == MPI_UNDEFINED ? -1 : entries,
      large == MPI_UNDEFINED ? -1LL : (long long)large);
}

/* What has come to memory that was filled with that salt, and whether it is what the typemaps of both ends say. */
USABLE void say_came(const room* at, uint64_t salt, const typed* sent, int count, const room* from,
                     const elements* to) {
  room expected = room_for(&to->of, 0, to->count, salt);
  carry(sent, count, from->data, &to->of, expected.data);
  say("came: %016llx %zu%s", (unsigned long long)hash_of_room(at), at->bytes,
      memcmp(at->whole, expected.whole, at->bytes) == 0 ? "" : " unlike the typemaps");
  free_room(&expected);
}

/* The elements by their absolute addresses: a type to be used with MPI_BOTTOM. */
USABLE MPI_Datatype absolute(const typed* of, void* data) {
  MPI_Datatype made;
  MPI_Aint at;
  const int one = 1;
  DO(MPI_Get_address(data, &at));
  DO(MPI_Type_create_hindexed(1, &one, &at, of->type, &made));
  DO(MPI_Type_commit(&made));
  return made;
}

#endif
