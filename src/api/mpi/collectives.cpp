// Collectives, in their three forms (MPI 5.0, chapter 6).
#include "api/mpi/bodies.hpp"
#include "api/mpi/collective_arguments.hpp"

namespace pure::core::mpi {

void bodies::Barrier(const call& by, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) { return its.barrier(); });
}

void bodies::Bcast(const call& by, void* buffer, MPI_Count count, type_handle datatype, int root, communicator& comm,
                   const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.bcast({buffer, count, given(datatype)}, root);
  });
}

void bodies::Gather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                    MPI_Count recvcount, type_handle recvtype, int root, communicator& comm,
                    const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.gather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)}, root);
  });
}

void bodies::Gatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                     number_array recvcounts, number_array displs, type_handle recvtype, int root, communicator& comm,
                     const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.gather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcounts, displs, given(recvtype)}, root);
  });
}

void bodies::Scatter(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                     MPI_Count recvcount, type_handle recvtype, int root, communicator& comm,
                     const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.scatter({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)}, root);
  });
}

void bodies::Scatterv(const call& by, const void* sendbuf, number_array sendcounts, number_array displs,
                      type_handle sendtype, void* recvbuf, MPI_Count recvcount, type_handle recvtype, int root,
                      communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.scatter({sendbuf, sendcounts, displs, given(sendtype)}, {recvbuf, recvcount, given(recvtype)}, root);
  });
}

void bodies::Allgather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                       MPI_Count recvcount, type_handle recvtype, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.allgather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)});
  });
}

void bodies::Allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                        number_array recvcounts, number_array displs, type_handle recvtype, communicator& comm,
                        const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.allgather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcounts, displs, given(recvtype)});
  });
}

void bodies::Alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, void* recvbuf,
                      MPI_Count recvcount, type_handle recvtype, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.alltoall({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)});
  });
}

void bodies::Alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                       type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                       type_handle recvtype, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.alltoall({sendbuf, sendcounts, sdispls, given(sendtype)},
                        {recvbuf, recvcounts, rdispls, given(recvtype)});
  });
}

void bodies::Alltoallw(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                       const type_handle sendtypes[], void* recvbuf, number_array recvcounts, number_array rdispls,
                       const type_handle recvtypes[], communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.alltoall({sendbuf, sendcounts, sdispls, sendtypes}, {recvbuf, recvcounts, rdispls, recvtypes});
  });
}

void bodies::Reduce(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                    op_handle op, int root, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce(sendbuf, {recvbuf, count, given(datatype)}, op.value, root);
  });
}

void bodies::Allreduce(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                       op_handle op, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce_everywhere(collective::allreduce, sendbuf, {recvbuf, count, given(datatype)}, op.value);
  });
}

void bodies::Scan(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                  op_handle op, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce_everywhere(collective::scan, sendbuf, {recvbuf, count, given(datatype)}, op.value);
  });
}

void bodies::Exscan(const call& by, const void* sendbuf, void* recvbuf, MPI_Count count, type_handle datatype,
                    op_handle op, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce_everywhere(collective::exscan, sendbuf, {recvbuf, count, given(datatype)}, op.value);
  });
}

void bodies::Reduce_scatter(const call& by, const void* sendbuf, void* recvbuf, number_array recvcounts,
                            type_handle datatype, op_handle op, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce_scatter(sendbuf, recvbuf, recvcounts, given(datatype), op.value);
  });
}

void bodies::Reduce_scatter_block(const call& by, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                  type_handle datatype, op_handle op, communicator& comm, const collective_form& how) {
  make_collective(by, comm, how, [&](const collective_call& its) {
    return its.reduce_scatter_block(sendbuf, {recvbuf, recvcount, given(datatype)}, op.value);
  });
}

}  // namespace pure::core::mpi
