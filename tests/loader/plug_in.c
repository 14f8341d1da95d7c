/* A plug-in of plug_ins.c, NAME of it. */
#include <stdlib.h>

#define JOIN_(first, second) first##_##second
#define JOIN(first, second) JOIN_(first, second)
#define OF(name) JOIN(NAME, name)

extern int of_program;
int add_in_program(int more);
int same_name(void);

static int count = 131;
static __thread int of_thread = 132;
__thread int OF(of_thread) = 133;
int OF(variable) = 134;
int* OF(pointer) = &of_program;
#ifdef DEFINES_SAME_NAME /* which the program hides */
int same_name(void) { return OF(variable); }
#endif
static int opened;
__attribute__((constructor)) static void construct(void) { opened = add_in_program(1); }
__attribute__((destructor)) static void destroy(void) { add_in_program(1000); }
static void at_exit(void) { add_in_program(100); }

int OF(add)(int more) { return count += more; }
int OF(add_to_program)(int more) { return add_in_program(more) + *OF(pointer) - of_program; }
int OF(opened)(void) { return opened; }
int OF(thread)(int more) { return of_thread += more; }
int OF(same_name)(void) { return same_name(); }
int OF(random)(void) { return rand(); }
void OF(at_exit)(void) { atexit(at_exit); }
#ifdef NEEDS
int JOIN(NEEDS, add)(int more);
int OF(needed)(int more) { return JOIN(NEEDS, add)(more); }
#endif
