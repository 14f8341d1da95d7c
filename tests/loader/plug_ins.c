/* Libraries that a rank opens: they are its own, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"

int of_program = 141; /* as plug-ins know them */
static int added;
int add_in_program(int more) { return added += more; }
int of_library_add(int more); /* of a library that the program is linked with */
extern int of_library_variable;

/* Definitions that hide others. */
int same_name(void) {
  int (*const next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "same_name");
  return next == NULL ? -1 : next() + 1000;
}

static void* opened[8];
static int call(void* library, const char* name, int number) {
  int (*const function)(int) = (int (*)(int))dlsym(library, name);
  return function == NULL ? -12345 : function(number);
}
static int is_own(int me, void* library, const char* name) { return call(library, name, 0) == 131 + me; }

#define OPENED(name, path, place, prefix)                       \
  SET(name) {                                                   \
    opened[place] = dlopen(path, RTLD_NOW);                     \
    EXPECT(opened[place] != NULL);                              \
    EXPECT(call(opened[place], prefix "_add", me) == 131 + me); \
    return NONE;                                                \
  }                                                             \
  GET(name) {                                                   \
    EXPECT(is_own(me, opened[place], prefix "_add"));           \
    return NONE;                                                \
  }
OPENED(relative, "./plugs/librelative.so", 0, "relative")
OPENED(bare_name, "libbare.so", 1, "bare")
static const char* absolute_path(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/plugs/%s", getenv("LOADER_TEST_FOLDER"), name);
  return path;
}
OPENED(absolute, absolute_path("libabsolute.so"), 2, "absolute")

OPENED(of_other_ranks, me % 2 ? "libodd.so" : "libeven.so", 7, "either")
/* They need the same library, and each rank opens one of the two. */
static void* with_common;
SET(of_two) {
  added = 0;
  with_common = dlopen(me % 2 ? "libneeds_odd.so" : "libneeds_even.so", RTLD_NOW);
  EXPECT(with_common != NULL && added == 2); /* constructors: its own, and that of what it needs */
  EXPECT(call(with_common, "one_of_two_needed", me) == 131 + me);
  return NONE;
}
GET(of_two) {
  EXPECT(call(with_common, "one_of_two_needed", 0) == 131 + me);
  return NONE;
}
static void* initial_exec_plug;
SET(initial_exec) { /* its thread-local variables have a place in every thread */
  initial_exec_plug = dlopen("libinitial.so", RTLD_NOW);
  EXPECT(initial_exec_plug != NULL && call(initial_exec_plug, "initial_thread", me) == 132 + me);
  EXPECT(call(initial_exec_plug, "initial_add", me) == 131 + me);
  return NONE;
}
GET(initial_exec) {
  EXPECT(call(initial_exec_plug, "initial_thread", 0) == 132 + me && is_own(me, initial_exec_plug, "initial_add"));
  return NONE;
}

