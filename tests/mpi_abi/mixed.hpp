// The other file of the program mixed: of pure.h, which marks a program whose main Pure runs itself, unless it is of MPI.
#pragma once

#include <mpi.h>

int rank_as_pure_h_has_it(MPI_Comm comm);
