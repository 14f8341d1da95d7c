#!/usr/bin/env bash
# MPI_Init and stdout. One would guess that the start of an MPI leaves the program's streams as they are: a pipe with a full
# buffer, so that a line which puts() prints leaves whole. MPICH 5.0.2 (and 4.0.2) makes stdout unbuffered, and puts() then is
# two writes, the line and its end: what another process prints comes between them now and then, in mpiexec's output. GCC
# makes puts() of printf("%s\n", ...). Open MPI 5.0.11 leaves the stream alone. Seen 2026-11-30.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdio_ext.h>
int main(int argc, char** argv) {
  static char buffer[4096];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  size_t before = __fbufsize(stdout);
  MPI_Init(&argc, &argv);
  size_t after = __fbufsize(stdout);
  printf("%zu bytes, then %zu\n", before, after);
  MPI_Finalize();
  return 0;
}
END
build_both
see 'MPICH, the buffer before and after the start' "$(run mpich 1)" '4096 bytes, then 1'
see 'Open MPI' "$(run openmpi 1)" '4096 bytes, then 4096'
