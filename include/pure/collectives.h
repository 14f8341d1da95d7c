// Collectives of pure.h (paper, 4.2; MPI 4.1, chapter 6). Part of pure.h.
//
// Every rank of the communicator calls the same collectives in the same order, with the same root, operator, type and
// (where one count describes a block) count. Blocking unless the name says otherwise; a rank may return before others
// have entered, except from pure_barrier and where its result needs them. Send and receive buffers must not overlap,
// unless PURE_IN_PLACE stands for the send buffer (for the receive buffer at the root of a scatter, and at the other
// ranks it is not looked at). counts and displacements are in elements, alltoallw's displacements in bytes; the arrays
// are of int or of std::int64_t. Types may be derived ones (pure/layouts.h), in reductions with an operator of
// pure_op_create: its function gets elements where its type has them, as many as it is told.
//
// Reductions combine in the order of the ranks: the same ranks give the same bits, whatever the timing. With
// PURE_REPRODUCIBLE_SUMS=1, sums of float and double are rounded once, so that grouping does not matter either.
//
// Where one side gives and the other expects, both describe the same data: more and less are _MISMATCH, between two
// ranks and in what a rank gives itself, also where it is alone. An empty buffer may be null, and an empty block has no
// place: its displacement is not looked at.
//
// Errors: PURE_ERR_ROOT, _OP, _TYPE, _COUNT, _BUFFER (null, or overlapping), _ARG (null arrays, displacements that no
// buffer has), _MISMATCH (sizes), _COMM, _REQUEST; those that a rank sees alone come before it communicates, of a
// persistent collective when it is made. Such a call counts, though nothing is done: the rank's next collective meets
// the next one of the others. They are not told; who needs that rank's data waits, and the job ends with the deadlock
// report. (docs/collectives.md has more, and what differs over several processes: then _STATE.) With PURE_CHECK=1
// (purerun
// --check) ranks that call different collectives, with other arguments or with wrong ones, get an error that names
// both.
#ifndef PURE_COLLECTIVES_H
#define PURE_COLLECTIVES_H

#include <pure.h>
#include <pure/number_array.h>

/// In place of the send buffer: the data is in the receive buffer (MPI 4.1, 6.2.2 on "in place").
inline void* const PURE_IN_PLACE = reinterpret_cast<void*>(std::intptr_t{-1});  // NOLINT: no address of anything

/// Makes an operator; it belongs to the calling rank, and every rank makes its own. commutes: the order of the operands
/// does not matter (PURE keeps the order of ranks all the same).
PURE_API int pure_op_create(pure_user_function function, bool commutes, pure_op* op,
                            pure_call_site site = pure_call_site::current());
/// Frees it and sets *op to PURE_OP_NULL. Pending operations may go on using it.
PURE_API int pure_op_free(pure_op* op, pure_call_site site = pure_call_site::current());

// ---- blocking -------------------------------------------------------------------------------------------------

/// Returns when every rank of comm has entered it.
PURE_API int pure_barrier(pure_comm comm, pure_call_site site = pure_call_site::current());

PURE_API int pure_bcast(void* buf, std::int64_t count, pure_datatype type, int root, pure_comm comm,
                        pure_call_site site = pure_call_site::current());

/// recv_buf matters at the root only.
PURE_API int pure_reduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                         int root, pure_comm comm, pure_call_site site = pure_call_site::current());

PURE_API int pure_allreduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                            pure_comm comm, pure_call_site site = pure_call_site::current());

/// Rank r gets the reduction of ranks 0..r.
PURE_API int pure_scan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                       pure_comm comm, pure_call_site site = pure_call_site::current());

/// Rank r gets the reduction of ranks 0..r-1; rank 0's recv_buf is left alone.
PURE_API int pure_exscan(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type, pure_op op,
                         pure_comm comm, pure_call_site site = pure_call_site::current());

/// Rank r gets recv_counts[r] elements of the reduction, after those of the ranks before it.
PURE_API int pure_reduce_scatter(const void* send_buf, void* recv_buf, pure_number_array recv_counts,
                                 pure_datatype type, pure_op op, pure_comm comm,
                                 pure_call_site site = pure_call_site::current());
PURE_API int pure_reduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                       pure_datatype type, pure_op op, pure_comm comm,
                                       pure_call_site site = pure_call_site::current());

/// recv_count is that of one rank's block; the receive arguments matter at the root only.
PURE_API int pure_gather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                         std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                         pure_call_site site = pure_call_site::current());
PURE_API int pure_gatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                          pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type, int root,
                          pure_comm comm, pure_call_site site = pure_call_site::current());

/// The send arguments matter at the root only.
PURE_API int pure_scatter(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                          std::int64_t recv_count, pure_datatype recv_type, int root, pure_comm comm,
                          pure_call_site site = pure_call_site::current());
PURE_API int pure_scatterv(const void* send_buf, pure_number_array send_counts, pure_number_array displs,
                           pure_datatype send_type, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                           int root, pure_comm comm, pure_call_site site = pure_call_site::current());

PURE_API int pure_allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                            std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                             pure_number_array recv_counts, pure_number_array displs, pure_datatype recv_type,
                             pure_comm comm, pure_call_site site = pure_call_site::current());

/// Block j of rank i becomes block i of rank j.
PURE_API int pure_alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type, void* recv_buf,
                           std::int64_t recv_count, pure_datatype recv_type, pure_comm comm,
                           pure_call_site site = pure_call_site::current());
PURE_API int pure_alltoallv(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                            pure_datatype send_type, void* recv_buf, pure_number_array recv_counts,
                            pure_number_array recv_displs, pure_datatype recv_type, pure_comm comm,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_alltoallw(const void* send_buf, pure_number_array send_counts, pure_number_array send_displs,
                            const pure_datatype send_types[], void* recv_buf, pure_number_array recv_counts,
                            pure_number_array recv_displs, const pure_datatype recv_types[], pure_comm comm,
                            pure_call_site site = pure_call_site::current());

/// *result is the sum of all elements of all ranks, rounded once: the same bits for any number of ranks and any
/// distribution of the elements over them. type: PURE_FLOAT or PURE_DOUBLE, also of *result; count may differ.
PURE_API int pure_reproducible_sum(const void* elements, std::int64_t count, pure_datatype type, void* result,
                                   pure_comm comm, pure_call_site site = pure_call_site::current());

/// Persistent requests (the *_init functions; MPI 4.1, 3.9 and 6.13): pure_start starts the operation, wait and test
/// complete it and leave the request inactive. All ranks of a communicator make its persistent collectives in the same
/// order; then each rank starts them in any order, also among other collectives, each as often as the other ranks do.
/// Inactive requests count as complete; calls that complete one or some of several requests pass over them. Errors:
/// _REQUEST for one that is not persistent, is active, or is given twice; _STATE for a collective that has failed
/// before its end, as for want of memory. pure_startall starts all or, for a _REQUEST error, none.
PURE_API int pure_start(pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_startall(int count, pure_request requests[], pure_call_site site = pure_call_site::current());
/// Frees a request without completing it; *request becomes PURE_REQUEST_NULL (MPI 4.1, 3.7.3). Messages that are on
/// their way go on by themselves: when a buffer may be used again, only the program can know. An error of theirs ends
/// the job, whatever the error handler. Errors: _REQUEST for a collective that is active.
PURE_API int pure_request_free(pure_request* request, pure_call_site site = pure_call_site::current());

#include <pure/collectives_nonblocking.h>

#endif  // PURE_COLLECTIVES_H
