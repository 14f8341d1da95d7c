// Collectives, persistent (MPI 5.0, chapter 6): see api/mpi/collective_forms.hpp.
#include "api/mpi/bodies.hpp"
#include "api/mpi/collective_forms.hpp"

namespace pure::core::mpi {

void bodies::Barrier_init(const call& by, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::barrier>(by, comm, request);
}

void bodies::Bcast_init(const call& by, void* buffer, MPI_Count count, type_handle datatype, int root,
                        communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::bcast>(by, comm, request, buffer, count, datatype, root);
}

void bodies::Gather_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                         MPI_Count recvcount, type_handle recvtype, int root, communicator& comm, info_handle,
                         handle* request) {
  prepare_described<&described_collective::gather>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                   recvtype, root);
}

void bodies::Gatherv_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                          number_array recvcounts, number_array displs, type_handle recvtype, int root,
                          communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::gatherv>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf,
                                                    recvcounts, displs, recvtype, root);
}

void bodies::Scatter_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                          MPI_Count recvcount, type_handle recvtype, int root, communicator& comm, info_handle,
                          handle* request) {
  prepare_described<&described_collective::scatter>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                    recvtype, root);
}

void bodies::Scatterv_init(const call& by, const void* sendbuf, number_array sendcounts, number_array displs,
                           type_handle sendtype, void* recvbuf, MPI_Count recvcount, type_handle recvtype, int root,
                           communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::scatterv>(by, comm, request, sendbuf, sendcounts, displs, sendtype, recvbuf,
                                                     recvcount, recvtype, root);
}

void bodies::Allgather_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                            void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm, info_handle,
                            handle* request) {
  prepare_described<&described_collective::allgather>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf,
                                                      recvcount, recvtype);
}

void bodies::Allgatherv_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                             void* recvbuf, number_array recvcounts, number_array displs, type_handle recvtype,
                             communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::allgatherv>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf,
                                                       recvcounts, displs, recvtype);
}

void bodies::Alltoall_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                           void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm, info_handle,
                           handle* request) {
  prepare_described<&described_collective::alltoall>(by, comm, request, sendbuf, sendcount, sendtype, recvbuf,
                                                     recvcount, recvtype);
}

void bodies::Alltoallv_init(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                            type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                            type_handle recvtype, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::alltoallv>(by, comm, request, sendbuf, sendcounts, sdispls, sendtype,
                                                      recvbuf, recvcounts, rdispls, recvtype);
}

void bodies::Alltoallw_init(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                            const type_handle sendtypes[], void* recvbuf, number_array recvcounts, number_array rdispls,
                            const type_handle recvtypes[], communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::alltoallw>(by, comm, request, sendbuf, sendcounts, sdispls, sendtypes,
                                                      recvbuf, recvcounts, rdispls, recvtypes);
}

void bodies::Reduce_init(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                         op_handle op, int root, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::reduce>(by, comm, request, sendbuf, recvbuf, count, datatype, op, root);
}

void bodies::Allreduce_init(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                            op_handle op, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::reduce_everywhere<collective::allreduce>>(by, comm, request, sendbuf,
                                                                                     recvbuf, count, datatype, op);
}

void bodies::Scan_init(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                       op_handle op, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::reduce_everywhere<collective::scan>>(by, comm, request, sendbuf, recvbuf,
                                                                                count, datatype, op);
}

void bodies::Exscan_init(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                         op_handle op, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::reduce_everywhere<collective::exscan>>(by, comm, request, sendbuf, recvbuf,
                                                                                  count, datatype, op);
}

void bodies::Reduce_scatter_init(const call& by, const void* sendbuf, void* recvbuf, number_array recvcounts,
                                 type_handle datatype, op_handle op, communicator& comm, info_handle, handle* request) {
  prepare_described<&described_collective::reduce_scatter>(by, comm, request, sendbuf, recvbuf, recvcounts, datatype,
                                                           op);
}

void bodies::Reduce_scatter_block_init(const call& by, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                       type_handle datatype, op_handle op, communicator& comm, info_handle,
                                       handle* request) {
  prepare_described<&described_collective::reduce_scatter_block>(by, comm, request, sendbuf, recvbuf, recvcount,
                                                                 datatype, op);
}

}  // namespace pure::core::mpi
