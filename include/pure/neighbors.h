// Collectives of each rank and its neighbours in a topology (MPI 4.1, 8.6 to 8.8). Part of pure.h.
//
// Every rank of the communicator calls the same ones in the same order. In a grid the neighbours are, dimension by
// dimension, the rank before and the rank after; one that is not there (PURE_PROC_NULL) sends and gets nothing, and its
// block stays as it is. In a graph they are in the order of its edges. Derived types are taken as in messages; what one
// rank sends and the other expects is the same data. PURE_IN_PLACE has no meaning here.
//
// Errors: those of pure/topologies.h, and _TYPE, _COUNT, _BUFFER, _TRUNCATE, _REQUEST.
#ifndef PURE_NEIGHBORS_H
#define PURE_NEIGHBORS_H

#include <pure.h>

// ---- blocking ----

/// What each neighbour sends to all its own; recv_buf has a block for each source.
PURE_API int pure_neighbor_allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                     void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                     pure_call_site site = pure_call_site::current());
PURE_API int pure_neighbor_allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                      void* recv_buf, pure_number_array recv_counts, pure_number_array displs,
                                      pure_datatype recv_type, pure_comm comm,
                                      pure_call_site site = pure_call_site::current());
/// Block i of send_buf goes to destination i; block i of recv_buf comes from source i.
PURE_API int pure_neighbor_alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                    void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                    pure_call_site site = pure_call_site::current());
/// With blocks of any length; counts and displacements are in elements, one for each neighbour.
PURE_API int pure_neighbor_alltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                     pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                                     pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                                     pure_call_site site = pure_call_site::current());
/// Also of any types; displacements are in bytes.
PURE_API int pure_neighbor_alltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                     const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                                     pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                                     pure_call_site site = pure_call_site::current());

// ---- non-blocking: buffers and arrays must stay unchanged until *request is complete ----

PURE_API int pure_ineighbor_allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                      void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                      pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ineighbor_allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                       void* recv_buf, pure_number_array recv_counts, pure_number_array displs,
                                       pure_datatype recv_type, pure_comm comm, pure_request* request,
                                       pure_call_site site = pure_call_site::current());
PURE_API int pure_ineighbor_alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                     void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                     pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ineighbor_alltoallv(const void* send_buf, pure_number_array send_counts,
                                      pure_number_array send_displs, pure_datatype send_type, void* recv_buf,
                                      pure_number_array recv_counts, pure_number_array recv_displs,
                                      pure_datatype recv_type, pure_comm comm, pure_request* request,
                                      pure_call_site site = pure_call_site::current());
PURE_API int pure_ineighbor_alltoallw(const void* send_buf, pure_number_array send_counts,
                                      pure_number_array send_displs, const pure_datatype send_types[], void* recv_buf,
                                      pure_number_array recv_counts, pure_number_array recv_displs,
                                      const pure_datatype recv_types[], pure_comm comm, pure_request* request,
                                      pure_call_site site = pure_call_site::current());

// ---- persistent: for pure_start ----

PURE_API int pure_neighbor_allgather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                          void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                          pure_comm comm, pure_request* request,
                                          pure_call_site site = pure_call_site::current());
PURE_API int pure_neighbor_allgatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                           void* recv_buf, pure_number_array recv_counts, pure_number_array displs,
                                           pure_datatype recv_type, pure_comm comm, pure_request* request,
                                           pure_call_site site = pure_call_site::current());
PURE_API int pure_neighbor_alltoall_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                         void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                         pure_comm comm, pure_request* request,
                                         pure_call_site site = pure_call_site::current());
PURE_API int pure_neighbor_alltoallv_init(const void* send_buf, pure_number_array send_counts,
                                          pure_number_array send_displs, pure_datatype send_type, void* recv_buf,
                                          pure_number_array recv_counts, pure_number_array recv_displs,
                                          pure_datatype recv_type, pure_comm comm, pure_request* request,
                                          pure_call_site site = pure_call_site::current());
PURE_API int pure_neighbor_alltoallw_init(const void* send_buf, pure_number_array send_counts,
                                          pure_number_array send_displs, const pure_datatype send_types[],
                                          void* recv_buf, pure_number_array recv_counts, pure_number_array recv_displs,
                                          const pure_datatype recv_types[], pure_comm comm, pure_request* request,
                                          pure_call_site site = pure_call_site::current());

#endif  // PURE_NEIGHBORS_H
