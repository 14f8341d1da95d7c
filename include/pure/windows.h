// Windows of pure.h: memory that the ranks of a communicator share, and one-sided communication (MPI 4.1, chapter 12).
// Part of pure.h.
//
// A window is made by all ranks of a communicator together. Where the memory of a rank is addressable, it may be read
// and written directly (pure_win_shared_query); the calls reach all of it. What becomes visible to whom, and when:
// docs/windows.md.
//
// A displacement counts units of the target's rank, as that rank has given them. Operations with PURE_PROC_NULL do
// nothing. On memory that is addressable put, get and the atomic operations are complete when they return, here and
// there; on other memory they are complete when the call that ends the epoch, or a flush, has returned. Where one turns
// out to be impossible there, that call says so, when it has done all else that it does.
//
// Errors of all: PURE_ERR_WIN, _RANK, _ARG, and where it says so others. Operations: _RMA_SYNC outside an epoch,
// _RMA_RANGE for memory that is not in the window, _COUNT where the two sides have not the same number of bytes, _TYPE,
// _BUFFER; with PURE_CHECK also _RMA_CONFLICT, as fences and waits (docs/windows.md).
#ifndef PURE_WINDOWS_H
#define PURE_WINDOWS_H

#include <pure.h>

enum pure_group : std::uint64_t;  // pure/communicators.h
enum pure_info : std::uint64_t;   // pure/info.h

/// A handle of the rank that has made it with the others.
enum pure_win : std::uint64_t { PURE_WIN_NULL = 0 };

enum pure_lock_type : int { PURE_LOCK_EXCLUSIVE = 1, PURE_LOCK_SHARED = 2 };

/// What a program promises (MPI 4.1, 12.5.5); a sum of them, of which each call looks at those that concern it. A fence
/// waits for all ranks whatever is promised, a start for its posts, and a lock is taken: only NOSUCCEED changes
/// anything.
enum : int {
  PURE_MODE_NOCHECK = 1,     ///< start: all its posts have been called; post: no start has been, yet; on both sides, or
                             ///< on none. lock, lock_all: nobody else has, or wants, a lock that this one excludes
  PURE_MODE_NOSTORE = 2,     ///< post, fence: no stores to the own part since the last synchronization
  PURE_MODE_NOPUT = 4,       ///< post, fence: no puts and no atomic operations on the own part until the next one
  PURE_MODE_NOPRECEDE = 8,   ///< fence: it completes no operations of this rank; on all ranks, or on none
  PURE_MODE_NOSUCCEED = 16,  ///< fence: no operations of this rank begin behind it, so that no epoch is open; likewise
};

/// Attributes of a window (MPI 4.1, 12.2.6).
enum pure_win_attribute : int {
  PURE_WIN_BASE = 1,       ///< void*: of the own part
  PURE_WIN_SIZE,           ///< std::int64_t: its bytes
  PURE_WIN_DISP_UNIT,      ///< int
  PURE_WIN_CREATE_FLAVOR,  ///< int: a pure_win_flavor
  PURE_WIN_MODEL           ///< int: PURE_WIN_UNIFIED
};
enum pure_win_flavor : int {
  PURE_WIN_FLAVOR_CREATE = 1,
  PURE_WIN_FLAVOR_ALLOCATE,
  PURE_WIN_FLAVOR_DYNAMIC,
  PURE_WIN_FLAVOR_SHARED
};
/// Loads and operations see the same memory: there is no private copy (MPI 4.1, 12.4).
enum pure_win_model : int { PURE_WIN_UNIFIED = 2 };

// ---- making them (MPI 4.1, 12.2). Collective; an error that one rank finds is the error of all ---------------------
//
// Also one of its own arguments: each rank gets the code, and a text that names that rank and says what is wrong.
// Nobody has made anything then, and all can go on. (A rank whose comm is none is in no call: it alone gets the error.)
//
// Keys of `info`, the same on all ranks:
//
//   alloc_shared_noncontig
//       pure_win_allocate_shared: "true" for memory of its own for each rank, on its own pages from a page on; "false",
//       the default: the memory of each rank follows that of the one before
//   mpi_minimum_memory_alignment
//       of each rank's memory (of the first one's, where they follow each other): a power of two
//   pure_huge_pages
//       "off", "transparent" or "reserved"; if they are not granted, that is said on stderr
//   pure_atomics
//       "any_type": atomic operations exclude each other, whatever their types. "hardware": integers of up to 8 bytes
//       also exclude std::atomic_ref
//   accumulate_ops
//       a promise that PURE_CHECK looks at: atomic operations of several ranks on one element at a time have the
//       "same_op", or "same_op_no_op". Without it they may be any
//   pure_name
//       for errors and hang reports
//
// Others are ignored, as MPI wants it. Errors: PURE_ERR_DISP, _INFO (a wrong value), _NO_MEM, _MISMATCH, _RMA_SHARED
// (memory that all ranks shall address, but not all are on one machine).

