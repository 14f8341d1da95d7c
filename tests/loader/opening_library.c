/* A library of opening.c. LETTER: what its functions of that name give; the parts that it has are defined. */
#ifdef COMPUTES
int COMPUTES(void) { return LETTER; }
#endif
#ifdef CALLS
int CALLS(void);
int JOIN(void) { return CALLS(); }
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
