/* Random programs of MPI calls. A seed decides the whole program, in every rank alike; what the standard determines of
 * its outcome is said, line by line, into a file of each rank. Under two MPIs these files are equal: random_programs.py
 * runs them, and compares. Nothing that the standard leaves open may be said.
 *
 * The variables of a rank are thread-local, so that ranks may be threads. */
#ifndef RANDOM_H
#define RANDOM_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whose faults are kept out of the way; the other judges see Pure. */
#ifdef MPICH_VERSION
enum { OF_MPICH = 1, OF_OPENMPI = 0 };
#elif defined OMPI_MAJOR_VERSION
enum { OF_MPICH = 0, OF_OPENMPI = 1 };
#else
enum { OF_MPICH = 0, OF_OPENMPI = 0 };
#endif

#define RANK_OWN static _Thread_local
#define USABLE static __attribute__((unused))

/* What MPIs of today have beyond the version that they say. */
#if MPI_VERSION >= 4
#define HAS_LARGE 1 /* the _c forms */
#endif
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define HAS_PERSISTENT 1 /* persistent collectives, MPI_Isendrecv */
#endif

RANK_OWN int rank, size;
RANK_OWN long seed;
RANK_OWN int step; /* of the seed's program; in each line */
RANK_OWN FILE* out;

/* ---- choices ---- */

typedef struct {
  uint64_t state;
} choices;

USABLE uint64_t mixed(uint64_t of) {
  of = (of ^ (of >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  of = (of ^ (of >> 27)) * UINT64_C(0x94d049bb133111eb);
  return of ^ (of >> 31);
}
USABLE uint64_t next(choices* by) { return mixed(by->state += UINT64_C(0x9e3779b97f4a7c15)); }
/* Below n. */
USABLE int below(choices* by, int n) { return (int)(next(by) % (uint64_t)n); }
/* From first to last. */
USABLE int between(choices* by, int first, int last) { return first + below(by, last - first + 1); }
USABLE bool chance(choices* by, int percent) { return below(by, 100) < percent; }
/* Choices that any rank can make again: of this seed, and of three numbers. */
USABLE choices choices_of(uint64_t a, uint64_t b, uint64_t c) {
  choices made = {mixed((uint64_t)seed * 977 + 1) ^ mixed(a * 31 + 7) ^ mixed(b * 131 + 77) ^ mixed(c * 1031 + 777)};
  next(&made);
  return made;
}
/* The numbers 0 to n - 1 in some order. */
USABLE void shuffled(choices* by, int* to, int n) {
  for (int i = 0; i < n; ++i) {
    const int j = below(by, i + 1);
    to[i] = to[j];
    to[j] = i;
  }
}

/* ---- what is said ---- */

USABLE __attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(out, "%ld.%d ", seed, step);
  vfprintf(out, format, values);
  fputc('\n', out);
  fflush(out); /* a crash leaves what was said before it */
  va_end(values);
}

USABLE uint64_t hash_of(const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  uint64_t made = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; ++i) made = (made ^ at[i]) * UINT64_C(0x100000001b3);
  return mixed(made);
}

USABLE const char* class_name(int code) {
  static const struct {
    int class;
    const char* name;
  } names[] = {
#define NAMED(name) {MPI_ERR_##name, #name}
      {MPI_SUCCESS, "SUCCESS"},
      NAMED(BUFFER),
      NAMED(COUNT),
      NAMED(TYPE),
      NAMED(TAG),
      NAMED(COMM),
      NAMED(RANK),
      NAMED(ROOT),
      NAMED(GROUP),
      NAMED(OP),
      NAMED(TOPOLOGY),
      NAMED(DIMS),
      NAMED(ARG),
      NAMED(WIN),
      NAMED(TRUNCATE),
      NAMED(REQUEST),
      NAMED(DISP),
      NAMED(SIZE),
      NAMED(LOCKTYPE),
      NAMED(ASSERT),
      NAMED(INFO),
      NAMED(INFO_KEY),
      NAMED(KEYVAL),
      NAMED(RMA_SYNC),
      NAMED(RMA_RANGE),
      NAMED(BASE),
      NAMED(IN_STATUS),
      NAMED(RMA_ATTACH),
      NAMED(PENDING),
      NAMED(OTHER),
      NAMED(INTERN),
      NAMED(UNKNOWN)};
#undef NAMED
  int class = -1;
  MPI_Error_class(code, &class);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i].class == class) return names[i].name;
  return "of another class";
}

USABLE void said_of(const char* call, int line, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  for (char* at = text; *at != 0; ++at)
    if (*at == '\n') *at = ' ';
  say("line %d: %.60s: error %s: %.160s", line, call, class_name(code), text);
}
/* A call that goes well; if not, then the line that says so tells the MPIs apart. */
#define DO(call) said_of(#call, __LINE__, (call))
/* A call whose error the standard determines. */
#define FAILS(call) say("%.40s: %s", #call, class_name(call))

/* A form with MPI_Count where there is one and the choice falls on it; both do the same. */
#ifdef HAS_LARGE
#define EITHER_FORM(by, call, ...) \
  do {                             \
    if (chance(by, 30))            \
      DO(call##_c(__VA_ARGS__));   \
    else                           \
      DO(call(__VA_ARGS__));       \
  } while (0)
#else
#define EITHER_FORM(by, call, ...) \
  do {                             \
    (void)chance(by, 30);          \
    DO(call(__VA_ARGS__));         \
  } while (0)
#endif

/* ---- start and end ---- */

/* The program of a seed, for all ranks. */
static void program(void);

/* PROGRAM FILE FIRST LAST: the programs of these seeds, into FILE.RANK. */
int main(int count, char** values) {
  char name[4096];
  if (count != 4) return 2;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (getenv("RANDOM_FATAL") == NULL) { /* with it the MPI says what it does not like */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  snprintf(name, sizeof name, "%s.%d", values[1], rank);
  if ((out = fopen(name, "w")) == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (seed = atol(values[2]); seed <= atol(values[3]); ++seed) {
    step = 0;
    program();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fputs("end\n", out);
  fclose(out);
  MPI_Finalize();
  return 0;
}

#endif
