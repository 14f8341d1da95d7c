#!/usr/bin/env bash
# What a process that loads a program has to have from its start: room for large thread-local variables, an allocator,
# stacks that can be executed, the program's name. However it was started, and with the environment as it was.
# $1: the C++ compiler of the build, which compiles the programs as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1
[[ $(uname -m) == x86_64 ]] || skip 'nothing loads programs on this processor'

made() { # made NAME FLAG...: from NAME.c
  local name=$1
  shift
  "$compiler" -x c -w -I "$build/mpi/include" "$name.c" -x none -o "$name" -L "$build/lib" -lmpi_abi "$@" || fail "$name.c"
}
ways() { # ways PROGRAM LINE...: of two ranks, started in all ways, it prints these lines, in whatever order
  local program=$1 way
  shift
  for way in '-n 2' '-n 2 -N 1' '--ranks-as threads -N 2 -n 2' '--dry-run'; do
    if [[ $way == --dry-run ]]; then
      purerun_ends 0 -n 2 --dry-run "$program" && bash -c "$(< out)" > pasted 2> err && mv pasted out || fail "pasted: $(< err)"
    else
      # shellcheck disable=SC2086
      purerun_ends 0 $way "$program"
    fi
    [[ $(sort out) == "$(printf '%s\n' "$@")" ]] || fail "purerun $way $program prints $(< out) $(< err)"
  done
}

cat > large.c << 'EOF'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
_Thread_local int number = 40;
_Thread_local char pad[9000] __attribute__((aligned(512)));
int main(int count, char** values) {
  int rank, wrong = 0;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  number += rank;
  for (int i = 0; i < 9000; ++i) wrong += pad[i] != 0, pad[i] = (char)(rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 9000; ++i) wrong += pad[i] != rank + 1;
  const char* path = getenv("LD_LIBRARY_PATH");
  printf("%s: %d, %d wrong, %d, %s\n", values[0], number, wrong, (int)((uintptr_t)pad % 512), getenv("PURE_LOAD_NAME"));
  return MPI_Finalize() + (path != NULL && path[0] == ':');
}
EOF
made large
ways ./large './large: 40, 0 wrong, 0, (null)' './large: 41, 0 wrong, 0, (null)'

cat > alloc.c << 'EOF'
#include <stddef.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
/* libc's free does not know this memory: what lies before it says where the whole begins, and its size. */
extern void* __libc_malloc(size_t);
extern void __libc_free(void*);
static long calls;
struct before { void* all; size_t bytes; };
void* memalign(size_t alignment, size_t bytes) {
  char* all = __libc_malloc(bytes + alignment + sizeof(struct before));
  if (all == NULL) return NULL;
  uintptr_t at = ((uintptr_t)all + sizeof(struct before) + alignment - 1) / alignment * alignment;
  ((struct before*)at)[-1] = (struct before){all, bytes};
  return __atomic_add_fetch(&calls, 1, 0), (void*)at;
}
void* malloc(size_t bytes) { return memalign(32, bytes); }
void free(void* memory) { if (memory != NULL) __libc_free(((struct before*)memory)[-1].all); }
void* calloc(size_t count, size_t each) {
  void* memory = malloc(count * each);
  return memory == NULL ? NULL : memset(memory, 0, count * each);
}
void* realloc(void* old, size_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL || old == NULL) return memory;
  size_t had = ((struct before*)old)[-1].bytes;
  memcpy(memory, old, had < bytes ? had : bytes);
  return free(old), memory;
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  return (*memory = memalign(alignment, bytes)) == NULL ? ENOMEM : 0;
}
size_t malloc_usable_size(void* memory) { return memory == NULL ? 0 : ((struct before*)memory)[-1].bytes; }
long calls_of_malloc(void) { return calls; }
EOF
"$compiler" -x c -shared -fPIC -fno-builtin alloc.c -o liballoc.so || fail alloc.c
cat > allocates.c << 'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
long calls_of_malloc(void);
int main(int count, char** values) {
  MPI_Init(&count, &values);
  char* volatile memory = malloc(100);
  free(memory);
  const char* preload = getenv("LD_PRELOAD");
  printf("%d %s\n", calls_of_malloc() > 0, preload != NULL ? preload : "none");
  return MPI_Finalize();
}
EOF
made allocates -L. -lalloc -Wl,-rpath,"$work"
ways ./allocates '1 none' '1 none'
LD_PRELOAD=$work/liballoc.so ways ./allocates "1 $work/liballoc.so" "1 $work/liballoc.so"
if [[ -e $PURETEST_BUILD_DIR/lib/libpure_net_mpich.so ]]; then
  timeout 60 purerun -n 2 -N 2 --mpi mpich ./allocates > out 2>&1 < /dev/null && fail 'an MPI beside the allocator'
  grep -qF 'an allocator of its own' out || fail "beside an MPI's network: $(cat out)"
fi

cat > nested.c << 'EOF'
#include <mpi.h>
#include <stdio.h>
static int applied(int (*function)(int), int value) { return function(value); }
int main(int count, char** values) {
  int rank;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int added(int value) { return value + rank; } /* called by code on the stack */
  printf("%d\n", applied(added, 10));
  return MPI_Finalize();
}
EOF
if "$compiler" -x c -w -fsyntax-only -I "$build/mpi/include" nested.c 2> err; then
  made nested -O1 -Wl,-z,execstack
  ways ./nested 10 11
else
  not_tested 'nested functions' 'this compiler has none'
fi
finish
