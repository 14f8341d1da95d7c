/* Libraries of a program, which have variables and call each other: `first` calls `second`, and that `third`; `left`
   and `right` call `base`; `one` and `other` call each other; `bound` is linked with -Bsymbolic. */
#include <stddef.h>
#include <stdint.h>

#include "cases.h"

#define LIBRARY(name)                                                                          \
  extern int name##_variable, *name##_pointer, name##_table[4], *name##_into_table;            \
  int name##_add(int more), *name##_address(int which), (*name##_adder(void))(int);            \
  int name##_calls_same_name(void), *name##_same_variable(void), name##_random(unsigned seed); \
  int name##_is_nowhere(void), name##_chosen(void);                                            \
  long name##_number(void);
LIBRARY(first)
LIBRARY(second)
LIBRARY(third)
LIBRARY(left)
LIBRARY(right)
LIBRARY(base)
LIBRARY(one)
LIBRARY(other)
LIBRARY(bound)

SET(chain) {
  EXPECT(first_add(me + 1) == 3 * (me + 1));
  return NONE;
}
GET(chain) {
  EXPECT(first_add(1) == 3 * (me + 2) && *second_address(0) == me + 2 && third_add(1) == me + 3);
  return NONE;
}
SET(diamond) {
  EXPECT(left_add(me + 1) == 2 * (me + 1) && right_add(me + 1) == 3 * (me + 1));
  return NONE;
}
GET(diamond) {
  EXPECT(*left_address(0) == me + 1 && *right_address(0) == me + 1 && base_add(1) == 2 * me + 3);
  return NONE;
}
SET(cycle) {
  EXPECT(one_add(3) == 3 + 2 + 4);
  *one_address(0) = *other_address(0) = me;
  return NONE;
}
GET(cycle) {
  EXPECT(one_add(1) == me + 1 && *other_address(0) == me);
  return NONE;
}

/* The program has a copy of these variables (as linkers make it), and the library has no other. */
SET(copied) {
  EXPECT(first_variable == 101 && first_address(1) == &first_variable && first_pointer == &first_variable);
  first_variable = me;
  return NONE;
}
GET(copied) {
  EXPECT(*first_address(1) == me && *first_pointer == me);
  return NONE;
}
SET(copied_table) {
  EXPECT(first_table[0] == 1 && first_table[3] == 4 && first_into_table == &first_table[2]);
  EXPECT(first_address(4) == &first_table[3]);
  first_table[2] = me;
  return NONE;
}
GET(copied_table) {
  EXPECT(*first_into_table == me);
  return NONE;
}
SET(not_copied) {
  EXPECT(*second_address(1) == 101 && *third_address(4) == 4);
  *second_address(1) = me;
  return NONE;
}
GET(not_copied) {
  EXPECT(*second_address(1) == me && *third_address(1) == 101);
  return NONE;
}
SET(is_protected) {
  EXPECT(*first_address(2) == 102 && *first_address(3) == 103);
  *first_address(2) = *first_address(3) = me;
  return NONE;
}
GET(is_protected) {
  EXPECT(*first_address(2) == me && *first_address(3) == me);
  return NONE;
}

/* The program's definition comes before all libraries', but where these are bound to their own. */
static int own_name = 111;
int same_name(void) { return own_name; }
int same_variable = 112;
SET(overridden) {
  EXPECT(first_calls_same_name() == 111 && bound_calls_same_name() == 101);
  EXPECT(third_same_variable() == &same_variable && same_variable == 112);
  EXPECT(bound_same_variable() != &same_variable && *bound_same_variable() == 104);
  own_name = same_variable = me;
  *bound_same_variable() = *bound_address(1) = me + 1;
  return NONE;
}
GET(overridden) {
  EXPECT(second_calls_same_name() == me && *third_same_variable() == me);
  EXPECT(bound_calls_same_name() == me + 1 && *bound_same_variable() == me + 1);
  return NONE;
}
static int (*const adders[])(int) = {first_add, third_add};
SET(function_addresses) {
  EXPECT(first_adder() == first_add && third_adder() == adders[1] && adders[0] == first_add);
  *third_address(0) = me;
  return NONE;
}
GET(function_addresses) {
  EXPECT(adders[1](1) == me + 1);
  return NONE;
}
/* The library has no definition, and the program one that is no address. */
__asm__(".globl absolute_number\n.set absolute_number, 0x1234567");
SET(no_addresses) {
  EXPECT(first_is_nowhere() && bound_is_nowhere());
  EXPECT(first_number() == 0x1234567 && third_number() == 0x1234567);
  (void)me;
  return NONE;
}
GET(no_addresses) {
  EXPECT(me == rank_here());
  return NONE;
}
static int (*const pointer_to_chosen)(void) = first_chosen;
SET(chosen) {
  int i;
  for (i = 0; i < me; ++i) EXPECT((i % 2 ? pointer_to_chosen : first_chosen)() == 105 + i);
  return NONE;
}
GET(chosen) {
  EXPECT(first_chosen() == 105 + me && second_chosen() == 105);
  return NONE;
}
/* What libc hides is one for all of a rank's objects. */
static int expected_of(unsigned seed) {
  struct random_data data;
  char state[128];
  int32_t number = 0;
  int i;
  memset(&data, 0, sizeof data);
  initstate_r(seed, state, sizeof state, &data);
  for (i = 0; i < 3; ++i) random_r(&data, &number);
  return number;
}
SET(libc) {
  first_random((unsigned)me + 4);
  return NONE;
}
GET(libc) {
  rand();
  EXPECT(bound_random(0) == expected_of((unsigned)me + 4));
  return NONE;
}

static const struct named_case cases[] = {
    CASE(chain, PRIVATE),
    CASE(diamond, PRIVATE),
    CASE(cycle, PRIVATE),
    CASE(copied, PRIVATE),
    CASE(copied_table, PRIVATE),
    CASE(not_copied, PRIVATE),
    CASE(is_protected, PRIVATE),
    CASE(overridden, PRIVATE),
    CASE(chosen, PRIVATE),
    CASE(no_addresses, COMMON),
    CASE(function_addresses, PRIVATE),
    CASE(libc, PRIVATE),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
