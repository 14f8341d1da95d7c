// pure.h: the paper's interface to Pure, for programs ported from MPI (C++17).
//
// A program that includes this header writes an ordinary main(); every rank runs it, as a thread, with its own
// argc and argv. Globals are shared by all ranks of the process: make them thread_local.
//
// All functions return PURE_SUCCESS or, when pure_set_errhandler(PURE_ERRORS_RETURN) is in force, an error code
// (MPI 4.1, 9.4). By default an error prints what happened and ends the job with a non-zero status
// (PURE_ERRORS_ARE_FATAL). Each function may be called only by a rank, on its own thread, with requests and
// communicators of that rank. The last parameter of each is the call site, filled in by the compiler.
//
// Source: Psota and Solar-Lezama, PPoPP '24, sections 2 and 3; names and argument order are the paper's. Semantics
// where the paper is silent: MPI 4.1, chapter 3.
#ifndef PURE_H
#define PURE_H

// One error, not hundreds: a header that is not there ends the compilation, and its name is the message.
#ifndef __cplusplus
#include <pure.h is a C++17 header: compile this file as C++, with purecxx, or with g++ -std=c++17>
#elif __cplusplus < 201703L
#include <pure.h needs C++17: compile with -std=c++17 added, or with purecxx>
#endif

#ifdef PURE_TASKS_H
#error "include <pure.h> before <pure/tasks.h>, or alone: it includes that"
#endif

#include <cstddef>
#include <cstdint>

#include <pure/datatypes.h>
#include <pure/call_site.hpp>
#include <pure/export.hpp>
#include <pure/paper_task.hpp>
#include <pure/version.hpp>

// ---- constants ------------------------------------------------------------------------------------------------

/// Wildcards and the null process (MPI 4.1, 3.2.4 and 3.10), with the values of the MPI standard ABI.
enum : int { PURE_ANY_SOURCE = -1, PURE_ANY_TAG = -2, PURE_PROC_NULL = -3, PURE_UNDEFINED = -32766 };

/// The largest tag: the full non-negative range of int.
enum : int { PURE_TAG_UB = 0x7fffffff };

/// What a call reports. pure_error_string() gives the text.
enum pure_error_code : int {
  PURE_SUCCESS = 0,
  PURE_ERR_BUFFER,
  PURE_ERR_COUNT,
  PURE_ERR_TYPE,
  PURE_ERR_TAG,
  PURE_ERR_COMM,
  PURE_ERR_RANK,
  PURE_ERR_REQUEST,
  PURE_ERR_TRUNCATE,
  PURE_ERR_ARG,
  PURE_ERR_IN_STATUS,
  PURE_ERR_PENDING,
  PURE_ERR_STATE,  ///< the call is not allowed here: outside a rank, inside a task
  PURE_ERR_OTHER,
  PURE_ERR_ROOT,
  PURE_ERR_OP,
  PURE_ERR_GROUP,
  PURE_ERR_MISMATCH,  ///< ranks called different collectives, or with different arguments
  // Of windows (pure/windows.h).
  PURE_ERR_WIN,           ///< the window is null or freed, or of another rank
  PURE_ERR_RMA_RANGE,     ///< memory that is not in the window
  PURE_ERR_RMA_SYNC,      ///< an epoch is missing, or in the way
  PURE_ERR_RMA_ATTACH,    ///< memory cannot be attached, or was not
  PURE_ERR_RMA_SHARED,    ///< memory that not all ranks of the window can share
  PURE_ERR_RMA_FLAVOR,    ///< the window is of another kind
  PURE_ERR_DISP,          ///< the unit of displacements is wrong
  PURE_ERR_NO_MEM,        ///< there is not so much memory
  PURE_ERR_INFO,          ///< an info object, a key of one, or a value
  PURE_ERR_KEYVAL,        ///< a key of attributes
  PURE_ERR_RMA_CONFLICT,  ///< PURE_CHECK: accesses to one place of a window that exclude each other
  // Of topologies (pure/topologies.h).
  PURE_ERR_TOPOLOGY,  ///< the communicator has no such topology, or too few ranks for it
  PURE_ERR_DIMS       ///< a dimension, or the number of them
};

