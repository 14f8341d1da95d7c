// What a neighbourhood collective of mpi.h sends and receives (MPI 5.0, 8.6 to 8.8). Own thread of the rank only.
#pragma once

#include <utility>
#include <vector>

#include "api/mpi/door.hpp"
#include "api/mpi/topologies.hpp"
#include "api/mpi/types.hpp"
#include "coll/neighbour_exchange.hpp"

namespace pure::core::mpi {

class described_neighbours {
 public:
  described_neighbours(communicator& on, const call& by);

  void allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                 std::int64_t recvcount, MPI_Datatype recvtype);
  void allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                  number_array recvcounts, number_array displs, MPI_Datatype recvtype);
  void alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                std::int64_t recvcount, MPI_Datatype recvtype);
  void alltoallv(const void* sendbuf, number_array sendcounts, number_array sdispls, MPI_Datatype sendtype,
                 void* recvbuf, number_array recvcounts, number_array rdispls, MPI_Datatype recvtype);
  /// Displacements in bytes.
  void alltoallw(const void* sendbuf, number_array sendcounts, const MPI_Aint* sdispls, const MPI_Datatype* sendtypes,
                 void* recvbuf, number_array recvcounts, const MPI_Aint* rdispls, const MPI_Datatype* recvtypes);

  using messages = std::vector<neighbour_exchange::message>;
  [[nodiscard]] messages& sent() noexcept { return sent_; }
  [[nodiscard]] messages& received() noexcept { return received_; }

 private:
  void send(const void* buf, std::int64_t offset, std::int64_t count, MPI_Datatype type, const char* name);
  void receive(void* buf, std::int64_t offset, std::int64_t count, MPI_Datatype type, const char* name);
  [[nodiscard]] std::int64_t extents(std::int64_t elements, MPI_Datatype type, const char* name) const;
  void require(bool is_there, std::size_t neighbours, const char* name) const;

  communicator& on_;
  const call& by_;
  std::vector<neighbour> sources_, destinations_;
  messages sent_, received_;
};

// ---- the three forms ----

template <auto describe, class... Arguments>
void run_among_neighbours(const call& by, communicator& on, Arguments... arguments) {
  described_neighbours what(on, by);
  (what.*describe)(arguments...);
  run_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()));
}

template <auto describe, bool is_persistent, class... Arguments>
void start_among_neighbours(const call& by, communicator& on, MPI_Request* request, Arguments... arguments) {
  check_pointer(by, request, MPI_ERR_ARG, "request");
  described_neighbours what(on, by);
  (what.*describe)(arguments...);
  *request = name_of(
      start_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()), is_persistent));
}

}  // namespace pure::core::mpi
