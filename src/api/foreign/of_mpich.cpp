// A function of MPICH's own that programs import: what MPI_COMM_DUP_FN and its kin are.
#include "api/foreign/entry.hpp"

extern "C" {

int MPIR_Dup_fn(int, int, void*, void* value, void* to, int* flag) {
  std::memcpy(to, &value, sizeof value);
  *flag = 1;
  return MPI_SUCCESS;
}

/// No buffers in devices.
__attribute__((visibility("default"))) int MPIX_Query_cuda_support();
int MPIX_Query_cuda_support() { return 0; }

}  // extern "C"
