/* Fortran in ranks: its variables, COMMON blocks and units, and those of its runtime. Started from C, and with
   FORTRAN_MAIN by a program of Fortran (fortran_main.f90). */
#include "cases.h"

#define CASE_OF_FORTRAN(name)      \
  int f_set_##name(int me);        \
  int f_get_##name(int me);        \
  SET(name) {                      \
    EXPECT(f_set_##name(me) == 1); \
    return NONE;                   \
  }                                \
  GET(name) {                      \
    EXPECT(f_get_##name(me) == 1); \
    return NONE;                   \
  }
CASE_OF_FORTRAN(module)
CASE_OF_FORTRAN(common)
CASE_OF_FORTRAN(save)
CASE_OF_FORTRAN(pointer)
CASE_OF_FORTRAN(unit)
CASE_OF_FORTRAN(runtime)

static const struct named_case cases[] = {
    CASE(module, PRIVATE),  CASE(common, PRIVATE), CASE(save, PRIVATE),
    CASE(pointer, PRIVATE), CASE(unit, PRIVATE),   CASE(runtime, PRIVATE),
};

#ifdef FORTRAN_MAIN
void run_fortran_cases(char* argument) {
  char name[] = "fortran";
  char* argv[] = {name, argument, NULL};
  RUN_CASES(argument[0] == '\0' ? 1 : 2, argv, cases);
}
#else
int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
#endif
