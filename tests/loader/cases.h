/* For programs of named cases, each about something that a rank has for itself: what a case writes is looked at when
   every rank has written its own.

   Nothing here is a variable of the program: where the ranks share those, it has to tell the truth all the same. */
#ifndef CASES_H
#define CASES_H

#ifndef OF_PURE_H
#include <mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define NONE nullptr
#else
#define NONE NULL
#endif

/* What has to fail, so that the case is known to look: */
enum kind {
  PRIVATE, /* where the ranks are threads that share the program's variables */
  THREAD,  /* there, if the thread-local variables are common ones (-D__thread=) */
  COMMON   /* where every rank is told the number of another one before it looks */
};

/* A part of a case gives what is not so, or NONE. */
typedef const char* (*part)(int me);
struct named_case {
  const char* name;
  enum kind kind;
  part set, get;
};
#define CASE(name, kind) \
  { #name, kind, set_##name, get_##name }
#define SET(name) static const char* set_##name(int me)
#define GET(name) static const char* get_##name(int me)
#define EXPECT(is)         \
  do {                     \
    if (!(is)) return #is; \
  } while (0)
#define WORTH(number) ((number)*7 + 3)
/* The usual case: the variable has that value at first, and what its rank has written. */
#define VARIABLE(name, variable, first) \
  SET(name) {                           \
    EXPECT((variable) == (first));      \
    (variable) = WORTH(me);             \
    return NONE;                        \
  }                                     \
  GET(name) {                           \
    EXPECT((variable) == WORTH(me));    \
    return NONE;                        \
  }

static inline int is_text(const char* text, const char* expected) {
  return text != NONE && strcmp(text, expected) == 0;
}
#ifdef OF_PURE_H /* programs of pure.h, by way of of_pure_h.cpp */
enum { SINGLE = 0, SERIALIZED = 0 };
#ifdef __cplusplus
extern "C" {
#endif
int rank_here(void);
int ranks_here(void);
void wait_for_all(void);
#ifdef __cplusplus
}
#endif
static inline void begin_rank(int* argc, char*** argv, int threads) { (void)argc, (void)argv, (void)threads; }
static inline void end_rank(void) {}
#else
enum { SINGLE = MPI_THREAD_SINGLE, SERIALIZED = MPI_THREAD_SERIALIZED };
static inline int rank_here(void) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static inline int ranks_here(void) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}
static inline void wait_for_all(void) { MPI_Barrier(MPI_COMM_WORLD); }
static inline void begin_rank(int* argc, char*** argv, int threads) { MPI_Init_thread(argc, argv, threads, &threads); }
static inline void end_rank(void) { MPI_Finalize(); }
#endif

/* Ranks that share variables take turns, as what is not made for two threads at a time crashes. */
static inline const char* in_turn(part one, int me, int rank, int size, int is_in_turn) {
  const char* what = NONE;
  int turn;
  for (turn = 0; turn < (is_in_turn ? size : 1); ++turn) {
    if (!is_in_turn || turn == rank) what = one(me);
    wait_for_all();
  }
  return what;
}
static inline int wrong_in(const struct named_case* c, const char* what, int rank) {
  if (what == NONE) return 0;
  printf("WRONG %s: rank %d: %s\n", c->name, rank, what);
  return 1;
}

/* Arguments: "list" tells which cases there are, "control" has each rank look for what another one has written,
   "shared" is for where they share variables. */
static int run_cases(int argc, char** argv, const struct named_case* cases, int count, int threads) {
  const char* const kinds[] = {"PRIVATE", "THREAD", "COMMON"};
  const int is_control = argc > 1 && strcmp(argv[1], "control") == 0;
  const int is_in_turn = argc > 1 && strcmp(argv[1], "shared") == 0;
  int i, rank, size, wrong = 0;
  if (argc > 1 && strcmp(argv[1], "list") == 0) {
    for (i = 0; i < count; ++i) printf("%s %s\n", kinds[cases[i].kind], cases[i].name);
    return 0;
  }
  begin_rank(&argc, &argv, threads);
  rank = rank_here();
  size = ranks_here();
  for (i = 0; i < count; ++i) {
    const char* const set = in_turn(cases[i].set, rank, rank, size, is_in_turn);
    const char* const got = in_turn(cases[i].get, rank + is_control, rank, size, is_in_turn);
    wrong += wrong_in(&cases[i], set != NONE ? set : got, rank);
  }
  printf("rank %d of %d: %d cases, %d wrong\n", rank, size, count, wrong);
  end_rank();
  return 0;
}
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define RUN_CASES_WITH(argc, argv, cases, threads) run_cases(argc, argv, cases, COUNT_OF(cases), threads)
#define RUN_CASES(argc, argv, cases) RUN_CASES_WITH(argc, argv, cases, SINGLE)

#endif
