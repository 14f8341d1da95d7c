/* Opens a library, the first argument, from one of so many threads, the second. With FIRST, the library, whose
 * thread-local variable begins with that. */
#ifdef FIRST
int target;
__thread int* pointer = FIRST;
#else
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t opened;

static void* wait_until_opened(void* none) {
  pthread_barrier_wait(&opened);
  return none;
}

int main(int argc, char** argv) {
  const int others = argc > 2 ? atoi(argv[2]) - 1 : 0;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  pthread_barrier_init(&opened, NULL, others + 1);
  if (others > 0) pthread_create(&thread, NULL, wait_until_opened, NULL);
  if (dlopen(argv[1], RTLD_NOW) == NULL) return 1;
  pthread_barrier_wait(&opened);
  if (others > 0) pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
#endif
