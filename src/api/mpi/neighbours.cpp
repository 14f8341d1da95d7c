// Neighbourhood collectives (MPI 5.0, 8.6 to 8.8).
#include "api/mpi/neighbours.hpp"

#include <fmt/core.h>

#include "api/mpi/bodies.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

described_neighbours::described_neighbours(communicator& on, const call& by) : on_(on), by_(by) {
  const process_topology* const of = find_topology(on);
  if (of == nullptr) throw_error(by, MPI_ERR_TOPOLOGY, "the communicator has no topology");
  sources_ = of->sources_of(on.rank());
  destinations_ = of->destinations_of(on.rank());
}

std::int64_t described_neighbours::extents(std::int64_t elements, MPI_Datatype type, const char* name) const {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, type_of(by_, type, name).form->extent(), &bytes))
    throw_wrong_call(by_, errc::argument, "a block is too far from the buffer");
  return bytes;
}

void described_neighbours::require(bool is_there, std::size_t neighbours, const char* name) const {
  if (!is_there && neighbours > 0) throw_wrong_call(by_, errc::argument, fmt::format("{} is null", name));
}

namespace {

/// Also from MPI_BOTTOM.
void* moved(const void* buf, std::int64_t bytes) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buf) +  // NOLINT: a number
                                 static_cast<std::uintptr_t>(bytes));
}

}  // namespace

/// To the next neighbour.
void described_neighbours::send(const void* buf, std::int64_t offset, std::int64_t count, MPI_Datatype type,
                                const char* name) {
  const neighbour& to = destinations_[sent_.size()];
  if (buf == MPI_IN_PLACE) throw_wrong_call(by_, errc::buffer, "MPI_IN_PLACE has no meaning here");
  sent_.push_back({placed_at(on_, by_, moved(buf, offset), count, type, name), to.rank, to.tag});
}

void described_neighbours::receive(void* buf, std::int64_t offset, std::int64_t count, MPI_Datatype type,
                                   const char* name) {
  const neighbour& from = sources_[received_.size()];
  received_.push_back({placed_at(on_, by_, moved(buf, offset), count, type, name), from.rank, from.tag});
}

void described_neighbours::allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     std::int64_t recvcount, MPI_Datatype recvtype) {
  for (std::size_t i = 0; i < destinations_.size(); ++i) send(sendbuf, 0, sendcount, sendtype, "sendtype");
  const std::int64_t block = extents(recvcount, recvtype, "recvtype");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    receive(recvbuf, static_cast<std::int64_t>(i) * block, recvcount, recvtype, "recvtype");
}

void described_neighbours::allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      number_array recvcounts, number_array displs, MPI_Datatype recvtype) {
  require(!recvcounts.is_null(), sources_.size(), "recvcounts");
  require(!displs.is_null(), sources_.size(), "displs");
  for (std::size_t i = 0; i < destinations_.size(); ++i) send(sendbuf, 0, sendcount, sendtype, "sendtype");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    receive(recvbuf, extents(displs[i], recvtype, "recvtype"), recvcounts[i], recvtype, "recvtype");
}

void described_neighbours::alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    std::int64_t recvcount, MPI_Datatype recvtype) {
  const std::int64_t sent_block = extents(sendcount, sendtype, "sendtype");
  const std::int64_t block = extents(recvcount, recvtype, "recvtype");
  for (std::size_t i = 0; i < destinations_.size(); ++i)
    send(sendbuf, static_cast<std::int64_t>(i) * sent_block, sendcount, sendtype, "sendtype");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    receive(recvbuf, static_cast<std::int64_t>(i) * block, recvcount, recvtype, "recvtype");
}

void described_neighbours::alltoallv(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                     MPI_Datatype sendtype, void* recvbuf, number_array recvcounts,
                                     number_array rdispls, MPI_Datatype recvtype) {
  require(!sendcounts.is_null() && !sdispls.is_null(), destinations_.size(), "sendcounts or sdispls");
  require(!recvcounts.is_null() && !rdispls.is_null(), sources_.size(), "recvcounts or rdispls");
  for (std::size_t i = 0; i < destinations_.size(); ++i)
    send(sendbuf, extents(sdispls[i], sendtype, "sendtype"), sendcounts[i], sendtype, "sendtype");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    receive(recvbuf, extents(rdispls[i], recvtype, "recvtype"), recvcounts[i], recvtype, "recvtype");
}

