/* Each rank has as many files as a process may have, and it is told so; what it starts has so many, too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a program tells that is started in each way: the shell, which has been there for a moment. */
static char line[] = "sleep 0.1; exit $(($(ulimit -Sn) / 4))";
static char* arguments[] = {"sh", "-c", line, NULL};
static int told(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) * 4 : -1; }
static int told_to(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? told(status) : -1;
}
static int told_to_spawned(void) {
  pid_t child = 0;
  return posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 ? told_to(child) : -1;
}
static int told_to_found(void) {
  pid_t child = 0;
  return posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0 ? told_to(child) : -1;
}
static int told_to_forked(int is_shared, int (*execute)(void)) {
  const pid_t child = is_shared ? vfork() : fork();
  if (child == 0) {
    execute();
    _exit(99);
  }
  return told_to(child);
}
static int by_list(void) { return execlp("sh", "sh", "-c", line, (char*)NULL); }
static int by_vector(void) { return execv("/bin/sh", arguments); }
static int by_environment(void) { return execve("/bin/sh", arguments, environ); }
static int fails_first(void) {
  execv("/no/such/program", arguments);
  return execvp("sh", arguments);
}

int main(int argc, char** argv) {
  struct rlimit limit;
  int rank, opened = 0, files[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (opened < 100 && (files[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) ++opened;
  getrlimit(RLIMIT_NOFILE, &limit);
  printf("rank %d: %d files of %d, %ld\n", rank, opened, (int)limit.rlim_cur, sysconf(_SC_OPEN_MAX));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank < 2) {
    FILE* const command = popen(line, "w");
    printf("rank %d: %d", rank, told(pclose(command)));
    printf(" %d %d %d", told(system(line)), told_to_spawned(), told_to_found());
    printf(" %d %d", told_to_forked(0, by_list), told_to_forked(1, by_vector));
    printf(" %d %d\n", told_to_forked(1, by_environment), told_to_forked(0, fails_first));
    execv("/no/such/program", arguments);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* and the rank still has its own */
  while (opened > 0) close(files[--opened]);
  while (opened < 100 && open("/dev/null", O_RDONLY) >= 0) ++opened;
  printf("rank %d: %d files again\n", rank, opened);
  MPI_Finalize();
  return 0;
}
