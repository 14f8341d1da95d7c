/* Libraries that ranks open in different orders and ways, and that change meanwhile: each rank prints what it gets, which
   is as in a process of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int me;
int named(void) { return 'P'; } /* libraries have it, too */

static void* open_library(const char* path, int mode) {
  void* const library = dlopen(path, RTLD_NOW | mode);
  if (library == NULL) printf("rank %d: %s\n", me, dlerror());
  return library;
}
static int call(void* library, const char* name) {
  int (*const function)(void) = (int (*)(void))dlsym(library, name);
  return function == NULL ? -1 : function();
}
static void open_in_order(const char* even, const char* odd, int mode) {
  open_library(me % 2 ? odd : even, mode);
  open_library(me % 2 ? even : odd, mode);
}
static void say(const char* what, int number) { printf("rank %d, %s: %d\n", me, what, number); }

static void whoever_comes_first(void) {
  open_in_order("./libfirst_a.so", "./libfirst_b.so", RTLD_GLOBAL);
  say("first in its order", call(open_library("./libfirst_user.so", 0), "call_first"));
}
int calls_later(void); /* of a library of the program, and of one that is opened: they call what is nowhere, or not */
static void found_when_it_is_called(void) {
  void* const library = dlopen("./libcalls_later.so", RTLD_LAZY);
  int (*const caller)(double) = library == NULL ? NULL : (int (*)(double))dlsym(library, "call_later");
  say("without what is missing", calls_later() + (library == NULL ? -1 : call(library, "calls_later")));
  say("missing", dlopen("./libcalls_later_now.so", RTLD_NOW) == NULL && dlerror() != NULL);
  if (me % 2) return;
  open_library("./liblater.so", RTLD_GLOBAL);
  if (caller != NULL) say("found when it is called", caller(me + 0.25) * 100 + caller(me + 5.25));
}
static void whoever_is_there(void) {
  open_library(me % 2 ? "./libonly_a.so" : "./libonly_b.so", RTLD_GLOBAL);
  say("the only one", call(open_library("./libonly_user.so", 0), "call_only"));
}
static void own_names_first(void) {
  void* const library = open_library("./libdeep.so", me % 2 ? RTLD_DEEPBIND : 0);
  say("own names", call(library, "call_named"));
}
static void one_soname(void) {
  open_in_order("./x/libsame.so", "./y/libsame.so", 0);
  say("of x", call(open_library("./x/libsame.so", 0), "same"));
  say("of y", call(open_library("./y/libsame.so", 0), "same"));
  say("by its soname", call(open_library("./libsame_user.so", 0), "call_same"));
}
static void unique_symbols(void) {
  void *one, *other;
  open_in_order("./libunique_a.so", "./libunique_b.so", 0);
  one = open_library("./libunique_a.so", 0);
  other = open_library("./libunique_b.so", 0);
  say("one of all", call(one, "unique"));
  say("the same of all", call(other, "unique"));
}
static void* keep(void* library) {
  int (*const keeps)(int) = (int (*)(int))dlsym(library, "keeps");
  say("of a thread", keeps(me + 2));
  say("of a thread, later", keeps(me + 2));
  return NULL;
}
static void new_thread_locals(void) {
  int i;
  pthread_t thread;
  for (i = 0; i < 3; ++i) {
    void* const library = open_library("./libkeeps.so", 0);
    keep(library);
    pthread_create(&thread, NULL, keep, library);
    pthread_join(thread, NULL);
    if (me % 2 == 0) MPI_Barrier(MPI_COMM_WORLD); /* some have it while others open it again */
    dlclose(library);
    if (me % 2 != 0) MPI_Barrier(MPI_COMM_WORLD);
  }
}
/* `before` becomes the library of that name. */
static void put(const char* before) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0 && rename(before, "libmade.so") != 0) perror(before);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void files_that_change(void) {
  void* library;
  put("libmade_1.so");
  library = open_library("./libmade.so", 0);
  say("as it was made", call(library, "made"));
  put("libmade_2.so");
  if (me % 2) dlclose(library);
  say("by the name of one that is there, or not", call(open_library("./libmade.so", 0), "made"));
  say("by another name", call(open_library("x/../libmade.so", 0), "made"));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  whoever_comes_first();
  found_when_it_is_called();
  whoever_is_there();
  own_names_first();
  one_soname();
  unique_symbols();
  new_thread_locals();
  files_that_change();
  say("opened by a constructor", call(open_library("./libopens.so", 0), "opens"));
  MPI_Finalize();
  return 0;
}
