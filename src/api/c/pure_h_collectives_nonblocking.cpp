// pure.h, the non-blocking form of each collective: see api/c/collective.hpp.
#include <pure.h>

#include "api/c/collective.hpp"

using namespace pure::core;

int pure_ibarrier(pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::barrier, &c_described::barrier>("pure_ibarrier", site, comm, request);
}

int pure_ibcast(void* buf, std::int64_t count, pure_datatype type, int root, pure_comm comm, pure_request* request,
                pure_call_site site) {
  return start<&c_collective::bcast, &c_described::bcast>("pure_ibcast", site, comm, request, buf, count, type, root);
}

int pure_ireduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op, int root,
                 pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce, &c_described::reduce>("pure_ireduce", site, comm, request, send_buf, recv_buf,
                                                            count, type, op, root);
}

int pure_iallreduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                    pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce_everywhere<collective::allreduce>,
               &c_described::reduce_everywhere<collective::allreduce>>("pure_iallreduce", site, comm, request, send_buf,
                                                                       recv_buf, count, type, op);
}

int pure_iscan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op, pure_comm comm,
               pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce_everywhere<collective::scan>, &c_described::reduce_everywhere<collective::scan>>(
      "pure_iscan", site, comm, request, send_buf, recv_buf, count, type, op);
}

int pure_iexscan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                 pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce_everywhere<collective::exscan>,
               &c_described::reduce_everywhere<collective::exscan>>("pure_iexscan", site, comm, request, send_buf,
                                                                    recv_buf, count, type, op);
}

int pure_ireduce_scatter(const void* send_buf, void* recv_buf, pure_number_array recv_counts, pure_datatype type,
                         pure_op op, pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce_scatter, &c_described::reduce_scatter>("pure_ireduce_scatter", site, comm, request,
                                                                            send_buf, recv_buf, recv_counts, type, op);
}

int pure_ireduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count, pure_datatype type,
                               pure_op op, pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::reduce_scatter_block, &c_described::reduce_scatter_block>(
      "pure_ireduce_scatter_block", site, comm, request, send_buf, recv_buf, recv_count, type, op);
}

int pure_igather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm, pure_request* request,
                 pure_call_site site) {
  return start<&c_collective::gather, &c_described::gather>("pure_igather", site, comm, request, send_buf, send_count,
                                                            send_type, recv_buf, recv_count, recv_type, root);
}

int pure_igatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                  pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, int root,
                  pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::gatherv, &c_described::gatherv>("pure_igatherv", site, comm, request, send_buf,
                                                              send_count, send_type, recv_buf, recv_counts, displs,
                                                              recv_type, root);
}

int pure_iscatter(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                  std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm, pure_request* request,
                  pure_call_site site) {
  return start<&c_collective::scatter, &c_described::scatter>(
      "pure_iscatter", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type, root);
}

int pure_iscatterv(const void* send_buf, pure_number_array send_counts, pure_number_array displs,
                   pure_datatype send_type, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, int root,
                   pure_comm comm, pure_request* request, pure_call_site site) {
  return start<&c_collective::scatterv, &c_described::scatterv>("pure_iscatterv", site, comm, request, send_buf,
                                                                send_counts, displs, send_type, recv_buf, recv_count,
                                                                recv_type, root);
}

int pure_iallgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                    std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                    pure_call_site site) {
  return start<&c_collective::allgather, &c_described::allgather>(
      "pure_iallgather", site, comm, request, send_buf, send_count, send_type, recv_buf, recv_count, recv_type);
}

int pure_iallgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                     pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, pure_comm comm,
                     pure_request* request, pure_call_site site) {
  return start<&c_collective::allgatherv, &c_described::allgatherv>("pure_iallgatherv", site, comm, request, send_buf,
                                                                    send_count, send_type, recv_buf, recv_counts,
                                                                    displs, recv_type);
}

int pure_ialltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                   std::int64_t recv_count, pure_datatype recv_type, pure_comm comm, pure_request* request,
                   pure_call_site site) {
  return start<&c_collective::alltoall, &c_described::alltoall>("pure_ialltoall", site, comm, request, send_buf,
                                                                send_count, send_type, recv_buf, recv_count, recv_type);
}

int pure_ialltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                    pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                    pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm, pure_request* request,
                    pure_call_site site) {
  return start<&c_collective::alltoallv, &c_described::alltoallv>("pure_ialltoallv", site, comm, request, send_buf,
                                                                  send_counts, send_displs, send_type, recv_buf,
                                                                  recv_counts, recv_displs, recv_type);
}

int pure_ialltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                    const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                    pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return start<&c_collective::alltoallw, &c_described::alltoallw>("pure_ialltoallw", site, comm, request, send_buf,
                                                                  send_counts, send_displs, send_types, recv_buf,
                                                                  recv_counts, recv_displs, recv_types);
}
