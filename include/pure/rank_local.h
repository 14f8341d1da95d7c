// Two words before variables, for programs that `mpi2pure port` has translated (docs/porting.md), in C and C++:
// PURE_RANK_LOCAL where each rank has its own, PURE_RANKS_SHARE where the ranks of a process share it on purpose.
#ifndef PURE_RANK_LOCAL_H
#define PURE_RANK_LOCAL_H

#ifndef PURE_RANK_LOCAL
#ifdef PURE_OVER_MPI
#define PURE_RANK_LOCAL /* a process has one rank */
#elif defined(__cplusplus)
#define PURE_RANK_LOCAL thread_local
#else
#define PURE_RANK_LOCAL _Thread_local
#endif
#endif

#ifndef PURE_RANKS_SHARE
#define PURE_RANKS_SHARE
#endif

#endif  // PURE_RANK_LOCAL_H
