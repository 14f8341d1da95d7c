// pure.h, collectives of neighbours (pure/neighbors.h): see objects/neighbour_call.hpp.
#include <pure.h>

#include "api/c/collective.hpp"

using namespace pure::core;

PURE_THREE_FORMS(c_among_neighbours, neighbor_allgather,
                 its.allgather({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type)

PURE_THREE_FORMS(c_among_neighbours, neighbor_allgatherv,
                 its.allgather({send_buf, send_count, given(send_type)},
                               {recv_buf, recv_counts, displs, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type)

PURE_THREE_FORMS(c_among_neighbours, neighbor_alltoall,
                 its.alltoall({send_buf, send_count, given(send_type)}, {recv_buf, recv_count, given(recv_type)}),
                 const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                 std::int64_t recv_count, pure_datatype recv_type)

PURE_THREE_FORMS(c_among_neighbours, neighbor_alltoallv,
                 its.alltoall({send_buf, send_counts, send_displs, given(send_type)},
                              {recv_buf, recv_counts, recv_displs, given(recv_type)}),
                 const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                 pure_datatype send_type, void* recv_buf, pure_number_array recv_counts, pure_number_array recv_displs,
                 pure_datatype recv_type)

PURE_THREE_FORMS(c_among_neighbours, neighbor_alltoallw,
                 its.alltoall({send_buf, send_counts, send_displs, send_types},
                              {recv_buf, recv_counts, recv_displs, recv_types}),
                 const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                 const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                 pure_number_array recv_displs, const pure_datatype recv_types[])