/// Memory of `size` bytes, zeros, for this rank; *(void**)base is its address. It is on pages of its own from a page
/// on, which this rank has touched first, so that they are on its NUMA node.
PURE_API int pure_win_allocate(std::int64_t size, int disp_unit, pure_info info, pure_comm comm, void* base,
                               pure_win* win, pure_call_site site = pure_call_site::current());
/// The same for memory that all ranks address: by pure_win_shared_query, or from the base on, where each rank's memory
/// follows that of the one before.
PURE_API int pure_win_allocate_shared(std::int64_t size, int disp_unit, pure_info info, pure_comm comm, void* base,
                                      pure_win* win, pure_call_site site = pure_call_site::current());
/// A window of memory that is there, which has to live until the window is freed. It is taken back where this rank's
/// main ends before that: then operations on it are errors (PURE_ERR_RMA_RANGE) of the ranks that call them.
PURE_API int pure_win_create(void* base, std::int64_t size, int disp_unit, pure_info info, pure_comm comm,
                             pure_win* win, pure_call_site site = pure_call_site::current());
/// One to which each rank attaches memory; displacements are addresses at the target.
PURE_API int pure_win_create_dynamic(pure_info info, pure_comm comm, pure_win* win,
                                     pure_call_site site = pure_call_site::current());
/// Local. Regions may touch, and one operation may use several that do; of size 0 it may be anywhere. Errors:
/// PURE_ERR_RMA_FLAVOR, _RMA_ATTACH (it overlaps what is attached; or was not attached).
PURE_API int pure_win_attach(pure_win win, void* base, std::int64_t size,
                             pure_call_site site = pure_call_site::current());
PURE_API int pure_win_detach(pure_win win, const void* base, pure_call_site site = pure_call_site::current());
/// Collective; returns when all ranks have called. Errors: PURE_ERR_RMA_SYNC, for a rank that has an epoch open.
PURE_API int pure_win_free(pure_win* win, pure_call_site site = pure_call_site::current());

/// The part of a rank: its bytes, unit, and address. Of PURE_PROC_NULL: that of the lowest rank that has any. Local.
/// Size 0 and a null address where there is none, or none that this process can address.
PURE_API int pure_win_shared_query(pure_win win, int rank, std::int64_t* size, int* disp_unit, void* base,
                                   pure_call_site site = pure_call_site::current());
/// The ranks of the window, as a group to be freed.
PURE_API int pure_win_get_group(pure_win win, pure_group* group, pure_call_site site = pure_call_site::current());
/// *(type*)value as pure_win_attribute says, or *(void**)value for one that the program has attached
/// (pure/window_attributes.h); *flag is 0 if there is none of that number.
PURE_API int pure_win_get_attr(pure_win win, int attribute, void* value, int* flag,
                               pure_call_site site = pure_call_site::current());
/// What is in force, of the keys above; to be freed.
PURE_API int pure_win_get_info(pure_win win, pure_info* info, pure_call_site site = pure_call_site::current());
/// In errors and hang reports. Local.
PURE_API int pure_win_set_name(pure_win win, const char* name, pure_call_site site = pure_call_site::current());
/// *name is valid until the window is renamed or freed.
PURE_API int pure_win_get_name(pure_win win, const char** name, pure_call_site site = pure_call_site::current());

// ---- synchronization (MPI 4.1, 12.5). Errors: PURE_ERR_RMA_SYNC, where it does not fit to the epochs that are open
// ---

/// Collective. What all ranks have stored and put before is seen by all behind it. Returns when all ranks have called.
PURE_API int pure_win_fence(int assertions, pure_win win, pure_call_site site = pure_call_site::current());
/// Exposes the own part to the ranks in group. Does not block.
PURE_API int pure_win_post(pure_group group, int assertions, pure_win win,
                           pure_call_site site = pure_call_site::current());