void described_neighbours::alltoallw(const void* sendbuf, number_array sendcounts, const MPI_Aint* sdispls,
                                     const MPI_Datatype* sendtypes, void* recvbuf, number_array recvcounts,
                                     const MPI_Aint* rdispls, const MPI_Datatype* recvtypes) {
  require(!sendcounts.is_null() && sdispls != nullptr && sendtypes != nullptr, destinations_.size(),
          "sendcounts, sdispls or sendtypes");
  require(!recvcounts.is_null() && rdispls != nullptr && recvtypes != nullptr, sources_.size(),
          "recvcounts, rdispls or recvtypes");
  for (std::size_t i = 0; i < destinations_.size(); ++i)
    send(sendbuf, sdispls[i], sendcounts[i], sendtypes[i], "sendtypes");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    receive(recvbuf, rdispls[i], recvcounts[i], recvtypes[i], "recvtypes");
}

// ---- the functions ----

void bodies::Neighbor_allgather(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::allgather>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                         recvtype);
}
void bodies::Ineighbor_allgather(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm,
                                 MPI_Request* request) {
  start_among_neighbours<&described_neighbours::allgather, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                  recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_allgather_init(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm,
                                     MPI_Info, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::allgather, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                 recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, number_array recvcounts, number_array displs, MPI_Datatype recvtype,
                                 communicator& comm) {
  run_among_neighbours<&described_neighbours::allgatherv>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                          displs, recvtype);
}
void bodies::Ineighbor_allgatherv(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, number_array recvcounts, number_array displs, MPI_Datatype recvtype,
                                  communicator& comm, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::allgatherv, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                   recvbuf, recvcounts, displs, recvtype);
}
void bodies::Neighbor_allgatherv_init(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, number_array recvcounts, number_array displs,
                                      MPI_Datatype recvtype, communicator& comm, MPI_Info, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::allgatherv, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                  recvbuf, recvcounts, displs, recvtype);
}
void bodies::Neighbor_alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoall>(by, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                        recvtype);
}
void bodies::Ineighbor_alltoall(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm,
                                MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoall, false>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                 recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_alltoall_init(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, communicator& comm,
                                    MPI_Info, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoall, true>(by, comm, request, sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype);
}
void bodies::Neighbor_alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                MPI_Datatype sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                MPI_Datatype recvtype, communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoallv>(by, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                         recvcounts, rdispls, recvtype);
}
void bodies::Ineighbor_alltoallv(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                 MPI_Datatype sendtype, void* recvbuf, number_array recvcounts, number_array rdispls,
                                 MPI_Datatype recvtype, communicator& comm, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoallv, false>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                  sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
void bodies::Neighbor_alltoallv_init(const call& by, const void* sendbuf, number_array sendcounts, number_array sdispls,
                                     MPI_Datatype sendtype, void* recvbuf, number_array recvcounts,
                                     number_array rdispls, MPI_Datatype recvtype, communicator& comm, MPI_Info,
                                     MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoallv, true>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                 sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
void bodies::Neighbor_alltoallw(const call& by, const void* sendbuf, number_array sendcounts, const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, number_array recvcounts,
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], communicator& comm) {
  run_among_neighbours<&described_neighbours::alltoallw>(by, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                         recvcounts, rdispls, recvtypes);
}
void bodies::Ineighbor_alltoallw(const call& by, const void* sendbuf, number_array sendcounts, const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, number_array recvcounts,
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], communicator& comm,
                                 MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoallw, false>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}
void bodies::Neighbor_alltoallw_init(const call& by, const void* sendbuf, number_array sendcounts,
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                     number_array recvcounts, const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     communicator& comm, MPI_Info, MPI_Request* request) {
  start_among_neighbours<&described_neighbours::alltoallw, true>(by, comm, request, sendbuf, sendcounts, sdispls,
                                                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}

}  // namespace pure::core::mpi
