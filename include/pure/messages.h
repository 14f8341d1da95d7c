// The rest of point-to-point: send modes, probes, persistent messages, cancel (MPI 4.1, chapter 3). Part of pure.h.
//
// What pure.h says of messages holds here: order, wildcards, PURE_PROC_NULL, errors, who may call.
#ifndef PURE_MESSAGES_H
#define PURE_MESSAGES_H

#include <pure.h>

// ---- send modes (MPI 4.1, 3.4 and 3.6) ----

/// Synchronous: returns when a receive has matched the message (and `buf` may be reused).
PURE_API int pure_ssend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                            pure_call_site site = pure_call_site::current());
/// Buffered: returns at once; a message that cannot go is kept in the attached buffer. PURE_ERR_BUFFER: no room.
PURE_API int pure_bsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                            pure_call_site site = pure_call_site::current());
/// Ready: the receive has been posted already; otherwise the program is wrong. Here it is a standard send.
PURE_API int pure_rsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                            pure_call_site site = pure_call_site::current());
/// The same as requests: complete when the blocking form would return.
PURE_API int pure_issend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ibsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_irsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());

/// What a kept message takes of the attached buffer beside its bytes.
enum : int { PURE_BSEND_OVERHEAD = 64 };
/// In place of the address of a buffer: as much as there is memory, from now on (MPI 4.1, 3.6).
inline void* const PURE_BUFFER_AUTOMATIC = reinterpret_cast<void*>(~std::uintptr_t{0});

/// Gives the calling rank `size` bytes for buffered sends. One buffer at a time: else PURE_ERR_BUFFER.
PURE_API int pure_buffer_attach(void* buffer, std::int64_t size, pure_call_site site = pure_call_site::current());
/// Takes the buffer back: blocks until all messages in it have been sent. *buffer and *size are what was attached.
PURE_API int pure_buffer_detach(void** buffer, std::int64_t* size, pure_call_site site = pure_call_site::current());
/// Blocks until all messages in the buffer have been sent.
PURE_API int pure_buffer_flush(pure_call_site site = pure_call_site::current());
/// The same as a request: complete when those that are in it now have been sent.
PURE_API int pure_buffer_iflush(pure_request* request, pure_call_site site = pure_call_site::current());

/// The same for a buffer that only messages of `comm` use, and use instead of the rank's. Freeing the communicator
/// detaches it; what is in it goes.
PURE_API int pure_comm_attach_buffer(pure_comm comm, void* buffer, std::int64_t size,
                                     pure_call_site site = pure_call_site::current());
PURE_API int pure_comm_detach_buffer(pure_comm comm, void** buffer, std::int64_t* size,
                                     pure_call_site site = pure_call_site::current());
PURE_API int pure_comm_flush_buffer(pure_comm comm, pure_call_site site = pure_call_site::current());
PURE_API int pure_comm_iflush_buffer(pure_comm comm, pure_request* request,
                                     pure_call_site site = pure_call_site::current());

// ---- probes (MPI 4.1, 3.8) ----

/// The message that a receive with these arguments would match now: its source, tag and size. pure_probe blocks until
/// there is one; pure_iprobe sets *flag. The next receive with that source and tag gets it.
PURE_API int pure_probe(int source, int tag, pure_comm comm, pure_status* status,
                        pure_call_site site = pure_call_site::current());
PURE_API int pure_iprobe(int source, int tag, pure_comm comm, int* flag, pure_status* status = PURE_STATUS_IGNORE,
                         pure_call_site site = pure_call_site::current());

/// A message that a matched probe has found, and that nothing else can receive now. Receiving it sets the caller's
/// variable to PURE_MESSAGE_NULL.
enum pure_message : std::uint64_t { PURE_MESSAGE_NULL = 0 };

PURE_API int pure_mprobe(int source, int tag, pure_comm comm, pure_message* message, pure_status* status,
                         pure_call_site site = pure_call_site::current());
