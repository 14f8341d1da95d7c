// pure.h, the persistent form of each collective: see api/c/collective.hpp.
#include <pure.h>

#include "api/c/collective.hpp"

using namespace pure::core;

int pure_barrier_init(pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::barrier, &c_described::barrier>("pure_barrier_init", site, comm, request);
}

int pure_bcast_init(void* buf, std::int64_t count, pure_datatype type, int root, pure_comm comm, pure_request* request,
                    pure_call_site site) {
  return prepare<&c_collective::bcast, &c_described::bcast>("pure_bcast_init", site, comm, request, buf, count, type,
                                                            root);
}

int pure_reduce_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op, int root,
                     pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce, &c_described::reduce>("pure_reduce_init", site, comm, request, send_buf,
                                                              recv_buf, count, type, op, root);
}

int pure_allreduce_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                        pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce_everywhere<collective::allreduce>,
                 &c_described::reduce_everywhere<collective::allreduce>>("pure_allreduce_init", site, comm, request,
                                                                         send_buf, recv_buf, count, type, op);
}

int pure_scan_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                   pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce_everywhere<collective::scan>, &c_described::reduce_everywhere<collective::scan>>(
      "pure_scan_init", site, comm, request, send_buf, recv_buf, count, type, op);
}

int pure_exscan_init(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                     pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce_everywhere<collective::exscan>,
                 &c_described::reduce_everywhere<collective::exscan>>("pure_exscan_init", site, comm, request, send_buf,
                                                                      recv_buf, count, type, op);
}

int pure_reduce_scatter_init(const void* send_buf, void* recv_buf, pure_number_array recv_counts, pure_datatype type,
                             pure_op op, pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce_scatter, &c_described::reduce_scatter>(
      "pure_reduce_scatter_init", site, comm, request, send_buf, recv_buf, recv_counts, type, op);
}

int pure_reduce_scatter_block_init(const void* send_buf, void* recv_buf, std::int64_t recv_count, pure_datatype type,
                                   pure_op op, pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::reduce_scatter_block, &c_described::reduce_scatter_block>(
      "pure_reduce_scatter_block_init", site, comm, request, send_buf, recv_buf, recv_count, type, op);
}

int pure_gather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                     std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm, pure_request* request,
                     pure_call_site site) {
  return prepare<&c_collective::gather, &c_described::gather>(
      "pure_gather_init", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type, root);
}

int pure_gatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                      pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, int root,
                      pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::gatherv, &c_described::gatherv>("pure_gatherv_init", site, comm, request, send_buf,
                                                                send_count, send_type, recv_buf, recv_counts, displs,
                                                                recv_type, root);
}

int pure_scatter_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                      std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm, pure_request* request,
                      pure_call_site site) {
  return prepare<&c_collective::scatter, &c_described::scatter>(
      "pure_scatter_init", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type, root);
}

int pure_scatterv_init(const void* send_buf, pure_number_array send_counts, pure_number_array displs,
                       pure_datatype send_type, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                       int root, pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::scatterv, &c_described::scatterv>("pure_scatterv_init", site, comm, request, send_buf,
                                                                  send_counts, displs, send_type, recv_buf, recv_count,
                                                                  recv_type, root);
}

int pure_allgather_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                        std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                        pure_call_site site) {
  return prepare<&c_collective::allgather, &c_described::allgather>(
      "pure_allgather_init", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type);
}

int pure_allgatherv_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                         pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                         pure_comm comm, pure_request* request, pure_call_site site) {
  return prepare<&c_collective::allgatherv, &c_described::allgatherv>("pure_allgatherv_init", site, comm, request,
                                                                      send_buf, send_count, send_type, recv_buf,
                                                                      recv_counts, displs, recv_type);
}

int pure_alltoall_init(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                       std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                       pure_call_site site) {
  return prepare<&c_collective::alltoall, &c_described::alltoall>(
      "pure_alltoall_init", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type);
}

int pure_alltoallv_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                        pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                        pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm, pure_request* request,
                        pure_call_site site) {
  return prepare<&c_collective::alltoallv, &c_described::alltoallv>("pure_alltoallv_init", site, comm, request,
                                                                    send_buf, send_counts, send_displs, send_type,
                                                                    recv_buf, recv_counts, recv_displs, recv_type);
}

int pure_alltoallw_init(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                        const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                        pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                        pure_request* request, pure_call_site site) {
  return prepare<&c_collective::alltoallw, &c_described::alltoallw>("pure_alltoallw_init", site, comm, request,
                                                                    send_buf, send_counts, send_displs, send_types,
                                                                    recv_buf, recv_counts, recv_displs, recv_types);
}
