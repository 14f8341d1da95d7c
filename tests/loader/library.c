/* A library of libraries.c, NAME of it: it has variables, and may call the library CALLS. */
#include <stdlib.h>

#define JOIN_(first, second) first##_##second
#define JOIN(first, second) JOIN_(first, second)
#define OF(name) JOIN(NAME, name)

static int count;
int OF(variable) = 101;
int* OF(pointer) = &OF(variable);
int OF(table)[4] = {1, 2, 3, 4};
int* OF(into_table) = &OF(table)[2];
__attribute__((visibility("protected"))) int OF(is_protected) = 102;
__attribute__((visibility("hidden"))) int OF(is_hidden) = 103;
static int* const all[] = {&count, &OF(variable), &OF(is_protected), &OF(is_hidden), &OF(table)[3]};

int* OF(address)(int which) { return all[which]; }
#ifdef CALLS
int JOIN(CALLS, add)(int more);
#endif
int OF(add)(int more) {
  int sum;
  if (more <= 0) return 0;
  sum = count += more;
#ifdef CALLS
  sum += JOIN(CALLS, add)(more - STEP);
#endif
  return sum;
}
int (*OF(adder)(void))(int) { return OF(add); }

/* Other objects have these names, too. */
int same_name(void) { return OF(variable); }
int OF(calls_same_name)(void) { return same_name(); }
int same_variable = 104;
int* OF(same_variable)(void) { return &same_variable; }

/* Of libc. */
static int (*const sequence)(void) = rand;
int OF(random)(unsigned seed) {
  if (seed != 0) srand(seed);
  return sequence();
}

/* What is nowhere, or nobody's place. */
extern int in_no_object __attribute__((weak));
extern char absolute_number[] __attribute__((weak));
static int* nowhere = &in_no_object;
static char* number = absolute_number;
int OF(is_nowhere)(void) { return nowhere == NULL && &in_no_object == NULL; }
long OF(number)(void) { return (long)number; }

static int OF(chosen_value) = 105;
static int OF(chosen_body)(void) { return OF(chosen_value)++; }
static int (*OF(choose)(void))(void) { return OF(chosen_body); }
int OF(chosen)(void) __attribute__((ifunc(RESOLVER)));
