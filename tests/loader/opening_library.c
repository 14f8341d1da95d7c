/* A library of opening.c. LETTER: what its functions of that name give; the parts that it has are defined. */
#ifdef COMPUTES
int COMPUTES(void) { return LETTER; }
#endif
#ifdef CALLS
int CALLS(void);
int JOIN(void) { return CALLS(); }
#endif
#ifdef CALLS_LATER /* what another library has, or nobody */
double later(int count, ...);
int call_later(double more) { return (int)(later(3, 0.5, 1.5, more) * 2); }
int calls_later(void) { return 72; }
#endif
#ifdef LATER
#include <stdarg.h>
double later(int count, ...) {
  double sum = 0;
  va_list all;
  va_start(all, count);
  while (count-- > 0) sum += va_arg(all, double);
  va_end(all);
  return sum;
}
#endif
#ifdef KEEPS /* thread-local variables */
static __thread int of_thread = 100;
static __thread int of_thread_without_value;
int keeps(int more) { return (of_thread += more) * 1000 + ++of_thread_without_value; }
#endif
#ifdef UNIQUE /* as inline variables of C++ are: one of all libraries that a process has opened */
extern int once;
__asm__(".weak once\n.type once, @gnu_unique_object\n.data\n.align 4\nonce: .long " UNIQUE "\n.size once, 4\n.text");
int unique(void) { return once++; }
#endif
#ifdef OPENS /* and closes another library before main can have it: that takes nothing away which is being opened */
#include <dlfcn.h>
static int begun;
__attribute__((constructor)) static void begin(void) {
  void* const other = dlopen(OPENS, RTLD_NOW);
  begun = other != 0 && dlclose(other) == 0 ? 41 : -1;
  ++begun;
}
int opens(void) { return begun; }
#endif