/// What happens when a call fails. Per rank; PURE_ERRORS_ARE_FATAL at the start.
enum pure_errhandler : int { PURE_ERRORS_ARE_FATAL = 0, PURE_ERRORS_RETURN = 1 };

/// A communicator. A handle: copying it copies the name, not the thing.
enum pure_comm : std::uint64_t { PURE_COMM_NULL = 0, PURE_COMM_WORLD = 1, PURE_COMM_SELF = 2 };

/// A non-blocking operation. Completing it (wait or test) sets the caller's variable to PURE_REQUEST_NULL; but a
/// persistent one (pure_start) keeps its handle.
enum pure_request : std::uint64_t { PURE_REQUEST_NULL = 0 };

/// What a completed receive was (MPI 4.1, 3.2.5). For a receive from PURE_PROC_NULL: PURE_PROC_NULL, PURE_ANY_TAG, 0.
struct pure_status {
  int source = PURE_ANY_SOURCE;
  int tag = PURE_ANY_TAG;
  int error = PURE_SUCCESS;
  int cancelled = 0;  ///< 1: the operation was (pure_cancel); then nothing else counts
  std::int64_t bytes = 0;
};

/// In place of a status (or an array of them) that nobody will read.
inline constexpr pure_status* PURE_STATUS_IGNORE = nullptr;
inline constexpr pure_status* PURE_STATUSES_IGNORE = nullptr;

// ---- who am I -------------------------------------------------------------------------------------------------

/// This rank's number in PURE_COMM_WORLD, 0 <= rank < size. Outside a rank: an error.
PURE_API int pure_rank(pure_call_site site = pure_call_site::current());
/// The number of ranks in PURE_COMM_WORLD.
PURE_API int pure_size(pure_call_site site = pure_call_site::current());
PURE_API int pure_comm_rank(pure_comm comm, int* rank, pure_call_site site = pure_call_site::current());
PURE_API int pure_comm_size(pure_comm comm, int* size, pure_call_site site = pure_call_site::current());

/// Seconds since a fixed point in the past, the same for all ranks of this process (MPI 4.1, 9.6).
PURE_API double pure_wtime();
/// The resolution of pure_wtime in seconds.
PURE_API double pure_wtick();

// ---- messages: blocking ---------------------------------------------------------------------------------------

/// Sends `count` elements of `type` at `buf` to rank `dest`. Blocking: returns when `buf` may be reused, which may
/// be before the receive starts (a standard-mode send, MPI 4.1, 3.4; paper 3.1). count >= 0; 0 <= tag <= PURE_TAG_UB;
/// to PURE_PROC_NULL it does nothing. `buf` may be null only when count is 0.
/// Errors: PURE_ERR_RANK, _TAG, _COUNT, _TYPE, _BUFFER, _COMM, _STATE.
PURE_API int pure_send_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                           pure_call_site site = pure_call_site::current());

/// Receives at most `count` elements into `buf` from `source` (or PURE_ANY_SOURCE) with `tag` (or PURE_ANY_TAG).
/// Blocking. Messages of one sender are matched in the order in which they were sent (MPI 4.1, 3.5). A longer
/// message is PURE_ERR_TRUNCATE: the first `count` elements are delivered.
PURE_API int pure_recv_msg(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                           pure_status* status = PURE_STATUS_IGNORE, pure_call_site site = pure_call_site::current());

/// A send and a receive at the same time, in any order (MPI 4.1, 3.11). The buffers must not overlap.
PURE_API int pure_sendrecv_msg(const void* send_buf, std::int64_t send_count, pure_datatype send_type, int dest,
                               int send_tag, void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                               int source, int recv_tag, pure_comm comm, pure_status* status = PURE_STATUS_IGNORE,
                               pure_call_site site = pure_call_site::current());

// ---- messages: non-blocking -----------------------------------------------------------------------------------

