/* A library of the kind that is as large as its thread-local variables (thread_library.c): it is needed from the start.
 */
#include <stddef.h>

#include "cases.h"

__thread int of_program = 62;
int* initial_address(int which);
SET(large) {
  EXPECT(*initial_address(0) == 71 && *initial_address(1) == 72 && *initial_address(2) == 0 &&
         *initial_address(4) == 62);
  *initial_address(2) = me;
  return NONE;
}
GET(large) {
  EXPECT(*initial_address(2) == me);
  return NONE;
}

static const struct named_case cases[] = {CASE(large, COMMON)};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
