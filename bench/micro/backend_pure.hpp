// The message calls and collectives of a benchmark, as calls of pure.h. See bench.hpp. Every rank runs main() as a
// thread, and is bound by PURE_MAP_BY, which the driver sets.
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
inline void sendrecv(const void* data, void* into, std::size_t bytes, int peer, int tag) {
  const auto n = static_cast<std::int64_t>(bytes);
  pure_sendrecv_msg(data, n, PURE_BYTE, peer, tag, into, n, PURE_BYTE, peer, tag, PURE_COMM_WORLD);
}
inline void wait(request& r) { pure_wait(&r); }
inline void waitall(int count, request* requests) { pure_waitall(count, requests); }

inline constexpr int any_source = PURE_ANY_SOURCE;
inline void ssend(const void* data, std::size_t bytes, int to, int tag) {
  pure_ssend_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD);
}
/// The size of the message.
inline std::size_t probe(int from, int tag) {
  pure_status status;
  pure_probe(from, tag, PURE_COMM_WORLD, &status);
  return static_cast<std::size_t>(status.bytes);
}
inline void mprobe_and_recv(void* data, std::size_t bytes, int from, int tag) {
  pure_message message;
  pure_mprobe(from, tag, PURE_COMM_WORLD, &message, PURE_STATUS_IGNORE);
  pure_mrecv_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, &message);
}
inline request send_init(const void* data, std::size_t bytes, int to, int tag) {
  request r;
  pure_send_init(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD, &r);
  return r;
}
inline request recv_init(void* data, std::size_t bytes, int from, int tag) {
  request r;
  pure_recv_init(data, static_cast<std::int64_t>(bytes), PURE_BYTE, from, tag, PURE_COMM_WORLD, &r);
  return r;
}
inline void start(request& r) { pure_start(&r); }
inline void free_request(request& r) { pure_request_free(&r); }

/// `count` words, `stride` words apart.
using vector_type = pure_datatype;
inline vector_type make_vector(long count, long stride) {
  vector_type made;
  pure_type_vector(count, 1, stride, PURE_INT64_T, &made);
  pure_type_commit(&made);
  return made;
}
inline void free_type(vector_type& type) { pure_type_free(&type); }
inline void send_vector(const void* data, vector_type type, int to, int tag) {
  pure_send_msg(data, 1, type, to, tag, PURE_COMM_WORLD);
}
inline void recv_vector(void* data, vector_type type, int from, int tag) {
  pure_recv_msg(data, 1, type, from, tag, PURE_COMM_WORLD);
}

// ---- collectives of doubles, summed --------------------------------------------------------------------------------

using communicator = pure_comm;

inline communicator world() { return PURE_COMM_WORLD; }
/// All ranks in the opposite order. Collective; to be freed.
inline communicator reversed_world() {
  communicator made;
  pure_comm_split(PURE_COMM_WORLD, 0, size() - rank(), &made);
  return made;
}
inline void free_communicator(communicator& c) { pure_comm_free(&c); }

inline void barrier() { pure_barrier(PURE_COMM_WORLD); }
inline void bcast(double* data, std::size_t count, int root) {
  pure_bcast(data, static_cast<std::int64_t>(count), PURE_DOUBLE, root, PURE_COMM_WORLD);
}
inline void reduce(const double* in, double* out, std::size_t count, int root) {
  pure_reduce(in, out, static_cast<std::int64_t>(count), PURE_DOUBLE, PURE_SUM, root, PURE_COMM_WORLD);
}
inline void allreduce(const double* in, double* out, std::size_t count) {
  pure_allreduce(in, out, static_cast<std::int64_t>(count), PURE_DOUBLE, PURE_SUM, PURE_COMM_WORLD);
}
inline void scan(const double* in, double* out, std::size_t count, communicator on) {
  pure_scan(in, out, static_cast<std::int64_t>(count), PURE_DOUBLE, PURE_SUM, on);
}
inline void allgather(const double* in, double* out, std::size_t count) {
  const auto n = static_cast<std::int64_t>(count);
  pure_allgather(in, n, PURE_DOUBLE, out, n, PURE_DOUBLE, PURE_COMM_WORLD);
}
inline void alltoall(const double* in, double* out, std::size_t count) {
  const auto n = static_cast<std::int64_t>(count);
  pure_alltoall(in, n, PURE_DOUBLE, out, n, PURE_DOUBLE, PURE_COMM_WORLD);
}

[[noreturn]] inline void abort_job() { pure_abort(1); }

inline void start(const std::vector<int>&) {}
inline void finish() {}

}  // namespace bench
