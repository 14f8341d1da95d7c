/* Libraries of names.c, one at a time. */
#if defined(VERSIONS_OLD)
int versioned(void) { return 0; }
int only_old(void) { return 10; }
int versioned_variable = 100;
#elif defined(VERSIONS)
int first(void) { return 1; }
int second(void) { return 2; }
int third(void) { return 3; }
int only_old(void) { return 11; }
int first_variable = 101, second_variable = 102;
__asm__(".symver first,versioned@V1\n.symver second,versioned@V2\n.symver third,versioned@@V3\n");
__asm__(".symver first_variable,versioned_variable@V1\n.symver second_variable,versioned_variable@@V2\n");
__asm__(".symver only_old,only_old@V1\n");
#elif defined(USER)
int versioned(void);
extern int versioned_variable;
int user_of_versions(void) { return 1000 * versioned() + versioned_variable; }
#elif defined(CHOSEN)
static int calls;
static double own_cbrt(double x) {
  ++calls;
  return x + 1;
}
static double (*choose(void))(double) { return own_cbrt; }
double cbrt(double x) __attribute__((ifunc("choose")));
int chosen_calls(void) { return calls; }
#elif defined(CALLER)
double cbrt(double x);
double calls_cbrt(double x) { return cbrt(x); }
#elif defined(FAR)
int far_table[4] = {1, 2, 3, 4};
static int* to = &far_table[2];
int far_add(int more) { return *to += more; }
#else
static int count;
int util_add(int more) { return count += more; }
#endif
