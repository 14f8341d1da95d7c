// libmpi_abi.so.1: the functions of mpi.h, by the names of the standard ABI. The core's entries are the same ones.
#include "api/doors/jump.hpp"
#include "api/doors/standard_jumps.inc"
