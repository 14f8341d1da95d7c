/* The forms of a collective for random programs: blocking, nonblocking, persistent; each with int and with MPI_Count.
 */
#ifndef RANDOM_FORMS_H
#define RANDOM_FORMS_H

#include "random_elements.h"

enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

#define UNWRAPPED(...) __VA_ARGS__

#ifdef HAS_PERSISTENT
#define RUN_PERSISTENT(name, arguments, request)                          \
  do {                                                                    \
    DO(MPI_##name##_init(UNWRAPPED arguments, MPI_INFO_NULL, (request))); \
    DO(MPI_Start(request));                                               \
  } while (0)
#endif
#ifdef HAS_LARGE
#define RUN_PERSISTENT_LARGE(name, arguments, request)                      \
  do {                                                                      \
    DO(MPI_##name##_init_c(UNWRAPPED arguments, MPI_INFO_NULL, (request))); \
    DO(MPI_Start(request));                                                 \
  } while (0)
#define RUN_LARGE(form, name, iname, arguments, request)   \
  do {                                                     \
    if ((form) == BLOCKING)                                \
      DO(MPI_##name##_c arguments);                        \
    else if ((form) == NONBLOCKING)                        \
      DO(MPI_##iname##_c(UNWRAPPED arguments, (request))); \
    else                                                   \
      RUN_PERSISTENT_LARGE(name, arguments, request);      \
  } while (0)
#else
#define RUN_LARGE(form, name, iname, arguments, request)
#endif
#ifndef HAS_PERSISTENT
#define RUN_PERSISTENT(name, arguments, request) DO(MPI_##name arguments)
#endif

/* A collective in the form; after it `request` is null, or goes on. An MPI without persistent ones calls the blocking
 * one, without large ones the other. Large or not is each rank's own choice. */
#define RUN(large, form, name, iname, arguments, large_arguments, request) \
  do {                                                                     \
    if ((large) && LARGE_IS_THERE) {                                       \
      RUN_LARGE(form, name, iname, large_arguments, request);              \
    } else if ((form) == BLOCKING) {                                       \
      DO(MPI_##name arguments);                                            \
    } else if ((form) == NONBLOCKING) {                                    \
      DO(MPI_##iname(UNWRAPPED arguments, (request)));                     \
    } else {                                                               \
      RUN_PERSISTENT(name, arguments, request);                            \
    }                                                                      \
  } while (0)
#ifdef HAS_LARGE
enum { LARGE_IS_THERE = 1 };
#else
enum { LARGE_IS_THERE = 0 };
#endif

enum { MOST_RANKS = 16 };
/* Counts and displacements, in both widths. */
typedef struct {
  int counts[MOST_RANKS], at[MOST_RANKS];
  MPI_Count large_counts[MOST_RANKS];
  MPI_Aint large_at[MOST_RANKS];
} blocks;

USABLE void widen(blocks* of, int n) {
  for (int i = 0; i < n; ++i) {
    of->large_counts[i] = of->counts[i];
    of->large_at[i] = of->at[i];
  }
}
/* Room for them in some order, with gaps. Returns how far they reach, from -2 on. */
USABLE int spread_out(choices* by, blocks* of, int n) {
  int order[MOST_RANKS], at = between(by, -2, 2);
  shuffled(by, order, n);
  for (int i = 0; i < n; ++i) {
    of->at[order[i]] = at;
    at += of->counts[order[i]] + (chance(by, 50) ? 0 : between(by, 0, 2));
  }
  widen(of, n);
  return at;
}

#endif
