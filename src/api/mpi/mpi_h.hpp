// mpi.h as the sources of this door include it: its functions are what the library exports. The header is made by
// generate.py, and is found before that of any other MPI (cmake/mpi_door.cmake).
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#ifndef PURE_MPI_H
#error "this is the mpi.h of another MPI"
#endif
