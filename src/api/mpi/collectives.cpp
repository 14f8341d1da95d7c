// Collectives, blocking (MPI 5.0, chapter 6): see api/mpi/collective_forms.hpp.
#include "api/mpi/bodies.hpp"
#include "api/mpi/collective_forms.hpp"

namespace pure::core::mpi {

void bodies::Barrier(const call& by, communicator& comm) { run_described<&described_collective::barrier>(by, comm); }

void bodies::Bcast(const call& by, void* buffer, MPI_Count count, type_handle datatype, int root, communicator& comm) {
  run_described<&described_collective::bcast>(by, comm, buffer, count, datatype, root);
}

void bodies::Gather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                    MPI_Count recvcount, type_handle recvtype, int root, communicator& comm) {
  run_described<&described_collective::gather>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                               root);
}

void bodies::Gatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                     number_array recvcounts, number_array displs, type_handle recvtype, int root, communicator& comm) {
  run_described<&described_collective::gatherv>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                recvtype, root);
}

void bodies::Scatter(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                     MPI_Count recvcount, type_handle recvtype, int root, communicator& comm) {
  run_described<&described_collective::scatter>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                root);
}

void bodies::Scatterv(const call& by, const void* sendbuf, number_array sendcounts, number_array displs,
                      type_handle sendtype, void* recvbuf, MPI_Count recvcount, type_handle recvtype, int root,
                      communicator& comm) {
  run_described<&described_collective::scatterv>(by, comm, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                                 recvtype, root);
}

void bodies::Allgather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                       MPI_Count recvcount, type_handle recvtype, communicator& comm) {
  run_described<&described_collective::allgather>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

void bodies::Allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                        number_array recvcounts, number_array displs, type_handle recvtype, communicator& comm) {
  run_described<&described_collective::allgatherv>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                   recvtype);
}

void bodies::Alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                      MPI_Count recvcount, type_handle recvtype, communicator& comm) {
  run_described<&described_collective::alltoall>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

void bodies::Alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                       type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                       type_handle recvtype, communicator& comm) {
  run_described<&described_collective::alltoallv>(by, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                                  rdispls, recvtype);
}

void bodies::Alltoallw(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                       const type_handle sendtypes[], void* recvbuf, number_array recvcounts, number_array rdispls,
                       const type_handle recvtypes[], communicator& comm) {
  run_described<&described_collective::alltoallw>(by, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                  recvcounts, rdispls, recvtypes);
}

void bodies::Reduce(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                    op_handle op, int root, communicator& comm) {
  run_described<&described_collective::reduce>(by, comm, sendbuf, recvbuf, count, datatype, op, root);
}

void bodies::Allreduce(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                       op_handle op, communicator& comm) {
  run_described<&described_collective::reduce_everywhere<collective::allreduce>>(by, comm, sendbuf, recvbuf, count,
                                                                                 datatype, op);
}

void bodies::Scan(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                  op_handle op, communicator& comm) {
  run_described<&described_collective::reduce_everywhere<collective::scan>>(by, comm, sendbuf, recvbuf, count, datatype,
                                                                            op);
}

void bodies::Exscan(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                    op_handle op, communicator& comm) {
  run_described<&described_collective::reduce_everywhere<collective::exscan>>(by, comm, sendbuf, recvbuf, count,
                                                                              datatype, op);
}

void bodies::Reduce_scatter(const call& by, const void* sendbuf, void* recvbuf, number_array recvcounts,
                            type_handle datatype, op_handle op, communicator& comm) {
  run_described<&described_collective::reduce_scatter>(by, comm, sendbuf, recvbuf, recvcounts, datatype, op);
}

void bodies::Reduce_scatter_block(const call& by, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                  type_handle datatype, op_handle op, communicator& comm) {
  run_described<&described_collective::reduce_scatter_block>(by, comm, sendbuf, recvbuf, recvcount, datatype, op);
}

}  // namespace pure::core::mpi
