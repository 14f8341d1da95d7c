/* Libraries that are closed, and stay: somebody uses them, or they say so. Each rank prints what has ended, in order, and
   how its libraries have counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char noted[1000];
static int me, is_over;
void note(const char* what) {
  strcat(strcat(noted, " "), what);
  if (!is_over) return;
  printf("rank %d, at its end:%s\n", me, noted);
  noted[0] = '\0';
}
static void say(const char* what) {
  printf("rank %d, %s:%s\n", me, what, noted);
  noted[0] = '\0';
}
static void* open_library(const char* path, int mode) {
  void* const library = dlopen(path, RTLD_NOW | mode);
  if (library == NULL) printf("rank %d: %s\n", me, dlerror());
  return library;
}
static int call(void* library, const char* name, int number) {
  int (*const function)(int) = (int (*)(int))dlsym(library, name);
  return function == NULL ? -12345 : function(number);
}
static void begins_anew_or_not(const char* path, const char* name, int mode) {
  int i;
  for (i = 0; i < 3; ++i) {
    void* const library = open_library(path, mode);
    const int count = call(library, name, me + 1), status = dlclose(library);
    printf("rank %d, opening %d of %s: %d, closed %d\n", me, i, path, count, status);
  }
  printf("rank %d: %s stays: %d\n", me, path, dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL);
  say(path);
}
static void* with_object(void* is_thread) {
  int i;
  for (i = 0; i < 2; ++i) {
    void* const library = open_library("./libobject.so", 0);
    ((void (*)(void))dlsym(library, "object_has_object"))();
    printf("rank %d, an object of %s: %d\n", me, is_thread ? "a thread" : "main", call(library, "object_add", 10));
    dlclose(library);
  }
  say("with an object");
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  void *first, *second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  begins_anew_or_not("./libanew.so", "anew_add", 0);
  begins_anew_or_not("./libkept.so", "kept_add", 0);
  begins_anew_or_not("./libflag.so", "flag_add", RTLD_NODELETE);
  /* libkept.so needs it. */
  begins_anew_or_not("./libneeded.so", "needed_add", 0);

  pthread_create(&thread, NULL, with_object, &me);
  pthread_join(thread, NULL);
  begins_anew_or_not("./libobject.so", "object_add", 0);
  with_object(NULL);

  /* Bound to another that is closed before it. */
  first = open_library("./libused.so", RTLD_GLOBAL);
  second = open_library("./libuser.so", 0);
  printf("rank %d: user %d\n", me, call(second, "user_add", me));
  dlclose(first);
  printf("rank %d: user %d, used %d\n", me, call(second, "user_add", 1), dlsym(RTLD_DEFAULT, "used_opens") != NULL);
  say("one that is used");
  dlclose(second);
  say("who used it");

  /* One has the other's address. */
  first = open_library("./libfound.so", RTLD_GLOBAL);
  second = open_library("./libfinder.so", 0);
  printf("rank %d: found %d\n", me, ((void* (*)(const char*))dlsym(second, "finder_finds"))("found_add") != NULL);
  dlclose(first);
  say("one that is found");
  dlclose(second);
  say("who found it");

  /* One opens and closes the other. */
  first = open_library("./libopener.so", 0);
  ((void (*)(const char*))dlsym(first, "opener_opens"))("./libopened.so");
  dlclose(first);
  say("who opened another");
  MPI_Finalize();
  is_over = 1;
  return 0;
}
