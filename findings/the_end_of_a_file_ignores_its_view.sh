#!/usr/bin/env bash
# MPI_File_seek(0, MPI_SEEK_END) where the view shows one double of three, on a file of 72 bytes: MPI 5.0, 14.4.3 counts the
# etypes of the view up to the end of the file, 3 of them. ROMIO (MPICH 5.0.2) gives 3. OMPIO (Open MPI 5.0.11) gives 9: it
# divides the size of the file by the etype, and so a write there leaves a hole. Seen 2026-11-28.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_File file;
  MPI_Datatype third;
  MPI_Offset at;
  double zeros[9] = {0};
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, zeros, 9, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &third);
  MPI_Type_commit(&third);
  MPI_File_set_view(file, 0, MPI_DOUBLE, third, "native", MPI_INFO_NULL);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &at);
  printf("%lld\n", (long long)at);
  MPI_Type_free(&third);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
END
build_both
see 'MPICH (ROMIO)' "$(run mpich 1)" 3
rm -f data
see 'Open MPI (OMPIO)' "$(run openmpi 1)" 9