PURE_API int pure_improbe(int source, int tag, pure_comm comm, int* flag, pure_message* message,
                          pure_status* status = PURE_STATUS_IGNORE, pure_call_site site = pure_call_site::current());
/// Receives the message. Blocks no longer than its copy takes.
PURE_API int pure_mrecv_msg(void* buf, std::int64_t count, pure_datatype type, pure_message* message,
                            pure_status* status = PURE_STATUS_IGNORE, pure_call_site site = pure_call_site::current());
PURE_API int pure_imrecv_msg(void* buf, std::int64_t count, pure_datatype type, pure_message* message,
                             pure_request* request, pure_call_site site = pure_call_site::current());

// ---- persistent messages (MPI 4.1, 3.9) ----

/// An inactive request for pure_start: the same message again and again, from the same buffer.
PURE_API int pure_send_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                            pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_ssend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_bsend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_rsend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                             pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_recv_init(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                            pure_request* request, pure_call_site site = pure_call_site::current());

// ---- send-receives (MPI 4.1, 3.11) ----

/// The message at `buf` goes out, and another comes in, in its place. Needs memory for a copy.
PURE_API int pure_sendrecv_replace_msg(void* buf, std::int64_t count, pure_datatype type, int dest, int send_tag,
                                       int source, int recv_tag, pure_comm comm,
                                       pure_status* status = PURE_STATUS_IGNORE,
                                       pure_call_site site = pure_call_site::current());
/// Both as one request. The buffers must not overlap.
PURE_API int pure_isendrecv_msg(const void* send_buf, std::int64_t send_count, pure_datatype send_type, int dest,
                                int send_tag, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                int source, int recv_tag, pure_comm comm, pure_request* request,
                                pure_call_site site = pure_call_site::current());
PURE_API int pure_isendrecv_replace_msg(void* buf, std::int64_t count, pure_datatype type, int dest, int send_tag,
                                        int source, int recv_tag, pure_comm comm, pure_request* request,
                                        pure_call_site site = pure_call_site::current());

// ---- requests that are not over (MPI 4.1, 3.7.6 and 3.8.4) ----

/// Marks the operation for cancellation and returns at once. It must still be completed (wait, test) or freed: it is
/// complete either way, cancelled if nothing had matched it; but a send whose message has left for good is complete as
/// if there had been no cancel: a short one at once, a longer one to another process if it is one of many that are
/// alike and answered (MPI 4.1, 3.8.4). Not for collectives: PURE_ERR_REQUEST.
PURE_API int pure_cancel(pure_request* request, pure_call_site site = pure_call_site::current());
/// *flag is 1 if the operation that gave the status was cancelled: nothing else in the status counts then.
PURE_API int pure_test_cancelled(const pure_status* status, int* flag, pure_call_site site = pure_call_site::current());
/// As pure_test, but the request stays as it is. Null and inactive requests: *flag is 1, the status empty.
PURE_API int pure_request_get_status(pure_request request, int* flag, pure_status* status = PURE_STATUS_IGNORE,
                                     pure_call_site site = pure_call_site::current());
/// The same for several (MPI 4.1, 3.7.6), with the results of pure_testany, pure_testall and pure_testsome: all
/// requests stay as they are.
PURE_API int pure_request_get_status_any(int count, const pure_request requests[], int* index, int* flag,
                                         pure_status* status = PURE_STATUS_IGNORE,
                                         pure_call_site site = pure_call_site::current());
PURE_API int pure_request_get_status_all(int count, const pure_request requests[], int* flag,
                                         pure_status statuses[] = PURE_STATUSES_IGNORE,
                                         pure_call_site site = pure_call_site::current());
PURE_API int pure_request_get_status_some(int incount, const pure_request requests[], int* outcount, int indices[],
                                          pure_status statuses[] = PURE_STATUSES_IGNORE,
                                          pure_call_site site = pure_call_site::current());

#endif  // PURE_MESSAGES_H
