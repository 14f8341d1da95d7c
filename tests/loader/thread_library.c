/* A library of thread_locals.c: MODEL is how its code reaches thread-local variables, and the first word of its names.
 */
#define JOIN_(first, second) first##_##second
#define JOIN(first, second) JOIN_(first, second)
#define OF_MODEL(name) JOIN(MODEL, name)

#ifndef EXTERN_MODEL
#define EXTERN_MODEL
#endif
extern __thread int of_program EXTERN_MODEL; /* no variable of another object is local */
__thread int OF_MODEL(exported) = 71;
static __thread int own = 72;
#ifndef LARGE
#define LARGE 64
#endif
static __thread int zeros[LARGE];
static int target = 73;
static __thread int* pointer = &target;

int* OF_MODEL(address)(int which) {
  int* const all[] = {&OF_MODEL(exported), &own, &zeros[LARGE - 1], pointer, &of_program};
  return all[which];
}
