// The collectives of pure.h.
#pragma once

#include "support/collective_oracle/door.hpp"

namespace collective_oracle {

class pure_h_door final : public door {
 public:
  void run(const call& c) override { forward(form::blocking, c); }
  pure_request start(const call& c) override { return forward(form::nonblocking, c); }
  pure_request init(const call& c) override { return forward(form::persistent, c); }
  void restart(pure_request& request, const call&) override { pure_start(&request); }
  void release(pure_request& request) override { pure_request_free(&request); }

 private:
  static const auto* or_null(const auto& numbers) { return numbers.empty() ? nullptr : numbers.data(); }

  static pure_request forward(form how, const call& c) {
    const operation& o = c.what;
    const part& a = c.arguments;
    pure_op op = static_cast<pure_op>(o.op);
    if (is_user_operator(o.op)) {
      op = PURE_OP_NULL;
      pure_op_create(o.op == user_xor ? xor_function : affine_function, o.op == user_xor, &op);
    }
    const std::int64_t *send_counts = or_null(a.send.counts), *send_displs = or_null(a.send.displs);
    const std::int64_t *recv_counts = or_null(a.recv.counts), *recv_displs = or_null(a.recv.displs);
    pure_request made = PURE_REQUEST_NULL;

#define CALL(name, ...)                                                                \
  (how == form::blocking      ? pure_##name(__VA_ARGS__ __VA_OPT__(, ) c.comm)         \
   : how == form::nonblocking ? pure_i##name(__VA_ARGS__ __VA_OPT__(, ) c.comm, &made) \
                              : pure_##name##_init(__VA_ARGS__ __VA_OPT__(, ) c.comm, &made))

    switch (o.what) {
      case kind::barrier: CALL(barrier); break;
      case kind::bcast: CALL(bcast, c.recv, o.count, o.type, o.root); break;
      case kind::reduce: CALL(reduce, c.send, c.recv, o.count, o.type, op, o.root); break;
      case kind::allreduce: CALL(allreduce, c.send, c.recv, o.count, o.type, op); break;
      case kind::scan: CALL(scan, c.send, c.recv, o.count, o.type, op); break;
      case kind::exscan: CALL(exscan, c.send, c.recv, o.count, o.type, op); break;
      case kind::reduce_scatter: CALL(reduce_scatter, c.send, c.recv, recv_counts, o.type, op); break;
      case kind::reduce_scatter_block: CALL(reduce_scatter_block, c.send, c.recv, o.count, o.type, op); break;
      case kind::gather:
        CALL(gather, c.send, a.send_count, a.send_type, c.recv, a.recv_count, a.recv_type, o.root);
        break;
      case kind::gatherv:
        CALL(gatherv, c.send, a.send_count, a.send_type, c.recv, recv_counts, recv_displs, a.recv_type, o.root);
        break;
      case kind::scatter:
        CALL(scatter, c.send, a.send_count, a.send_type, c.recv, a.recv_count, a.recv_type, o.root);
        break;
      case kind::scatterv:
        CALL(scatterv, c.send, send_counts, send_displs, a.send_type, c.recv, a.recv_count, a.recv_type, o.root);
        break;
      case kind::allgather:
        CALL(allgather, c.send, a.send_count, a.send_type, c.recv, a.recv_count, a.recv_type);
        break;
      case kind::allgatherv:
        CALL(allgatherv, c.send, a.send_count, a.send_type, c.recv, recv_counts, recv_displs, a.recv_type);
        break;
      case kind::alltoall: CALL(alltoall, c.send, a.send_count, a.send_type, c.recv, a.recv_count, a.recv_type); break;
      case kind::alltoallv:
        CALL(alltoallv, c.send, send_counts, send_displs, a.send_type, c.recv, recv_counts, recv_displs, a.recv_type);
        break;
      case kind::alltoallw:
        CALL(alltoallw, c.send, send_counts, send_displs, or_null(a.send.types), c.recv, recv_counts, recv_displs,
             or_null(a.recv.types));
        break;
      case kind::exchange: break;  // the runner's
    }
#undef CALL
    if (is_user_operator(o.op)) pure_op_free(&op);  // pending operations go on using it
    return made;
  }
};

}  // namespace collective_oracle
