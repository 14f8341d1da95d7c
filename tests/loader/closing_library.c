/* A library of closing.c, NAME of it: it says when it ends. CALLS: a library whose function it calls. */
#define _GNU_SOURCE
#include <dlfcn.h>

#define JOIN_(first, second) first##_##second
#define JOIN(first, second) JOIN_(first, second)
#define OF(name) JOIN(NAME, name)
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

void note(const char* what); /* of the program */
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library);
extern char __dso_handle;

static int count;
static void* opened;
#ifdef CALLS
int JOIN(CALLS, add)(int more);
#endif
int OF(add)(int more) {
#ifdef CALLS
  JOIN(CALLS, add)(more);
#endif
  return count += more;
}
static void end_of_object(void* object) { note(object == &count ? "object of " TEXT(NAME) : "another object"); }
void OF(has_object)(void) { __cxa_thread_atexit_impl(end_of_object, &count, &__dso_handle); }
void OF(opens)(const char* path) { opened = dlopen(path, RTLD_NOW); }
void* OF(finds)(const char* name) { return dlsym(RTLD_DEFAULT, name); }
void* OF(finds_next)(const char* name) { return dlsym(RTLD_NEXT, name); }
__attribute__((destructor)) static void end(void) {
  note(TEXT(NAME));
  if (opened != 0) dlclose(opened);
}
