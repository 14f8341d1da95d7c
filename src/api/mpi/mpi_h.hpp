// mpi.h as the sources of this door include it, for its types: none of them calls a function of MPI by its name, which a
// program's tools may have, too. The header is made by generate.py, and is found before that of any other MPI
// (cmake/mpi_door.cmake).
#pragma once

#include <mpi.h>

#ifndef PURE_MPI_H
#error "this is the mpi.h of another MPI"
#endif
