// pure.h, collectives of neighbours (pure/neighbors.h): see objects/described_neighbours.hpp.
#include <pure.h>

#include <utility>

#include "api/c/collective.hpp"
#include "objects/described_neighbours.hpp"

using namespace pure::core;

namespace {

using c_neighbours = described_neighbours<c_any_words>;

// ---- the three forms: `describe` is a member of c_neighbours, called with `arguments` ----

template <auto describe, class... Arguments>
int run_among_neighbours(const char* operation, const pure_call_site& site, pure_comm comm, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    c_neighbours what(on, by);
    (what.*describe)(arguments...);
    run_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()));
  });
}

template <auto describe, bool is_persistent, class... Arguments>
int start_among_neighbours(const char* operation, const pure_call_site& site, pure_comm comm, pure_request* request,
                           Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    c_neighbours what(on, by);
    (what.*describe)(arguments...);
    *request = name_of(
        start_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()), is_persistent));
  });
}

}  // namespace

int pure_neighbor_allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                            std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_call_site site) {
  return run_among_neighbours<&c_neighbours::allgather>("pure_neighbor_allgather", site, comm, send_buf, send_count,
                                                        send_type, recv_buf, recv_count, recv_type);
}

int pure_neighbor_allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                             pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                             pure_comm comm, pure_call_site site) {
  return run_among_neighbours<&c_neighbours::allgatherv>("pure_neighbor_allgatherv", site, comm, send_buf, send_count,
                                                         send_type, recv_buf, recv_counts, displs, recv_type);
}

int pure_neighbor_alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                           std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_call_site site) {
  return run_among_neighbours<&c_neighbours::alltoall>("pure_neighbor_alltoall", site, comm, send_buf, send_count,
                                                       send_type, recv_buf, recv_count, recv_type);
}

int pure_neighbor_alltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                            pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                            pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                            pure_call_site site) {
  return run_among_neighbours<&c_neighbours::alltoallv>("pure_neighbor_alltoallv", site, comm, send_buf, send_counts,
                                                        send_displs, send_type, recv_buf, recv_counts, recv_displs,
                                                        recv_type);
}

int pure_neighbor_alltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                            const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                            pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                            pure_call_site site) {
  return run_among_neighbours<&c_neighbours::alltoallw>("pure_neighbor_alltoallw", site, comm, send_buf, send_counts,
                                                        send_displs, send_types, recv_buf, recv_counts, recv_displs,
                                                        recv_types);
}

int pure_ineighbor_allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                             std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                             pure_call_site site) {
  return start_among_neighbours<&c_neighbours::allgather, false>("pure_ineighbor_allgather", site, comm, request,
                                                                 send_buf, send_count, send_type, recv_buf, recv_count,
                                                                 recv_type);
}

int pure_ineighbor_allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                              pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                              pure_comm comm, pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::allgatherv, false>("pure_ineighbor_allgatherv", site, comm, request,
                                                                  send_buf, send_count, send_type, recv_buf,
                                                                  recv_counts, displs, recv_type);
}

int pure_ineighbor_alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                            std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                            pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoall, false>(
      "pure_ineighbor_alltoall", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type);
}

int pure_ineighbor_alltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                             pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                             pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                             pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoallv, false>("pure_ineighbor_alltoallv", site, comm, request,
                                                                 send_buf, send_counts, send_displs, send_type,
                                                                 recv_buf, recv_counts, recv_displs, recv_type);
}

int pure_ineighbor_alltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                             const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                             pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                             pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoallw, false>("pure_ineighbor_alltoallw", site, comm, request,
                                                                 send_buf, send_counts, send_displs, send_types,
                                                                 recv_buf, recv_counts, recv_displs, recv_types);
}

int pure_neighbor_allgather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                                 std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                 pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::allgather, true>("pure_neighbor_allgather_init", site, comm, request,
                                                                send_buf, send_count, send_type, recv_buf, recv_count,
                                                                recv_type);
}

int pure_neighbor_allgatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                  void* recv_buf, pure_number_array recv_counts, pure_number_array displs,
                                  pure_datatype recv_type, pure_comm comm, pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::allgatherv, true>("pure_neighbor_allgatherv_init", site, comm, request,
                                                                 send_buf, send_count, send_type, recv_buf, recv_counts,
                                                                 displs, recv_type);
}

int pure_neighbor_alltoall_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                                std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                                pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoall, true>("pure_neighbor_alltoall_init", site, comm, request,
                                                               send_buf, send_count, send_type, recv_buf, recv_count,
                                                               recv_type);
}

int pure_neighbor_alltoallv_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                 pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                                 pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                                 pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoallv, true>("pure_neighbor_alltoallv_init", site, comm, request,
                                                                send_buf, send_counts, send_displs, send_type, recv_buf,
                                                                recv_counts, recv_displs, recv_type);
}

int pure_neighbor_alltoallw_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                 const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                                 pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                                 pure_request* request, pure_call_site site) {
  return start_among_neighbours<&c_neighbours::alltoallw, true>("pure_neighbor_alltoallw_init", site, comm, request,
                                                                send_buf, send_counts, send_displs, send_types,
                                                                recv_buf, recv_counts, recv_displs, recv_types);
}
