// Functions of libmpi_abi besides those of mpi.h, and those that every door has (beside_mpi.cpp).
#include "api/doors/jump.hpp"

// Fortran's side, which is a part of the program, asks for these (api/fortran/side.hpp).
PURE_JUMP(pure_mpi_called_from, pure_core_mpi_called_from);
PURE_JUMP(pure_mpi_raise, pure_core_mpi_raise);
PURE_JUMP(pure_mpi_op_create_fortran, pure_core_mpi_op_create_fortran);
PURE_JUMP(pure_mpi_create_errhandler_fortran, pure_core_mpi_create_errhandler_fortran);
