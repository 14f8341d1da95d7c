/* Each rank has as many files as a process may have; and it is told so. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct rlimit limit;
  int rank, opened = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (opened < 100 && open("/dev/null", O_RDONLY) >= 0) ++opened;
  getrlimit(RLIMIT_NOFILE, &limit);
  printf("rank %d: %d files of %d, %ld\n", rank, opened, (int)limit.rlim_cur, sysconf(_SC_OPEN_MAX));
  MPI_Finalize();
  return 0;
}
