/* The environment is one for all ranks of a process: what one has set, the others see, however they read it. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "cases.h"

static char put[40];
SET(environment) {
  char name[40];
  EXPECT(environ != NULL && getenv("PATH") != NULL);
  snprintf(name, sizeof name, "LOADER_TEST_%d", me);
  EXPECT(setenv(name, name + 7, 1) == 0);
  snprintf(put, sizeof put, "LOADER_PUT_%d=%d", me, me);
  EXPECT(putenv(put) == 0);
  return NONE;
}
GET(environment) { /* as its code reads it, and through libc */
  char name[40], expected[80];
  char** each;
  int found = 0;
  snprintf(name, sizeof name, "LOADER_TEST_%d", me);
  snprintf(expected, sizeof expected, "%s=TEST_%d", name, me);
  for (each = environ; *each != NULL; ++each) found += is_text(*each, expected);
  EXPECT(found == 1 && is_text(getenv(name), expected + strlen(name) + 1));
  snprintf(name, sizeof name, "LOADER_PUT_%d", me);
  EXPECT(getenv(name) != NULL && atoi(getenv(name)) == me);
  return NONE;
}

static const struct named_case cases[] = {CASE(environment, COMMON)};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
