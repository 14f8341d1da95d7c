// A program can be of one MPI only: handles and constants of another one have other values, and calls go to whichever
// library comes first, whatever a part was compiled for. CMake makes such programs where it is told the compiler of C,
// and finds another MPI's for Fortran. purerun refuses them, and plug-ins, before (loader/mpi_libraries.hpp); here are
// the other starts.
#pragma once

#include "base/call.hpp"

namespace pure::core::mpi {

/// In MPI_Init, before there is a job: Pure's function was called, and another MPI's library is loaded. Throws
/// pure::Error.
void refuse_other_mpi(const call& by);

}  // namespace pure::core::mpi
