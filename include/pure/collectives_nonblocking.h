// The non-blocking and the persistent form of each collective (MPI 4.1, 6.12 and 6.13). Part of pure.h.
//
// pure_iNAME starts the operation and returns: the buffers and the arrays of counts, displacements and types must stay
// unchanged until *request is complete. The operation goes on inside any call of the rank that waits or tests. Every
// rank starts the operations of a communicator, blocking ones included, in the same order; they may be completed in
// any. pure_NAME_init makes an inactive request for pure_start; it is collective, but does not wait.
#ifndef PURE_COLLECTIVES_NONBLOCKING_H
#define PURE_COLLECTIVES_NONBLOCKING_H

#include <pure.h>
#include <pure/number_array.h>

// ---- non-blocking ----

PURE_API int pure_ibarrier(pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ibcast(void* buf, std::int64_t count, pure_datatype type, int root, pure_comm comm,
                         pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ireduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                          int root, pure_comm comm, pure_request* request,
                          pure_call_site site = pure_call_site::current());
PURE_API int pure_iallreduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                             pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_iscan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                        pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_iexscan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                          pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ireduce_scatter(const void* send_buf, void* recv_buf, pure_number_array recv_counts,
                                  pure_datatype type, pure_op op, pure_comm comm, pure_request* request,
                                  pure_call_site site = pure_call_site::current());
PURE_API int pure_ireduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                        pure_datatype type, pure_op op, pure_comm comm, pure_request* request,
                                        pure_call_site site = pure_call_site::current());
PURE_API int pure_igather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                          std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                          pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_igatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                           pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, int root,
                           pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_iscatter(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                           std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                           pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_iscatterv(const void* send_buf, pure_number_array send_counts, pure_number_array displs,
                            pure_datatype send_type, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                            int root, pure_comm comm, pure_request* request,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_iallgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                             std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                             pure_call_site site = pure_call_site::current());
PURE_API int pure_iallgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                              pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                              pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ialltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                            std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_ialltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                             pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                             pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ialltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                             const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                             pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());

// ---- persistent ----

PURE_API int pure_barrier_init(pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_bcast_init(void* buf, std::int64_t count, pure_datatype type, int root, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_reduce_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                              int root, pure_comm comm, pure_request* request,
                              pure_call_site site = pure_call_site::current());
PURE_API int pure_allreduce_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type,
                                 pure_op op, pure_comm comm, pure_request* request,
                                 pure_call_site site = pure_call_site::current());
PURE_API int pure_scan_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                            pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_exscan_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                              pure_comm comm, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_reduce_scatter_init(const void* send_buf, void* recv_buf, pure_number_array recv_counts,
                                      pure_datatype type, pure_op op, pure_comm comm, pure_request* request,
                                      pure_call_site site = pure_call_site::current());
PURE_API int pure_reduce_scatter_block_init(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                            pure_datatype type, pure_op op, pure_comm comm, pure_request* request,
                                            pure_call_site site = pure_call_site::current());
PURE_API int pure_gather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                              std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                              pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_gatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                               pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                               int root, pure_comm comm, pure_request* request,
                               pure_call_site site = pure_call_site::current());
PURE_API int pure_scatter_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                               std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                               pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_scatterv_init(const void* send_buf, pure_number_array send_counts, pure_number_array displs,
                                pure_datatype send_type, void* recv_buf, std::int64_t recv_count,
                                pure_datatype recv_type, int root, pure_comm comm, pure_request* request,
                                pure_call_site site = pure_call_site::current());
PURE_API int pure_allgather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                                 std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                                 pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_allgatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                  void* recv_buf, pure_number_array recv_counts, pure_number_array displs,
                                  pure_datatype recv_type, pure_comm comm, pure_request* request,
                                  pure_call_site site = pure_call_site::current());
PURE_API int pure_alltoall_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                                std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                                pure_call_site site = pure_call_site::current());
PURE_API int pure_alltoallv_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                 pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                                 pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                                 pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_alltoallw_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                                 const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                                 pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                                 pure_request* request, pure_call_site site = pure_call_site::current());

#endif  // PURE_COLLECTIVES_NONBLOCKING_H
