// Symbols of Open MPI's modules besides procedures of MPI, by gfortran's names.
#include "api/doors/jump.hpp"
#include "api/fortran/door_modules.hpp"

namespace pure::fortran {

extern "C" {

PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_comm_op_eq, __mpi_f08_types_MOD_ompi_comm_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_datatype_op_eq, __mpi_f08_types_MOD_ompi_datatype_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_errhandler_op_eq, __mpi_f08_types_MOD_ompi_errhandler_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_file_op_eq, __mpi_f08_types_MOD_ompi_file_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_group_op_eq, __mpi_f08_types_MOD_ompi_group_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_info_op_eq, __mpi_f08_types_MOD_ompi_info_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_message_op_eq, __mpi_f08_types_MOD_ompi_message_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_op_op_eq, __mpi_f08_types_MOD_ompi_op_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_request_op_eq, __mpi_f08_types_MOD_ompi_request_op_ne)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_ompi_win_op_eq, __mpi_f08_types_MOD_ompi_win_op_ne)

// MPI_Sizeof, by the type of its argument, and the number of its dimensions.
#define PURE_FORTRAN_SIZEOF_OF(type, dimensions, bytes)                                   \
  void mpi_sizeof_##type##_##dimensions##_(const void*, integer* size, integer* ierror) { \
    *size = bytes;                                                                        \
    give_error(ierror, MPI_SUCCESS);                                                      \
  }                                                                                       \
  PURE_FORTRAN_NAME("pmpi_sizeof_" #type "_" #dimensions "_", "mpi_sizeof_" #type "_" #dimensions "_");
#define PURE_FORTRAN_SIZEOF(type, bytes)      \
  PURE_FORTRAN_SIZEOF_OF(type, scalar, bytes) \
  PURE_FORTRAN_SIZEOF_OF(type, r1, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r2, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r3, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r4, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r5, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r6, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r7, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r8, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r9, bytes)     \
  PURE_FORTRAN_SIZEOF_OF(type, r10, bytes)    \
  PURE_FORTRAN_SIZEOF_OF(type, r11, bytes)    \
  PURE_FORTRAN_SIZEOF_OF(type, r12, bytes)    \
  PURE_FORTRAN_SIZEOF_OF(type, r13, bytes)    \
  PURE_FORTRAN_SIZEOF_OF(type, r14, bytes)    \
  PURE_FORTRAN_SIZEOF_OF(type, r15, bytes)
PURE_FORTRAN_SIZEOF(character, 1)
PURE_FORTRAN_SIZEOF(logical, 4)
PURE_FORTRAN_SIZEOF(int8, 1)
PURE_FORTRAN_SIZEOF(int16, 2)
PURE_FORTRAN_SIZEOF(int32, 4)
PURE_FORTRAN_SIZEOF(int64, 8)
PURE_FORTRAN_SIZEOF(real32, 4)
PURE_FORTRAN_SIZEOF(real64, 8)
PURE_FORTRAN_SIZEOF(real128, 16)
PURE_FORTRAN_SIZEOF(complex32, 8)
PURE_FORTRAN_SIZEOF(complex64, 16)
PURE_FORTRAN_SIZEOF(complex128, 32)

// Functions of its module that are called by names of their own.
PURE_JUMP(mpi_wtime_f90_, mpi_wtime_);
PURE_JUMP(mpi_wtick_f90_, mpi_wtick_);
PURE_JUMP(mpi_aint_add_f90_, mpi_aint_add_);
PURE_JUMP(mpi_aint_diff_f90_, mpi_aint_diff_);

// Persistent collectives, by the names that they had before MPI 4.0.
#define PURE_FORTRAN_EXTENSION(name)        \
  PURE_JUMP(mpix_##name##_, mpi_##name##_); \
  PURE_JUMP(pmpix_##name##_, mpi_##name##_)
PURE_FORTRAN_EXTENSION(allgather_init);
PURE_FORTRAN_EXTENSION(allgatherv_init);
PURE_FORTRAN_EXTENSION(allreduce_init);
PURE_FORTRAN_EXTENSION(alltoall_init);
PURE_FORTRAN_EXTENSION(alltoallv_init);
PURE_FORTRAN_EXTENSION(alltoallw_init);
PURE_FORTRAN_EXTENSION(barrier_init);
PURE_FORTRAN_EXTENSION(bcast_init);
PURE_FORTRAN_EXTENSION(exscan_init);
PURE_FORTRAN_EXTENSION(gather_init);
PURE_FORTRAN_EXTENSION(gatherv_init);
PURE_FORTRAN_EXTENSION(neighbor_allgather_init);
PURE_FORTRAN_EXTENSION(neighbor_allgatherv_init);
PURE_FORTRAN_EXTENSION(neighbor_alltoall_init);
PURE_FORTRAN_EXTENSION(neighbor_alltoallv_init);
PURE_FORTRAN_EXTENSION(neighbor_alltoallw_init);
PURE_FORTRAN_EXTENSION(reduce_init);
PURE_FORTRAN_EXTENSION(reduce_scatter_block_init);
PURE_FORTRAN_EXTENSION(reduce_scatter_init);
PURE_FORTRAN_EXTENSION(scan_init);
PURE_FORTRAN_EXTENSION(scatter_init);
PURE_FORTRAN_EXTENSION(scatterv_init);

}  // extern "C"

}  // namespace pure::fortran