/// Waits until those in group have posted theirs to this rank.
PURE_API int pure_win_start(pure_group group, int assertions, pure_win win,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_win_complete(pure_win win, pure_call_site site = pure_call_site::current());
/// Waits until all to whom the part is exposed have completed their epochs.
PURE_API int pure_win_wait(pure_win win, pure_call_site site = pure_call_site::current());
/// *flag is 1 if they have: then it is as pure_win_wait.
PURE_API int pure_win_test(pure_win win, int* flag, pure_call_site site = pure_call_site::current());

/// Waits until nobody holds the lock of that rank who excludes this.
PURE_API int pure_win_lock(int lock_type, int rank, int assertions, pure_win win,
                           pure_call_site site = pure_call_site::current());
PURE_API int pure_win_unlock(int rank, pure_win win, pure_call_site site = pure_call_site::current());
/// Shared locks of all ranks.
PURE_API int pure_win_lock_all(int assertions, pure_win win, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_unlock_all(pure_win win, pure_call_site site = pure_call_site::current());
/// The operations of this rank on that one's memory (_all: on all) are complete there; _local: here.
PURE_API int pure_win_flush(int rank, pure_win win, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_flush_all(pure_win win, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_flush_local(int rank, pure_win win, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_flush_local_all(pure_win win, pure_call_site site = pure_call_site::current());
/// A memory barrier: loads and stores before it come before those behind it. A rank may spin on it until another one
/// has stored something: it lets others of its core run, and ends when the job has failed.
PURE_API int pure_win_sync(pure_win win, pure_call_site site = pure_call_site::current());

// ---- notifications: MPI has none ------------------------------------------------------------------------------------
//
// Each rank has the notifications 0 to PURE_WIN_NOTIFICATIONS - 1 of a window, which are counters. Outside epochs, too.

enum : int { PURE_WIN_NOTIFICATIONS = 8 };

/// Adds one to a notification of `rank`, who then sees what this rank has stored and put before. Does not block.
PURE_API int pure_win_notify(int rank, int notification, pure_win win, pure_call_site site = pure_call_site::current());
/// Waits until so many have come to this rank, and takes them.
PURE_API int pure_win_wait_notified(std::int64_t count, int notification, pure_win win,
                                    pure_call_site site = pure_call_site::current());
/// *flag is 1 if so many had come, which are taken then.
PURE_API int pure_win_test_notified(std::int64_t count, int notification, pure_win win, int* flag,
                                    pure_call_site site = pure_call_site::current());

// ---- operations (MPI 4.1, 12.3) -------------------------------------------------------------------------------------
//
// Buffers may be used again when the call returns. Derived types at both ends; the atomic ones want elements of one
// basic type, the same at both ends. Operators: those of reductions but for a program's own, PURE_REPLACE, and
// PURE_NO_OP where there is a result. All atomic operations on an element exclude each other, and are ordered as they
// were called. An operation of no bytes is right at any displacement, and with null buffers.

PURE_API int pure_put(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                      std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_win win,
                      pure_call_site site = pure_call_site::current());
PURE_API int pure_get(void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
                      std::int64_t target_count, pure_datatype target_type, pure_win win,
                      pure_call_site site = pure_call_site::current());
/// there = there op origin.
PURE_API int pure_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                             std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_op op,
                             pure_win win, pure_call_site site = pure_call_site::current());
/// The same; result: what was there before. With PURE_NO_OP the origin's arguments are not looked at.
PURE_API int pure_get_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, void* result,
                                 std::int64_t result_count, pure_datatype result_type, int rank, std::int64_t disp,
                                 std::int64_t target_count, pure_datatype target_type, pure_op op, pure_win win,
                                 pure_call_site site = pure_call_site::current());
/// Of one element of a basic type.
PURE_API int pure_fetch_and_op(const void* origin, void* result, pure_datatype type, int rank, std::int64_t disp,
                               pure_op op, pure_win win, pure_call_site site = pure_call_site::current());
/// origin replaces what is there, if that has the bytes of compare. Of one integer, bool or byte.
PURE_API int pure_compare_and_swap(const void* origin, const void* compare, void* result, pure_datatype type, int rank,
                                   std::int64_t disp, pure_win win, pure_call_site site = pure_call_site::current());

/// The same with requests, which are complete: what they bring is there.
PURE_API int pure_rput(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                       std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_win win,
                       pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_rget(void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
                       std::int64_t target_count, pure_datatype target_type, pure_win win, pure_request* request,
                       pure_call_site site = pure_call_site::current());
PURE_API int pure_raccumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                              std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_op op,
                              pure_win win, pure_request* request, pure_call_site site = pure_call_site::current());
PURE_API int pure_rget_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type,
                                  void* result, std::int64_t result_count, pure_datatype result_type, int rank,
                                  std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_op op,
                                  pure_win win, pure_request* request, pure_call_site site = pure_call_site::current());

#endif  // PURE_WINDOWS_H
