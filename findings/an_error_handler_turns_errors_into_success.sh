#!/usr/bin/env bash
# What does a call return whose error has gone to an error handler of the program? One would guess its error, as with
# MPI_ERRORS_RETURN: the handler cannot change it. In Open MPI 5.0.11 it does; in MPICH 5.0.2 the call returns MPI_SUCCESS.
# Seen 2026-11-28, for a send to a rank that there is not.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
static int calls = 0;
static void handler(MPI_Comm* on, int* code, ...) { (void)on, (void)code, ++calls; }
int main(int argc, char** argv) {
  int size, x = 0;
  MPI_Errhandler made;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(handler, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, made);
  const int code = MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  printf("called %d time, returned %s\n", calls, class == MPI_SUCCESS ? "success" : class == MPI_ERR_RANK ? "MPI_ERR_RANK" : "?");
  MPI_Errhandler_free(&made);
  MPI_Finalize();
  return 0;
}
END
build_both
see 'MPICH' "$(run mpich 1)" 'called 1 time, returned success'
see 'Open MPI' "$(run openmpi 1)" 'called 1 time, returned MPI_ERR_RANK'