/// Starts a send. `buf` must stay unchanged until *request is complete.
PURE_API int pure_isend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                            pure_request* request, pure_call_site site = pure_call_site::current());
/// Starts a receive. `buf` belongs to the runtime until *request is complete.
PURE_API int pure_irecv_msg(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                            pure_request* request, pure_call_site site = pure_call_site::current());

// Of several requests each is given once: completing one ends it for every copy of its handle. A list with the same
// request twice (null ones apart) is PURE_ERR_REQUEST, and so is a handle whose request has been completed or freed
// before. The error comes before the call waits for or completes anything: all requests are as they were. (A short send
// may be complete when it starts; then nothing tells it from another one, and giving it twice does no harm.)

/// Blocks until *request is complete, then frees it. A null request completes at once, with an empty status.
PURE_API int pure_wait(pure_request* request, pure_status* status = PURE_STATUS_IGNORE,
                       pure_call_site site = pure_call_site::current());
/// Blocks until all of requests[0..count) are complete. PURE_ERR_IN_STATUS: look at the `error` of each status.
PURE_API int pure_waitall(int count, pure_request requests[], pure_status statuses[] = PURE_STATUSES_IGNORE,
                          pure_call_site site = pure_call_site::current());
/// Blocks until one is complete; *index says which, or PURE_UNDEFINED when all are null or inactive.
PURE_API int pure_waitany(int count, pure_request requests[], int* index, pure_status* status = PURE_STATUS_IGNORE,
                          pure_call_site site = pure_call_site::current());
/// Blocks until at least one is complete; completes every one that is. *outcount is PURE_UNDEFINED when all are null or
/// inactive.
PURE_API int pure_waitsome(int incount, pure_request requests[], int* outcount, int indices[],
                           pure_status statuses[] = PURE_STATUSES_IGNORE,
                           pure_call_site site = pure_call_site::current());

/// Non-blocking forms (MPI 4.1, 3.7.3 to 3.7.5): *flag is 1 when the operation, one of them, or all of them are
/// complete; only then are requests freed. Each call makes progress.
PURE_API int pure_test(pure_request* request, int* flag, pure_status* status = PURE_STATUS_IGNORE,
                       pure_call_site site = pure_call_site::current());
PURE_API int pure_testall(int count, pure_request requests[], int* flag, pure_status statuses[] = PURE_STATUSES_IGNORE,
                          pure_call_site site = pure_call_site::current());
PURE_API int pure_testany(int count, pure_request requests[], int* index, int* flag,
                          pure_status* status = PURE_STATUS_IGNORE, pure_call_site site = pure_call_site::current());
PURE_API int pure_testsome(int incount, pure_request requests[], int* outcount, int indices[],
                           pure_status statuses[] = PURE_STATUSES_IGNORE,
                           pure_call_site site = pure_call_site::current());

/// How many elements of `type` the message had; PURE_UNDEFINED if it is not a whole number (MPI 4.1, 3.2.5).
PURE_API int pure_get_count(const pure_status* status, pure_datatype type, std::int64_t* count,
                            pure_call_site site = pure_call_site::current());
/// PURE_UNDEFINED also if it is no int.
PURE_API int pure_get_count(const pure_status* status, pure_datatype type, int* count,
                            pure_call_site site = pure_call_site::current());

// ---- send modes, probes, persistent messages, cancel ------------------------------------------------------------

#include <pure/layouts.h>

#include <pure/packing.h>

#include <pure/messages.h>

// ---- groups, communicators, collectives -----------------------------------------------------------------------

#include <pure/communicators.h>

#include <pure/collectives.h>

// ---- windows, info objects --------------------------------------------------------------------------------------

#include <pure/info.h>

#include <pure/topologies.h>

#include <pure/windows.h>

#include <pure/window_attributes.h>

// ---- aggregations -----------------------------------------------------------------------------------------------

#include <pure/aggregation.h>

// ---- loops and tasks that waiting ranks take over, as in C ------------------------------------------------------

#include <pure/tasks.h>

// ---- calls of MPI by the program itself -------------------------------------------------------------------------

