/* What libc keeps for a process behind its functions, and what a program has that is named as these are. */
#define _GNU_SOURCE
#include <getopt.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "cases.h"

/* A buffer of the program for a stream of all: the stream outlives the rank. */
static char buffer[500];
SET(stream_buffer) {
  EXPECT(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  return NONE + 0 * me;
}
GET(stream_buffer) {
  EXPECT(me == rank_here());
  return NONE;
}

/* What random_r gives, which keeps nothing. */
static int number_of(unsigned seed, int steps) {
  struct random_data data;
  char state[128];
  int32_t number = 0;
  memset(&data, 0, sizeof data);
  initstate_r(seed, state, sizeof state, &data);
  while (steps-- > 0) random_r(&data, &number);
  return number;
}
static int (*volatile pointer_to_rand)(void) = rand;
SET(rand) {
  EXPECT(rand() == number_of(1, 1)); /* as if srand(1) had been called */
  srand((unsigned)me + 5);
  EXPECT(rand() == number_of((unsigned)me + 5, 1));
  return NONE;
}
GET(rand) {
  EXPECT(rand() == number_of((unsigned)me + 5, 2) && pointer_to_rand() == number_of((unsigned)me + 5, 3));
  return NONE;
}
SET(random) {
  srandom((unsigned)me + 6);
  EXPECT(random() == number_of((unsigned)me + 6, 1));
  return NONE;
}
GET(random) {
  EXPECT(random() == number_of((unsigned)me + 6, 2));
  return NONE;
}
static char own_state[128];
SET(initstate) {
  EXPECT(initstate((unsigned)me + 7, own_state, sizeof own_state) != NULL);
  return NONE;
}
GET(initstate) {
  EXPECT(random() == number_of((unsigned)me + 7, 1));
  return NONE;
}
static double reals_of(long seed, int steps) {
  unsigned short state[3] = {0x330e, (unsigned short)seed, 0};
  double real = 0;
  while (steps-- > 0) real = erand48(state);
  return real;
}
SET(drand48) {
  srand48(me + 8);
  EXPECT(drand48() == reals_of(me + 8, 1));
  return NONE;
}
GET(drand48) {
  EXPECT(drand48() == reals_of(me + 8, 2));
  return NONE;
}

static char words[16];
SET(strtok) {
  snprintf(words, sizeof words, "%d,%d,c", me, me + 1);
  EXPECT(is_text(strtok(words, ","), words));
  return NONE;
}
GET(strtok) {
  char* const second = strtok(NULL, ",");
  EXPECT(second != NULL && atoi(second) == me + 1);
  EXPECT(is_text(strtok(NULL, ","), "c") && strtok(NULL, ",") == NULL);
  return NONE;
}

static struct tm* broken_down;
SET(gmtime) {
  const time_t when = (time_t)me * 86400 * 366;
  broken_down = gmtime(&when);
  EXPECT(broken_down->tm_year == 70 + me);
  return NONE;
}
GET(gmtime) {
  EXPECT(broken_down->tm_year == 70 + me);
  return NONE;
}
static const char* as_text;
SET(ctime) {
  const time_t when = (time_t)me * 86400 * 366 + 86400 * 5;
  as_text = ctime(&when);
  return NONE;
}
GET(ctime) {
  EXPECT(atoi(as_text + 20) == 1970 + me);
  return NONE;
}

static char option_a[] = "-a1", option_b[] = "-b", word_b[] = "x", option_c[] = "-c", end_of_options[] = "last";
static char name_of_program[] = "program";
static char* arguments_of(int me, int place) {
  char* const even[] = {name_of_program, option_a, option_b, word_b, end_of_options, NULL};
  char* const odd[] = {name_of_program, option_b, word_b, option_c, option_c, NULL};
  return (me % 2 ? odd : even)[place];
}
static int scan(int me) {
  char* arguments[6];
  int i;
  for (i = 0; i < 6; ++i) arguments[i] = arguments_of(me, i);
  return getopt(5, arguments, "a:b:c");
}
SET(getopt) {
  EXPECT(optind == 1 && opterr == 1);
  EXPECT(scan(me) == (me % 2 ? 'b' : 'a') && is_text(optarg, me % 2 ? "x" : "1") && optind == 2 + me % 2);
  return NONE;
}
GET(getopt) {
  EXPECT(is_text(optarg, me % 2 ? "x" : "1") && optind == 2 + me % 2);
  EXPECT(scan(me) == (me % 2 ? 'c' : 'b') && optind == 4);
  EXPECT(scan(me) == (me % 2 ? 'c' : -1) && optind == (me % 2 ? 5 : 4));
  return NONE;
}
static int found_by_long;
SET(getopt_long) {
  char first[] = "--number=7", last[] = "--other";
  char* arguments[] = {name_of_program, first, last, NULL};
  const struct option options[] = {
      {"number", required_argument, NULL, 'n'}, {"other", no_argument, &found_by_long, 40}, {0}};
  optind = 0; /* from the start, as glibc has it */
  EXPECT(getopt_long(3, arguments, "n:", options, NULL) == 'n' && atoi(optarg) == 7);
  EXPECT(getopt_long(3, arguments, "n:", options, NULL) == 0 && found_by_long == 40);
  optind = me;
  return NONE;
}
GET(getopt_long) {
  EXPECT(optind == me);
  return NONE;
}

SET(setlocale) {
  EXPECT(is_text(setlocale(LC_ALL, NULL), "C") && MB_CUR_MAX == 1);
  if (me % 2) EXPECT(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
  return NONE;
}
GET(setlocale) {
  wchar_t wide;
  mbstate_t state;
  memset(&state, 0, sizeof state);
  EXPECT(MB_CUR_MAX == (me % 2 ? 6u : 1u) && is_text(setlocale(LC_CTYPE, NULL), me % 2 ? "C.UTF-8" : "C"));
  EXPECT((mbrtowc(&wide, "\xc3\xa9", 2, &state) == 2 && wide == 0xe9) == (me % 2 == 1));
  return NONE;
}
SET(signgam) {
  EXPECT(isfinite(lgamma(me % 2 ? -0.5 : 0.5)));
  return NONE;
}
GET(signgam) {
  EXPECT(signgam == (me % 2 ? -1 : 1));
  return NONE;
}
static const char* error_text;
SET(strerror) {
  error_text = strerror(1000 + me);
  return NONE;
}
GET(strerror) {
  EXPECT(atoi(error_text + strlen("Unknown error ")) == 1000 + me);
  return NONE;
}

/* Functions of the program: whatever their names, they are its own. */
static long own_sequence = 3;
long lrand48(void) { return own_sequence++; }
SET(own_function) {
  EXPECT(lrand48() == 3);
  own_sequence = me;
  return NONE;
}
GET(own_function) {
  EXPECT(lrand48() == me);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(stream_buffer, COMMON), CASE(rand, PRIVATE),         CASE(random, PRIVATE),    CASE(initstate, PRIVATE),
    CASE(drand48, PRIVATE),      CASE(strtok, PRIVATE),       CASE(gmtime, PRIVATE),    CASE(ctime, PRIVATE),
    CASE(getopt, PRIVATE),       CASE(getopt_long, PRIVATE),  CASE(setlocale, PRIVATE), CASE(signgam, PRIVATE),
    CASE(strerror, PRIVATE),     CASE(own_function, PRIVATE),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
