#!/usr/bin/env bash
# A receive from MPI_PROC_NULL ends at once, and its status says so: source MPI_PROC_NULL, tag MPI_ANY_TAG, no element (MPI 5.0,
# 3.10). Programs that leave the edges of a grid out so look at the source. One would guess that it is the same for MPI_Irecv with
# MPI_Wait as for MPI_Recv. MPICH 4.0.3 says source 0, tag 0 after MPI_Wait, MPI_Test and all their kin, as if rank 0 had sent
# something, and is right after MPI_Recv alone; so is Debian 12's 4.0.2. MPICH 5.0.2 is right after all of them. Seen 2026-11-30.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > program.c << 'END'
#include <mpi.h>
#include <stdio.h>
static void say(const char* after, const MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_INT, &count);
  printf("%s: %s, %s, %d\n", after, status->MPI_SOURCE == MPI_PROC_NULL ? "null" : status->MPI_SOURCE == 0 ? "rank 0" : "else",
         status->MPI_TAG == MPI_ANY_TAG ? "any tag" : status->MPI_TAG == 0 ? "tag 0" : "else", count);
}
int main(int argc, char** argv) {
  int place = 0, which, flag, some;
  MPI_Init(&argc, &argv);
  for (int way = 0; way < 6; ++way) {
    static const char* const names[] = {"Recv", "Wait", "Waitall", "Waitany", "Waitsome", "Test"};
    MPI_Request request;
    MPI_Status status;
    status.MPI_SOURCE = status.MPI_TAG = 7777;
    if (way == 0) MPI_Recv(&place, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    if (way > 0) MPI_Irecv(&place, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request);
    if (way == 1) MPI_Wait(&request, &status);
    if (way == 2) MPI_Waitall(1, &request, &status);
    if (way == 3) MPI_Waitany(1, &request, &which, &status);
    if (way == 4) MPI_Waitsome(1, &request, &some, &which, &status);
    if (way == 5) MPI_Test(&request, &flag, &status);
    say(names[way], &status);
  }
  MPI_Finalize();
  return 0;
}
END
for version in 4.0.3 5.0.2; do
  rm -rf mpich
  install mpich "$version"
  build mpich
  after='rank 0, tag 0, 0'
  [[ $version == 4.0.3 ]] || after='null, any tag, 0'
  see 'after' "$(run mpich 1 | paste -sd ';')" \
    "Recv: null, any tag, 0;Test: $after;Wait: $after;Waitall: $after;Waitany: $after;Waitsome: $after"
done
