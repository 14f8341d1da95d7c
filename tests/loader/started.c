/* How a program is started, as it sees it: its arguments, names and environment, the place of its file. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static int calls;
extern char** environ;

static const char* text_or(const char* text) { return text == NULL ? "(none)" : text; }

int main(int argc, char** argv, char** environment) {
  char path[4096] = "", line[8192], own_name[64];
  const unsigned long executed = getauxval(AT_EXECFN);
  FILE* const itself = fopen("/proc/self/exe", "rb");
  char magic[4] = "";
  int i, rank, size, length = 0;
  ++calls;
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) strcpy(path, "(no link)");
  if (itself != NULL && fread(magic, 1, 4, itself) == 4 && fclose(itself) == 0) magic[0] = 'e';
  length += snprintf(line + length, sizeof line - (size_t)length, "calls %d, argc %d:", calls, argc);
  for (i = 0; i < argc; ++i) length += snprintf(line + length, sizeof line - (size_t)length, " [%s]", argv[i]);
  length += snprintf(line + length, sizeof line - (size_t)length,
                     "; %s, invoked as %s, %s; from %s; executed %s; link %s; %c; environment %d %d",
                     argv[argc] == NULL ? "end" : "WRONG", program_invocation_name, program_invocation_short_name,
                     text_or(getcwd(NULL, 0)), text_or(executed == 0 ? NULL : realpath((const char*)executed, NULL)),
                     path, magic[0], environment == environ,
                     getenv("LOADER_TEST") == NULL ? -1 : atoi(getenv("LOADER_TEST")));
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* The arguments are the rank's to change. */
  if (argc > 1) {
    snprintf(own_name, sizeof own_name, "%d", rank % 10);
    argv[1][0] = own_name[0];
    argv[argc - 1] = own_name;
    MPI_Barrier(MPI_COMM_WORLD);
    if (argv[argc - 1] != own_name || (argc > 2 && argv[1][0] != own_name[0]))
      printf("WRONG: rank %d has lost its arguments\n", rank);
  }
  printf("rank %d of %d: %s\n", rank, size, line);
  MPI_Finalize();
  return 0;
}
