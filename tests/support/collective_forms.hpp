// Every collective of pure.h in its three forms: blocking, non-blocking and persistent.
#pragma once

#include <pure.h>

#include "support/pure_h.hpp"

namespace test_support {

enum class form { blocking, nonblocking, persistent };
inline constexpr form forms[] = {form::blocking, form::nonblocking, form::persistent};

/// A form, and where a test calls it.
struct form_at {
  form_at(form wanted, pure_call_site site = pure_call_site::current()) : how(wanted), here(site) {}
  form how;
  pure_call_site here;
};

template <class Blocking, class Nonblocking, class Persistent>
struct in_forms {
  Blocking blocking;
  Nonblocking nonblocking;
  Persistent persistent;

  /// One call in one form, completed; its code, or that of what completes it.
  template <class... Arguments>
  int operator()(form_at called, pure_comm comm, Arguments... arguments) const {
    const auto& [how, here] = called;
    pure_request request = PURE_REQUEST_NULL;
    if (how == form::blocking) return blocking(arguments..., comm, here);
    if (how == form::nonblocking) {
      const int code = nonblocking(arguments..., comm, &request, here);
      return code != PURE_SUCCESS ? code : pure_wait(&request, PURE_STATUS_IGNORE, here);
    }
    int code = persistent(arguments..., comm, &request, here);
    for (int round = 0; round < 2 && code == PURE_SUCCESS; ++round) {
      code = pure_start(&request, here);
      if (code == PURE_SUCCESS) code = pure_wait(&request, PURE_STATUS_IGNORE, here);
    }
    if (request != PURE_REQUEST_NULL) {
      EXPECT_OK(pure_request_free(&request));
    }
    return code;
  }
};

template <class Blocking, class Nonblocking, class Persistent>
in_forms(Blocking, Nonblocking, Persistent) -> in_forms<Blocking, Nonblocking, Persistent>;

inline constexpr in_forms barrier{pure_barrier, pure_ibarrier, pure_barrier_init};
inline constexpr in_forms bcast{pure_bcast, pure_ibcast, pure_bcast_init};
inline constexpr in_forms reduce{pure_reduce, pure_ireduce, pure_reduce_init};
inline constexpr in_forms allreduce{pure_allreduce, pure_iallreduce, pure_allreduce_init};
inline constexpr in_forms scan{pure_scan, pure_iscan, pure_scan_init};
inline constexpr in_forms exscan{pure_exscan, pure_iexscan, pure_exscan_init};
inline constexpr in_forms reduce_scatter{pure_reduce_scatter, pure_ireduce_scatter, pure_reduce_scatter_init};
inline constexpr in_forms reduce_scatter_block{pure_reduce_scatter_block, pure_ireduce_scatter_block,
                                               pure_reduce_scatter_block_init};
inline constexpr in_forms gather{pure_gather, pure_igather, pure_gather_init};
inline constexpr in_forms gatherv{pure_gatherv, pure_igatherv, pure_gatherv_init};
inline constexpr in_forms scatter{pure_scatter, pure_iscatter, pure_scatter_init};
inline constexpr in_forms scatterv{pure_scatterv, pure_iscatterv, pure_scatterv_init};
inline constexpr in_forms allgather{pure_allgather, pure_iallgather, pure_allgather_init};
inline constexpr in_forms allgatherv{pure_allgatherv, pure_iallgatherv, pure_allgatherv_init};
inline constexpr in_forms alltoall{pure_alltoall, pure_ialltoall, pure_alltoall_init};
inline constexpr in_forms alltoallv{pure_alltoallv, pure_ialltoallv, pure_alltoallv_init};
inline constexpr in_forms alltoallw{pure_alltoallw, pure_ialltoallw, pure_alltoallw_init};

}  // namespace test_support
