// Groups and communicators of pure.h (MPI 4.1, chapter 7). Part of pure.h.
#ifndef PURE_COMMUNICATORS_H
#define PURE_COMMUNICATORS_H

#include <pure.h>

enum pure_info : std::uint64_t;  // pure/info.h
struct MPI_ABI_Comm;             // an MPI_Comm of the standard ABI is a pointer to one

/// An ordered set of ranks. A handle of the rank that made it; local: no function on groups communicates.
enum pure_group : std::uint64_t { PURE_GROUP_NULL = 0, PURE_GROUP_EMPTY = 1 };

/// What pure_comm_compare and pure_group_compare find (MPI 4.1, 7.4.1).
enum pure_comparison : int {
  PURE_IDENT = 0,      ///< the same communicator; for groups: the same ranks in the same order
  PURE_CONGRUENT = 1,  ///< another communicator with the same ranks in the same order
  PURE_SIMILAR = 2,    ///< the same ranks in another order
  PURE_UNEQUAL = 3
};

/// What the ranks of a communicator made by pure_comm_split_type share.
enum pure_split_type : int {
  PURE_COMM_TYPE_MACHINE = 1,  ///< one machine, whose memory they can share (MPI's MPI_COMM_TYPE_SHARED)
  PURE_COMM_TYPE_PROCESS,      ///< one process: its ranks see each other's memory
  PURE_COMM_TYPE_NUMA,         ///< the NUMA node of the core to which they are bound
  PURE_COMM_TYPE_CORE,         ///< the core to which they are bound
  PURE_COMM_TYPE_L3,           ///< the L3 cache of that core
  PURE_COMM_TYPE_SOCKET,       ///< its socket
  // MPI 4.1's, 7.4.2. They are guided by an info object
  PURE_COMM_TYPE_HW_GUIDED,       ///< the kind of hardware that the key mpi_hw_resource_type names
  PURE_COMM_TYPE_HW_UNGUIDED,     ///< the kind of hardware that makes the fewest parts, but more than one
  PURE_COMM_TYPE_RESOURCE_GUIDED  ///< likewise, or the process set that the key mpi_pset_name names
};

// ---- communicators --------------------------------------------------------------------------------------------
//
// What is wrong with the arguments of one rank of a call that makes a communicator is the error of all: each gets the
// code, and a text that names that rank. Nobody has made anything, and all can go on. Of a rank whose comm is none, or
// whose group or tag is wrong for pure_comm_create_group, the others cannot hear: it alone gets the error, at once, and
// may call again; they wait for it.

/// A copy with the same ranks whose messages and collectives match nothing of the original's. Collective over comm.
PURE_API int pure_comm_dup(pure_comm comm, pure_comm* made, pure_call_site site = pure_call_site::current());

/// One communicator for each color; its ranks in the order of key, then of their rank in comm. Color PURE_UNDEFINED:
/// in none, *made is PURE_COMM_NULL. Collective over comm (paper, 2; MPI 4.1, 7.4.2). Errors: _ARG for another
/// negative color.
PURE_API int pure_comm_split(pure_comm comm, int color, int key, pure_comm* made,
                             pure_call_site site = pure_call_site::current());

/// One communicator for each machine, process, NUMA node, L3 cache, socket or core. Ranks that are bound to no single
/// one get PURE_COMM_NULL, as do ranks that pass PURE_UNDEFINED. Collective over comm. Errors: PURE_ERR_MISMATCH, where
/// ranks split by different things.
PURE_API int pure_comm_split_type(pure_comm comm, int split_type, int key, pure_comm* made,
                                  pure_call_site site = pure_call_site::current());
/// The same with an info object, the same on all ranks. Keys (MPI 4.1, 7.4.2):
///   mpi_hw_resource_type  of _HW_GUIDED and _RESOURCE_GUIDED: hwloc's name of a kind of hardware, "hwloc://NUMANode",
///                         "hwloc://L3Cache", "hwloc://Package", "hwloc://Die", "hwloc://Core", "hwloc://PU"..., or
///                         "mpi_shared_memory", which is _MACHINE. Of _HW_UNGUIDED: set, for ranks that get a
///                         communicator, to the kind of which that is one
///   mpi_pset_name         of _RESOURCE_GUIDED: "mpi://WORLD" or "mpi://SELF"
/// Without its key, or where the value names what is not known or not there, all ranks get PURE_COMM_NULL. Errors: also
/// PURE_ERR_ARG for both keys at once, and PURE_ERR_INFO.
PURE_API int pure_comm_split_type(pure_comm comm, int split_type, int key, pure_info info, pure_comm* made,
                                  pure_call_site site = pure_call_site::current());

