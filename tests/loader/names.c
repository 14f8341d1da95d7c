/* What programs and plug-ins find by name, as in a process of one rank. Each rank prints it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

int versioned(void), user_of_versions(void), chosen_calls(void), far_add(int more), util_add(int more);
extern int versioned_variable, far_table[4];
static double (*const pointer)(double) = cbrt;
int of_program = 5;
void note(const char* what) { (void)what; }

static int me;
static void say_found(const char* what, void* library) {
  static const char* const names[] = {"asks_add", "asked_add", "late_add", "of_program", "getenv", "versioned"};
  void* (*const finds)(const char*) = (void* (*)(const char*))dlsym(library, "asks_finds");
  void* (*const finds_next)(const char*) = (void* (*)(const char*))dlsym(library, "asks_finds_next");
  void* const program = dlopen(NULL, RTLD_NOW);
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    printf("rank %d, %s, %s: program %d, default %d, library %d, in it %d, behind it %d\n", me, what, names[i],
           dlsym(program, names[i]) != NULL, dlsym(RTLD_DEFAULT, names[i]) != NULL, dlsym(library, names[i]) != NULL,
           finds(names[i]) != NULL, finds_next(names[i]) != NULL);
  }
}
static void say_version(const char* name, const char* version) {
  void* const library = dlopen("libversions.so", RTLD_NOW);
  void* const of_library = version == NULL ? dlsym(library, name) : dlvsym(library, name, version);
  void* const found = version == NULL ? dlsym(RTLD_DEFAULT, name) : dlvsym(RTLD_DEFAULT, name, version);
  printf("rank %d, %s of %s: %d %d\n", me, name, version == NULL ? "any version" : version,
         of_library == NULL ? -1 : ((int (*)(void))of_library)(), found == NULL ? -1 : ((int (*)(void))found)());
}

/* The process's objects: the program comes first, and each is there once. */
static const char* seen[100];
static int is_first_own, is_twice, count_seen;
static int look(struct dl_phdr_info* object, size_t size, void* argument) {
  const char* const slash = strrchr(object->dlpi_name, '/');
  const char* const name = slash == NULL ? object->dlpi_name : slash + 1;
  int i;
  (void)size, (void)argument;
  for (i = 0; count_seen == 0 && i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (uintptr_t)&of_program - object->dlpi_addr - part->p_vaddr < part->p_memsz)
      is_first_own = 1;
  }
  for (i = 0; i < count_seen; ++i) is_twice |= strcmp(name, seen[i]) == 0;
  if (count_seen < 100) seen[count_seen++] = name;
  return 0;
}
static void say_objects(void) {
  const ElfW(Phdr)* const parts = (const ElfW(Phdr)*)getauxval(AT_PHDR);
  char folder[4096];
  Dl_info info;
  dl_iterate_phdr(look, NULL);
  printf("rank %d: the program is first %d, some are there twice %d\n", me, is_first_own, is_twice);
  printf("rank %d: the kernel's program %d %d", me,
         dladdr((void*)parts, &info) != 0 && info.dli_fbase == (void*)((uintptr_t)parts - parts->p_offset),
         parts->p_type == PT_PHDR && dladdr((void*)getauxval(AT_ENTRY), &info) != 0 &&
             strstr(info.dli_fname, "names") != NULL);
  printf(", in a folder %d\n",
         dlinfo(dlopen("./plugs/libcalls.so", RTLD_NOW), RTLD_DI_ORIGIN, folder) == 0 &&
             strcmp(strrchr(folder, '/'), "/plugs") == 0);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"versioned", "only_old"};
  static const char* const versions[] = {"V1", "V2", "V3", NULL};
  size_t i, k;
  void *asks, *plug;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  printf("rank %d: versions %d %d %d\n", me, versioned(), versioned_variable, user_of_versions());
  for (i = 0; i < 2; ++i)
    for (k = 0; k < 4; ++k) say_version(names[i], versions[k]);
  plug = dlopen("./plugs/libuser.so", RTLD_NOW);
  printf("rank %d: versions of a plug-in %d\n", me, ((int (*)(void))dlsym(plug, "user_of_versions"))());

  /* A function of libm, by which the library that chooses it hides libm's. */
  printf("rank %d: chosen %g %g %g, %d calls\n", me, cbrt(27.0 + me), pointer(27.0),
         ((double (*)(double))dlsym(RTLD_DEFAULT, "cbrt"))(27.0), chosen_calls());
  plug = dlopen("./plugs/libcalls.so", RTLD_NOW);
  printf("rank %d: chosen %g of a plug-in, %d calls\n", me, ((double (*)(double))dlsym(plug, "calls_cbrt"))(27.0),
         chosen_calls());

  say_objects();
  asks = dlopen("./plugs/libasks.so", RTLD_NOW);
  say_found("at first", asks);
  dlopen("./plugs/liblate.so", RTLD_NOW | RTLD_GLOBAL);
  say_found("with another one", asks);
  printf("rank %d: the same %d\n", me, dlopen("./plugs/libasks.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == asks);
  say_found("when it is for all", asks);
  printf("rank %d: no mode %d", me, dlopen("./plugs/libasks.so", 0) != NULL);
  printf(", not to be opened %d\n", dlopen("./plugs/libnot_opened.so", RTLD_NOW) != NULL);

  /* Libraries whose addresses do not begin at 0, and one that has the name of a part of libc. */
  for (i = 0; i < 3; ++i) {
    printf("rank %d: far %d %d, util %d\n", me, far_add(me + 1), far_table[2], util_add(me + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
