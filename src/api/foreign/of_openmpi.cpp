// Functions of Open MPI's own that programs and libraries import: what its constants for attributes are.
#include "api/foreign/entry.hpp"

namespace {

int copy_pointer(void* value, void* to, int* flag) {
  std::memcpy(to, &value, sizeof value);
  *flag = 1;
  return MPI_SUCCESS;
}
int copy_nothing(int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

}  // namespace

#define PURE_OPENMPI_FUNCTIONS(OF, Handle)                                                                      \
  int OMPI_C_MPI_##OF##NULL_COPY_FN(Handle, int, void*, void*, void*, int* flag) { return copy_nothing(flag); } \
  int OMPI_C_MPI_##OF##DUP_FN(Handle, int, void*, void* value, void* to, int* flag) {                           \
    return copy_pointer(value, to, flag);                                                                       \
  }                                                                                                             \
  int OMPI_C_MPI_##OF##NULL_DELETE_FN(Handle, int, void*, void*) { return MPI_SUCCESS; }

// Persistent collectives, by the names that they had before MPI 4.0.
#define PURE_OPENMPI_EXTENSION(name)                 \
  PURE_JUMP(MPIX_##name##_init, PMPI_##name##_init); \
  PURE_JUMP(PMPIX_##name##_init, PMPI_##name##_init)
PURE_OPENMPI_EXTENSION(Allgather);
PURE_OPENMPI_EXTENSION(Allgatherv);
PURE_OPENMPI_EXTENSION(Allreduce);
PURE_OPENMPI_EXTENSION(Alltoall);
PURE_OPENMPI_EXTENSION(Alltoallv);
PURE_OPENMPI_EXTENSION(Alltoallw);
PURE_OPENMPI_EXTENSION(Barrier);
PURE_OPENMPI_EXTENSION(Bcast);
PURE_OPENMPI_EXTENSION(Exscan);
PURE_OPENMPI_EXTENSION(Gather);
PURE_OPENMPI_EXTENSION(Gatherv);
PURE_OPENMPI_EXTENSION(Neighbor_allgather);
PURE_OPENMPI_EXTENSION(Neighbor_allgatherv);
PURE_OPENMPI_EXTENSION(Neighbor_alltoall);
PURE_OPENMPI_EXTENSION(Neighbor_alltoallv);
PURE_OPENMPI_EXTENSION(Neighbor_alltoallw);
PURE_OPENMPI_EXTENSION(Reduce);
PURE_OPENMPI_EXTENSION(Reduce_scatter);
PURE_OPENMPI_EXTENSION(Reduce_scatter_block);
PURE_OPENMPI_EXTENSION(Scan);
PURE_OPENMPI_EXTENSION(Scatter);
PURE_OPENMPI_EXTENSION(Scatterv);

extern "C" {
/// MPI::Op::Init() of the C++ bindings gives an operator the program's function so. Pure has no such operators.
__attribute__((visibility("default"))) void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function* function);
void ompi_op_set_cxx_callback(MPI_Op, MPI_User_function*) {
  pure::foreign::pure_core_mpi_raise("MPI::Op::Init", pure::foreign::constants::err_unsupported_operation,
                                     "Pure does not have operators of MPI's C++ bindings: MPI_Op_create makes one");
}

/// No buffers in devices.
__attribute__((visibility("default"))) int MPIX_Query_cuda_support();
int MPIX_Query_cuda_support() { return 0; }

PURE_OPENMPI_FUNCTIONS(COMM_, MPI_Comm)
PURE_OPENMPI_FUNCTIONS(TYPE_, MPI_Datatype)
PURE_OPENMPI_FUNCTIONS(WIN_, MPI_Win)
PURE_OPENMPI_FUNCTIONS(, MPI_Comm)
}
