// The message calls of a benchmark, as calls of pure.h. See bench.hpp. Every rank runs main() as a thread, and is bound
// by PURE_MAP_BY, which the driver sets.
#pragma once

#include <pure.h>

#include <cstddef>
#include <vector>

namespace bench {

using request = pure_request;

inline int rank() { return pure_rank(); }
inline int size() { return pure_size(); }
inline void send(const void* data, std::size_t bytes, int to, int tag) {
  pure_send_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD);
}
inline void recv(void* data, std::size_t bytes, int from, int tag) {
  pure_recv_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, from, tag, PURE_COMM_WORLD);
}
inline request isend(const void* data, std::size_t bytes, int to, int tag) {
  request r;
  pure_isend_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD, &r);
  return r;
}
inline request irecv(void* data, std::size_t bytes, int from, int tag) {
  request r;
  pure_irecv_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, from, tag, PURE_COMM_WORLD, &r);
  return r;
}
inline void wait(request& r) { pure_wait(&r); }
inline void waitall(int count, request* requests) { pure_waitall(count, requests); }

[[noreturn]] inline void abort_job() { pure_abort(1); }

inline void start(const std::vector<int>&) {}
inline void finish() {}

}  // namespace bench
