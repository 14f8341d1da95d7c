// What a library of MPI has besides MPI. The functions of libc that Pure stands in front of: a program finds those of
// the libraries that it names itself, and of libc, before those of what these libraries need, as the core is. And
// pure/tasks.h, for programs that name no other library of Pure.
#include <dlfcn.h>

#include "api/doors/jump.hpp"

PURE_JUMP_OF_LIBC(__libc_start_main);
PURE_JUMP_OF_LIBC(exit);
PURE_JUMP_OF_LIBC(quick_exit);
PURE_JUMP_OF_LIBC(_exit);
PURE_JUMP_OF_LIBC(_Exit);
PURE_JUMP_OF_LIBC(pthread_create);
PURE_JUMP_OF_LIBC(thrd_create);
PURE_JUMP_OF_LIBC(pthread_exit);
PURE_JUMP_OF_LIBC(thrd_exit);
PURE_JUMP_OF_LIBC(pthread_cancel);
PURE_JUMP_OF_LIBC(err);
PURE_JUMP_OF_LIBC(errx);
PURE_JUMP_OF_LIBC(error);
PURE_JUMP_OF_LIBC(verr);
PURE_JUMP_OF_LIBC(verrx);

PURE_JUMP(pure_parallel_for, pure_core_parallel_for);
PURE_JUMP(pure_parallel_reduce, pure_core_parallel_reduce);
PURE_JUMP(pure_task_execute, pure_core_task_execute);
PURE_JUMP(pure_task_chunks, pure_core_task_chunks);
PURE_JUMP(pure_task_items, pure_core_task_items);

namespace {

/// dlsym looks behind the library from which it is called: here, and so by no jump, which would make the caller its
/// caller.
void* behind_this_library(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  asm volatile("" : : "r"(found));
  return found;
}

}  // namespace

extern "C" void pure_stands_before_libc(void* (*next)(const char* name));                   // base/libc.cpp
extern "C" void pure_is_the_only_mpi(const void* init, const void* own, const void* door);  // api/mpi/one_mpi.cpp

__attribute__((constructor)) static void stand_before_libc() {
  pure_stands_before_libc(behind_this_library);
  void* const program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (program == nullptr) return;
  pure_is_the_only_mpi(dlsym(program, "MPI_Init"), dlsym(program, "pure_task_chunks"),
                       reinterpret_cast<const void*>(&behind_this_library));
}
