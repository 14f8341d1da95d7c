/* Programs and the descriptors of the runtime beside theirs.
 *
 *   closes   after MPI_Init the program closes all descriptors but the first three, as daemons and launchers do, has files of
 *            its own under their numbers, and then sends its first message: its files stay as they are
 *   heirs    what a rank starts has none of the job's
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { files = 16, most = 1024 };
static const char content[] = "of the program\n";

static void exchange(long bytes) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  char* const out = malloc(bytes);
  char* const in = malloc(bytes);
  memset(out, rank + 1, bytes);
  DO(MPI_Sendrecv(out, bytes, MPI_CHAR, right, 0, in, bytes, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (long i = 0; i < bytes; ++i) CHECK(in[i] == left + 1);
  free(out);
  free(in);
}

static void closes(void) {
  int own[files];
  char name[100];
  for (int i = 3; i < most; ++i) close(i);
  for (int i = 0; i < files; ++i) {
    snprintf(name, sizeof name, "own.%d.%d", rank, i);
    own[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(own[i] >= 3 && write(own[i], content, sizeof content) == sizeof content);
  }
  exchange(8);
  exchange(300000);
  if (rank == 0) usleep(300000); /* the others sleep, and are woken */
  DO(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < files; ++i) {
    struct stat its;
    char read_back[sizeof content] = "";
    CHECK(fstat(own[i], &its) == 0 && its.st_size == sizeof content);
    CHECK(pread(own[i], read_back, sizeof content, 0) == sizeof content && memcmp(read_back, content, sizeof content) == 0);
    CHECK(lseek(own[i], 0, SEEK_CUR) == sizeof content);
  }
}

/* The command is `ls -l` of its own descriptors; the test looks at what it says. */
static void heirs(const char* command) {
  exchange(8);
  if (rank == 0) CHECK(system(command) == 0);
  DO(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc == 2 && strcmp(argv[1], "closes") == 0) closes();
  if (argc == 3 && strcmp(argv[1], "heirs") == 0) heirs(argv[2]);
  return end();
}