/// A communicator of the ranks in group, a subset of comm's; the others get PURE_COMM_NULL. Collective over comm: all
/// ranks pass the same group, or disjoint ones (MPI 4.1, 7.4.2).
PURE_API int pure_comm_create(pure_comm comm, pure_group group, pure_comm* made,
                              pure_call_site site = pure_call_site::current());

/// The same, collective over group only: the other ranks of comm do not call. Calls at the same time by several threads
/// of ranks with a common member are told apart by tag, 0 <= tag <= PURE_TAG_UB.
PURE_API int pure_comm_create_group(pure_comm comm, pure_group group, int tag, pure_comm* made,
                                    pure_call_site site = pure_call_site::current());

/// Ends the use of a communicator and sets *comm to PURE_COMM_NULL. Collective in MPI's sense: every rank calls it, but
/// it does not wait. What is pending on it completes as usual, and persistent requests still work: the communicator
/// lasts until their requests are completed or freed (MPI 4.1, 7.4.3). World and self cannot be freed: _COMM.
PURE_API int pure_comm_free(pure_comm* comm, pure_call_site site = pure_call_site::current());

/// *result is a pure_comparison. Local.
PURE_API int pure_comm_compare(pure_comm a, pure_comm b, int* result, pure_call_site site = pure_call_site::current());

/// Names appear in errors and hang reports. Local: each rank names its own handle. A new communicator is called after
/// the one that it was made from.
PURE_API int pure_comm_set_name(pure_comm comm, const char* name, pure_call_site site = pure_call_site::current());
/// *name is valid until the communicator is renamed or freed.
PURE_API int pure_comm_get_name(pure_comm comm, const char** name, pure_call_site site = pure_call_site::current());

/// *comm is the communicator that the program, which includes Pure's mpi.h as well, knows as `mpi`, an MPI_Comm: the
/// same object, which either interface may free. MPI_COMM_NULL is PURE_COMM_NULL. Local.
PURE_API int pure_comm_from_mpi(MPI_ABI_Comm* mpi, pure_comm* comm, pure_call_site site = pure_call_site::current());
/// And back.
PURE_API int pure_comm_to_mpi(pure_comm comm, MPI_ABI_Comm** mpi, pure_call_site site = pure_call_site::current());

/// The ranks of comm as a group, to be freed.
PURE_API int pure_comm_group(pure_comm comm, pure_group* group, pure_call_site site = pure_call_site::current());

// ---- groups (MPI 4.1, 7.3) ------------------------------------------------------------------------------------

PURE_API int pure_group_size(pure_group group, int* size, pure_call_site site = pure_call_site::current());
/// The caller's rank in group, or PURE_UNDEFINED.
PURE_API int pure_group_rank(pure_group group, int* rank, pure_call_site site = pure_call_site::current());
/// ranks2[i] is in group2 what ranks1[i] is in group1, or PURE_UNDEFINED; PURE_PROC_NULL stays.
PURE_API int pure_group_translate_ranks(pure_group group1, int count, const int ranks1[], pure_group group2,
                                        int ranks2[], pure_call_site site = pure_call_site::current());
/// *result is PURE_IDENT, PURE_SIMILAR or PURE_UNEQUAL.
PURE_API int pure_group_compare(pure_group a, pure_group b, int* result,
                                pure_call_site site = pure_call_site::current());

/// All of a in a's order, then what is only in b in b's order.
PURE_API int pure_group_union(pure_group a, pure_group b, pure_group* made,
                              pure_call_site site = pure_call_site::current());
/// What is in both, in a's order.
PURE_API int pure_group_intersection(pure_group a, pure_group b, pure_group* made,
                                     pure_call_site site = pure_call_site::current());
/// What is in a and not in b, in a's order.
PURE_API int pure_group_difference(pure_group a, pure_group b, pure_group* made,
                                   pure_call_site site = pure_call_site::current());
/// The listed ranks of group, in the order of the list. Errors: _RANK for one out of range or listed twice.
PURE_API int pure_group_incl(pure_group group, int count, const int ranks[], pure_group* made,
                             pure_call_site site = pure_call_site::current());
/// The ranks that are not listed, in group's order.
PURE_API int pure_group_excl(pure_group group, int count, const int ranks[], pure_group* made,
                             pure_call_site site = pure_call_site::current());
/// The same by triples (first, last, stride): first, first + stride, ... up to last; stride may be negative, not 0.
PURE_API int pure_group_range_incl(pure_group group, int count, const int ranges[][3], pure_group* made,
                                   pure_call_site site = pure_call_site::current());
PURE_API int pure_group_range_excl(pure_group group, int count, const int ranges[][3], pure_group* made,
                                   pure_call_site site = pure_call_site::current());
/// Frees the handle and sets it to PURE_GROUP_NULL. Communicators made from it are not concerned.
PURE_API int pure_group_free(pure_group* group, pure_call_site site = pure_call_site::current());

#endif  // PURE_COMMUNICATORS_H
