// Neighbourhood collectives, in their three forms (MPI 5.0, 8.6 to 8.8).
#include "api/mpi/bodies.hpp"
#include "api/mpi/collective_arguments.hpp"

namespace pure::core::mpi {

void bodies::Neighbor_allgather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                                const collective_form& how) {
  make_among_neighbours(by, comm, how, [&](neighbour_call& its) {
    return its.allgather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)});
  });
}

void bodies::Neighbor_allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                 void* recvbuf, number_array recvcounts, number_array displs, type_handle recvtype,
                                 communicator& comm, const collective_form& how) {
  make_among_neighbours(by, comm, how, [&](neighbour_call& its) {
    return its.allgather({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcounts, displs, given(recvtype)});
  });
}

void bodies::Neighbor_alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                               void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                               const collective_form& how) {
  make_among_neighbours(by, comm, how, [&](neighbour_call& its) {
    return its.alltoall({sendbuf, sendcount, given(sendtype)}, {recvbuf, recvcount, given(recvtype)});
  });
}

void bodies::Neighbor_alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                type_handle recvtype, communicator& comm, const collective_form& how) {
  make_among_neighbours(by, comm, how, [&](neighbour_call& its) {
    return its.alltoall({sendbuf, sendcounts, sdispls, given(sendtype)},
                        {recvbuf, recvcounts, rdispls, given(recvtype)});
  });
}

void bodies::Neighbor_alltoallw(const call& by, const void* sendbuf, number_array sendcounts, const MPI_Aint sdispls[],
                                const type_handle sendtypes[], void* recvbuf, number_array recvcounts,
                                const MPI_Aint rdispls[], const type_handle recvtypes[], communicator& comm,
                                const collective_form& how) {
  make_among_neighbours(by, comm, how, [&](neighbour_call& its) {
    return its.alltoall({sendbuf, sendcounts, sdispls, sendtypes}, {recvbuf, recvcounts, rdispls, recvtypes});
  });
}

}  // namespace pure::core::mpi