/// From here to pure_mpi_unlock the calling rank may call the MPI over which the processes of its job are connected: no
/// other thread of this process is inside it, as MPI_THREAD_SERIALIZED demands (MPI 4.1, 11.6), and Pure has
/// communicators of its own. Blocks while another rank of this process has the lock, and until what ranks of this
/// process have sent before has left their buffers, large messages excepted. Not collective.
/// Nothing moves between this process and others meanwhile: a call of Pure that waits for another process ends the
/// job, as does a main that returns without pure_mpi_unlock. A hang inside the MPI is not found by Pure.
/// In a job of one process Pure starts no MPI; there the lock keeps ranks apart.
/// Errors: PURE_ERR_STATE (the rank has the lock already).
PURE_API int pure_mpi_lock(pure_call_site site = pure_call_site::current());
/// Never blocks. Errors: PURE_ERR_STATE (the rank has no lock).
PURE_API int pure_mpi_unlock(pure_call_site site = pure_call_site::current());

// ---- errors ---------------------------------------------------------------------------------------------------

/// Sets what happens to errors of the calling rank.
PURE_API int pure_set_errhandler(pure_errhandler handler, pure_call_site site = pure_call_site::current());
/// A short text for a code, valid for ever. Any thread.
PURE_API const char* pure_error_string(int code);
/// The whole text of the calling rank's latest error; valid until its next error. Empty if there was none.
PURE_API const char* pure_last_error();
/// Ends the job: every rank stops, the process exits with `code` (1 if that would be seen as 0, as 0 and 256 would).
/// Does not return (MPI 4.1, 11.4).
[[noreturn]] PURE_API void pure_abort(int code, pure_call_site site = pure_call_site::current());

/// The size in bytes of one element, of a derived type without its gaps; 0 for PURE_DATATYPE_NULL or an unknown type.
PURE_API std::size_t pure_type_size(pure_datatype type);

// ---- a rank that the program starts itself --------------------------------------------------------------------

// For programs whose main is not run by ranks: what a language, a library or a module is that comes to Pure late. Each
// process has one such rank, the thread that calls pure_init; several processes are started by
// `purerun --ranks-as processes -n N`, and one by itself is a job of one rank. Compile with PURE_MAIN_RUNS_ONCE.

/// Makes the calling thread a rank (MPI 4.1, 11.2.1). Blocks until all processes of the job have called it. The thread
/// keeps its stack, its name and its binding; a thread of Pure's watches over hangs meanwhile. Threads that were there
/// before, and those that the program starts, are no ranks, and must not call Pure for it.
/// A process that exits without pure_finalize has failed, and the job with it. In a child of fork() Pure is not there.
/// After pure_finalize the same thread or another one may call it again, in all processes.
/// Errors: PURE_ERR_STATE (the thread is a rank, or another one of this process is; more ranks are asked for than there
/// are processes; the processes cannot be connected).
PURE_API int pure_init(pure_call_site site = pure_call_site::current());
/// Ends the rank that the calling thread is since pure_init (MPI 4.1, 11.2.2). Blocks until all ranks of the job have
/// called it. What the rank holds (windows, communicators, handles) is gone afterwards.
/// Errors: PURE_ERR_STATE (it is not such a rank).
PURE_API int pure_finalize(pure_call_site site = pure_call_site::current());
/// *flag: 1 if pure_init has returned in this process (MPI 4.1, 11.2.3). Any thread.
PURE_API int pure_initialized(int* flag, pure_call_site site = pure_call_site::current());
/// *flag: 1 if the latest pure_init has been followed by pure_finalize. Any thread.
PURE_API int pure_finalized(int* flag, pure_call_site site = pure_call_site::current());

// ---- main -----------------------------------------------------------------------------------------------------

// A program that includes pure.h has its main() run by every rank (paper, 4.0.1: __original_main). The library finds
// this symbol when the program starts. Define PURE_MAIN_RUNS_ONCE before the include (in every file that includes
// pure.h) to keep an ordinary main that calls pure::run itself.
#ifndef PURE_MAIN_RUNS_ONCE
extern "C" {
__attribute__((weak, visibility("default"))) char pure_main_runs_on_every_rank = 1;
}
#endif

#endif  // PURE_H