/* Once for the rank, however often it is opened; anew after the last close, when it ends. */
static void* twice[2];
SET(closed) {
  int first;
  added = 0;
  twice[0] = dlopen("libclosed.so", RTLD_NOW);
  twice[1] = dlopen("./plugs/libclosed.so", RTLD_NOW);
  EXPECT(twice[0] != NULL && twice[0] == twice[1] && added == 1 && call(twice[0], "closed_opened", 0) == 1);
  first = call(twice[0], "closed_add", me);
  EXPECT(first == 131 + me && dlclose(twice[0]) == 0 && added == 1 && is_own(me, twice[0], "closed_add"));
  call(twice[0], "closed_at_exit", 0);
  EXPECT(dlclose(twice[1]) == 0 && added == 1 + 100 + 1000);
  EXPECT(dlopen("libclosed.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
  return NONE;
}
GET(closed) {
  EXPECT(added == 1101);
  twice[0] = dlopen("libclosed.so", RTLD_LAZY);
  EXPECT(twice[0] != NULL && added == 1102 && call(twice[0], "closed_add", me) == 131 + rank_here());
  EXPECT(dlclose(twice[0]) == 0 && added == 2102);
  return NONE;
}
SET(uses_program) {
  of_program = me;
  added = me;
  EXPECT(call(opened[0], "relative_add_to_program", 5) == me + 5);
  return NONE;
}
GET(uses_program) {
  int** const pointer = dlsym(opened[1], "bare_pointer");
  EXPECT(pointer != NULL && *pointer == &of_program && **pointer == me && added == me + 5);
  return NONE;
}
SET(variable) {
  int* const variable = dlsym(opened[0], "relative_variable");
  EXPECT(variable != NULL && *variable == 134);
  *variable = me;
  return NONE;
}
GET(variable) {
  EXPECT(*(int*)dlsym(opened[0], "relative_variable") == me);
  return NONE;
}
static void* first_values(void* is_right) {
  int* const exported = dlsym(opened[0], "relative_of_thread");
  *(int*)is_right = exported != NULL && *exported == 133 && call(opened[0], "relative_thread", 0) == 132;
  call(opened[0], "relative_thread", 1000);
  return NULL;
}
SET(of_thread) {
  pthread_t thread;
  int is_right = 0;
  int* const exported = dlsym(opened[0], "relative_of_thread");
  EXPECT(exported != NULL && *exported == 133 && call(opened[0], "relative_thread", me) == 132 + me);
  *exported = me;
  EXPECT(pthread_create(&thread, NULL, first_values, &is_right) == 0 && pthread_join(thread, NULL) == 0 && is_right);
  return NONE;
}
GET(of_thread) {
  EXPECT(*(int*)dlsym(opened[0], "relative_of_thread") == me && call(opened[0], "relative_thread", 0) == 132 + me);
  return NONE;
}
static void* open_in_thread(void* me) {
  opened[3] = dlopen("libin_thread.so", RTLD_NOW);
  call(opened[3], "in_thread_add", *(int*)me);
  return NULL;
}
SET(in_thread) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, open_in_thread, &me) == 0 && pthread_join(thread, NULL) == 0);
  EXPECT(is_own(me, opened[3], "in_thread_add"));
  return NONE;
}
GET(in_thread) {
  EXPECT(is_own(me, opened[3], "in_thread_add"));
  return NONE;
}
/* A library of the program's that the plug-in needs is the program's; another one comes with it. */
SET(needs_of_program) {
  opened[4] = dlopen("libneeds_program.so", RTLD_NOW);
  EXPECT(opened[4] != NULL && call(opened[4], "needs_program_needed", me) == 131 + me);
  return NONE;
}
GET(needs_of_program) {
  EXPECT(of_library_add(0) == 131 + me && call(opened[4], "needs_program_needed", 0) == 131 + me);
  return NONE;
}
SET(needs_another) {
  opened[5] = dlopen("libneeds_other.so", RTLD_NOW);
  EXPECT(opened[5] != NULL && call(opened[5], "needs_other_needed", me) == 131 + me);
  EXPECT(call(opened[5], "behind_add", 0) == 131 + me); /* what it needs is looked through, too */
  return NONE;
}
GET(needs_another) {
  EXPECT(call(opened[5], "needs_other_needed", 0) == 131 + me && is_own(me, opened[5], "behind_add"));
  return NONE;
}
/* Who finds what. */
SET(global) {
  EXPECT(dlsym(RTLD_DEFAULT, "relative_add") == NULL && dlsym(RTLD_DEFAULT, "for_all_add") == NULL);
  EXPECT(dlopen("libwants.so", RTLD_NOW) == NULL && strstr(dlerror(), "undefined symbol") != NULL);
  EXPECT(dlopen("libfor_all.so", RTLD_NOW | RTLD_GLOBAL) != NULL && dlsym(RTLD_DEFAULT, "for_all_add") != NULL);
  opened[6] = dlopen("libwants.so", RTLD_NOW);
  EXPECT(opened[6] != NULL && call(opened[6], "wants_needed", me) == 131 + me);
  return NONE;
}
GET(global) {
  EXPECT(call(RTLD_DEFAULT, "for_all_add", 0) == 131 + me);
  return NONE;
}
SET(program) {
  void* const program = dlopen(NULL, RTLD_NOW);
  EXPECT(program != NULL && dlsym(program, "of_program") == &of_program && dlsym(program, "main") != NULL);
  EXPECT(dlsym(program, "of_library_variable") == &of_library_variable);
  EXPECT(dlsym(RTLD_DEFAULT, "of_program") == &of_program && dlsym(RTLD_DEFAULT, "add_in_program") == add_in_program);
  *(int*)dlsym(program, "of_program") = me;
  return NONE;
}
GET(program) {
  EXPECT(of_program == me);
  return NONE;
}
SET(next) {
  EXPECT(same_name() == 1000 + of_library_variable && call(opened[0], "relative_same_name", 0) == same_name());
  of_library_variable = me;
  return NONE;
}
GET(next) {
  EXPECT(same_name() == 1000 + me);
  return NONE;
}
SET(own_names_first) {
  void* const library = dlopen("libdeep.so", RTLD_NOW | RTLD_DEEPBIND);
  EXPECT(library != NULL && call(library, "deep_same_name", 0) == 134);
  *(int*)dlsym(library, "deep_variable") = me;
  return NONE;
}
GET(own_names_first) {
  EXPECT(call(dlopen("libdeep.so", RTLD_NOW), "deep_same_name", 0) == me);
  return NONE;
}
SET(no_load) {
  void* const library = dlopen("libof_library.so", RTLD_NOW | RTLD_NOLOAD);
  EXPECT(library != NULL && dlsym(library, "of_library_add") == of_library_add);
  EXPECT(dlopen("libnot_yet.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
  of_library_add(me - of_library_add(0));
  EXPECT(dlclose(library) == 0);
  return NONE;
}
GET(no_load) {
  EXPECT(of_library_add(0) == me);
  return NONE;
}
static int ends_with(const char* text, const char* end) {
  const size_t all = text == NULL ? 0 : strlen(text), part = strlen(end);
  return all >= part && strcmp(text + all - part, end) == 0;
}
int main(int argc, char** argv);
struct place {
  uintptr_t address;
  const char* name;
  int found;
};
static int look(struct dl_phdr_info* object, size_t size, void* argument) {
  struct place* const place = argument;
  int i;
  (void)size;
  for (i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && place->address - begin < part->p_memsz) {
      ++place->found;
      place->name = object->dlpi_name;
    }
  }
  return 0;
}
SET(addresses) {
  Dl_info info;
  struct place of_main = {(uintptr_t)main, NULL, 0}, of_plug = {0, NULL, 0};
  struct link_map* map = NULL;
  EXPECT(dladdr((void*)main, &info) != 0 && ends_with(info.dli_fname, "plug_ins") && is_text(info.dli_sname, "main"));
  EXPECT(dladdr((void*)of_library_add, &info) != 0 && ends_with(info.dli_fname, "libof_library.so"));
  EXPECT(dladdr(dlsym(opened[0], "relative_add"), &info) != 0 && ends_with(info.dli_fname, "plugs/librelative.so"));
  EXPECT(is_text(info.dli_sname, "relative_add"));
  EXPECT(dlinfo(opened[0], RTLD_DI_LINKMAP, &map) == 0 && ends_with(map->l_name, "plugs/librelative.so"));
  of_plug.address = (uintptr_t)dlsym(opened[0], "relative_variable");
  dl_iterate_phdr(look, &of_main);
  dl_iterate_phdr(look, &of_plug);
  EXPECT(of_main.found == 1 && of_plug.found == 1 && ends_with(of_plug.name, "plugs/librelative.so"));
  (void)me;
  return NONE;
}
GET(addresses) {
  EXPECT(me == rank_here());
  return NONE;
}
SET(refused) {
  EXPECT(dlopen("libnowhere.so", RTLD_NOW) == NULL && strstr(dlerror(), "libnowhere.so") != NULL && dlerror() == NULL);
  EXPECT(dlopen("./plugs/nowhere.so", RTLD_NOW) == NULL && strstr(dlerror(), "nowhere.so") != NULL);
  EXPECT(dlopen("./plugs/no_elf.so", RTLD_NOW) == NULL && strstr(dlerror(), "no_elf.so") != NULL);
  EXPECT(dlsym(opened[0], "no_such_name") == NULL && strstr(dlerror(), "no_such_name") != NULL);
  (void)me;
  return NONE;
}
GET(refused) {
  EXPECT(me == rank_here());
  return NONE;
}
/* libc and libm are one for all; what libc hides is not, by whatever way it is called. */
SET(of_system) {
  void* const libm = dlopen("libm.so.6", RTLD_NOW);
  double (*const root)(double) = (double (*)(double))dlsym(libm, "sqrt");
  EXPECT(root != NULL && root(16) == 4);
  srand((unsigned)me + 3);
  return NONE;
}
GET(of_system) {
  struct random_data data;
  char state[128];
  int32_t first = 0, second = 0, third = 0;
  int (*const found)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "rand");
  memset(&data, 0, sizeof data);
  initstate_r((unsigned)me + 3, state, sizeof state, &data);
  random_r(&data, &first);
  random_r(&data, &second);
  random_r(&data, &third);
  EXPECT(found() == first && call(opened[0], "relative_random", 0) == second && rand() == third);
  return NONE;
}
/* Before main. */
static void* by_constructor;
__attribute__((constructor)) static void construct(void) {
  by_constructor = dlopen("libearly.so", RTLD_NOW);
  if (by_constructor == NULL) puts(dlerror());
}
SET(of_constructor) {
  EXPECT(by_constructor != NULL && call(by_constructor, "early_add", me) == 131 + me);
  return NONE;
}
GET(of_constructor) {
  EXPECT(is_own(me, by_constructor, "early_add"));
  return NONE;
}

static const struct named_case cases[] = {
    CASE(of_constructor, PRIVATE),   CASE(relative, PRIVATE),       CASE(bare_name, PRIVATE),
    CASE(absolute, PRIVATE),         CASE(of_other_ranks, PRIVATE), CASE(of_two, PRIVATE),
    CASE(initial_exec, PRIVATE),     CASE(closed, PRIVATE),         CASE(uses_program, PRIVATE),
    CASE(variable, PRIVATE),         CASE(of_thread, COMMON),       CASE(in_thread, PRIVATE),
    CASE(needs_of_program, PRIVATE), CASE(needs_another, PRIVATE),  CASE(global, PRIVATE),
    CASE(program, PRIVATE),          CASE(next, PRIVATE),           CASE(no_load, PRIVATE),
    CASE(addresses, COMMON),         CASE(refused, COMMON),         CASE(of_system, PRIVATE),
    CASE(own_names_first, PRIVATE),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
