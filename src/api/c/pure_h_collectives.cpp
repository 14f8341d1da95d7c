// pure.h, the three forms of each collective: see api/c/collective.hpp.
#include <pure.h>

#include "api/c/collective.hpp"

using namespace pure::core;

PURE_THREE_FORMS(c_collective, barrier, its.barrier())

PURE_THREE_FORMS(c_collective, bcast, its.bcast({buf, count, given(type)}, root), void* buf, std::int64_t count,
                 pure_datatype type, int root)

PURE_THREE_FORMS(c_collective, reduce, its.reduce(send_buf, {recv_buf, count, given(type)}, given(op), root),
                 const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op, int root)

PURE_THREE_FORMS(c_collective, allreduce,
                 its.reduce_everywhere(collective::allreduce, send_buf, {recv_buf, count, given(type)}, given(op)),
                 const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op)

PURE_THREE_FORMS(c_collective, scan,
                 its.reduce_everywhere(collective::scan, send_buf, {recv_buf, count, given(type)}, given(op)),
                 const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op)

PURE_THREE_FORMS(c_collective, exscan,
                 its.reduce_everywhere(collective::exscan, send_buf, {recv_buf, count, given(type)}, given(op)),
                 const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op)

PURE_THREE_FORMS(c_collective, reduce_scatter,
                 its.reduce_scatter(send_buf, recv_buf, recv_counts, given(type), given(op)), const void* send_buf,
                 void* recv_buf, pure_number_array recv_counts, pure_datatype type, pure_op op)

PURE_THREE_FORMS(c_collective, reduce_scatter_block,
                 its.reduce_scatter_block(send_buf, {recv_buf, recv_count, given(type)}, given(op)),
                 const void* send_buf, void* recv_buf, std::int64_t recv_count, pure_datatype type, pure_op op)

PURE_THREE_FORMS(c_collective, gather,
                 its.gather({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}, root),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type, int root)

PURE_THREE_FORMS(c_collective, gatherv,
                 its.gather({send_buf, send_count, given(send_type)}, {recv_buf, recv_counts, displs, given(recv_type)},
                            root),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, int root)

PURE_THREE_FORMS(c_collective, scatter,
                 its.scatter({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}, root),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type, int root)

PURE_THREE_FORMS(c_collective, scatterv,
                 its.scatter({send_buf, send_counts, displs, given(send_type)},
                             {recv_buf, recv_count, given(recv_type)}, root),
                 const void* send_buf, pure_number_array send_counts, pure_number_array displs, pure_datatype send_type,
                 void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, int root)

PURE_THREE_FORMS(c_collective, allgather,
                 its.allgather({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type)

PURE_THREE_FORMS(c_collective, allgatherv,
                 its.allgather({send_buf, send_count, given(send_type)},
                               {recv_buf, recv_counts, displs, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type)

PURE_THREE_FORMS(c_collective, alltoall,
                 its.alltoall({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type)

PURE_THREE_FORMS(c_collective, alltoallv,
                 its.alltoall({send_buf, send_counts, send_displs, given(send_type)},
                              {recv_buf, recv_counts, recv_displs, given(recv_type)}),
                 const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                 pure_datatype send_type, void* recv_buf, pure_number_array recv_counts, pure_number_array recv_displs,
                 pure_datatype recv_type)

PURE_THREE_FORMS(c_collective, alltoallw,
                 its.alltoall({send_buf, send_counts, send_displs, send_types},
                              {recv_buf, recv_counts, recv_displs, recv_types}),
                 const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                 const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                 pure_number_array recv_displs, const pure_datatype recv_types[])
