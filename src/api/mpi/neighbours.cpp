// Neighbourhood collectives (MPI 5.0, 8.6 to 8.8).
#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/collective_arguments.hpp"
#include "objects/described_neighbours.hpp"

namespace pure::core::mpi {

namespace {

using described_neighbours = core::described_neighbours<mpi_words>;

// ---- the three forms: `describe` is a member of described_neighbours, called with `arguments` ----

template <auto describe, class... Arguments>
void run_among_neighbours(const call& by, communicator& on, Arguments... arguments) {
  described_neighbours what(on, by);
  (what.*describe)(arguments...);
  run_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()));
}

template <auto describe, bool is_persistent, class... Arguments>
void start_among_neighbours(const call& by, communicator& on, handle* request, Arguments... arguments) {
  check_pointer(by, request, constants::err_arg, "request");
  described_neighbours what(on, by);
  (what.*describe)(arguments...);
  *request = start_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()), is_persistent);
}

}  // namespace

// ---- the functions ----

void bodies::Neighbor_allgather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::allgather>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                         recvtype);
}
void bodies::Ineighbor_allgather(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                 void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                                 handle* request) {
  start_among_neighbours<&described_neighbours::allgather, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                  recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_allgather_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                     void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                                     info_handle, handle* request) {
  start_among_neighbours<&described_neighbours::allgather, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                 recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                 void* recvbuf, number_array recvcounts, number_array displs, type_handle recvtype,
                                 communicator& comm) {
  run_among_neighbours<&described_neighbours::allgatherv>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                          displs, recvtype);
}
void bodies::Ineighbor_allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                  void* recvbuf, number_array recvcounts, number_array displs, type_handle recvtype,
                                  communicator& comm, handle* request) {
  start_among_neighbours<&described_neighbours::allgatherv, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                   recvbuf, recvcounts, displs, recvtype);
}
void bodies::Neighbor_allgatherv_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                      void* recvbuf, number_array recvcounts, number_array displs, type_handle recvtype,
                                      communicator& comm, info_handle, handle* request) {
  start_among_neighbours<&described_neighbours::allgatherv, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                  recvbuf, recvcounts, displs, recvtype);
}
void bodies::Neighbor_alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                               void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoall>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                        recvtype);
}
void bodies::Ineighbor_alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                                handle* request) {
  start_among_neighbours<&described_neighbours::alltoall, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                 recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_alltoall_init(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype,
                                    void* recvbuf, MPI_Count recvcount, type_handle recvtype, communicator& comm,
                                    info_handle, handle* request) {
  start_among_neighbours<&described_neighbours::alltoall, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                type_handle recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoallv>(by, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                         recvcounts, rdispls, recvtype);
}
void bodies::Ineighbor_alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                 type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                 type_handle recvtype, communicator& comm, handle* request) {
  start_among_neighbours<&described_neighbours::alltoallv, false>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                  sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
void bodies::Neighbor_alltoallv_init(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                     type_handle sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                     type_handle recvtype, communicator& comm, info_handle, handle* request) {
  start_among_neighbours<&described_neighbours::alltoallv, true>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                 sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
void bodies::Neighbor_alltoallw(const call& by, const void* sendbuf, number_array sendcounts, const MPI_Aint sdispls[],
                                const type_handle sendtypes[], void* recvbuf, number_array recvcounts,
                                const MPI_Aint rdispls[], const type_handle recvtypes[], communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoallw>(by, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                         recvcounts, rdispls, recvtypes);
}
void bodies::Ineighbor_alltoallw(const call& by, const void* sendbuf, number_array sendcounts, const MPI_Aint sdispls[],
                                 const type_handle sendtypes[], void* recvbuf, number_array recvcounts,
                                 const MPI_Aint rdispls[], const type_handle recvtypes[], communicator& comm,
                                 handle* request) {
  start_among_neighbours<&described_neighbours::alltoallw, false>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}
void bodies::Neighbor_alltoallw_init(const call& by, const void* sendbuf, number_array sendcounts,
                                     const MPI_Aint sdispls[], const type_handle sendtypes[], void* recvbuf,
                                     number_array recvcounts, const MPI_Aint rdispls[], const type_handle recvtypes[],
                                     communicator& comm, info_handle, handle* request) {
  start_among_neighbours<&described_neighbours::alltoallw, true>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}

}  // namespace pure::core::mpi
