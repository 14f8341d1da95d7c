// The message calls and collectives of a benchmark, as MPI calls. See bench.hpp.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace bench {

using request = MPI_Request;

inline int rank() {
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int size() {
  int n;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}
inline void send(const void* data, std::size_t bytes, int to, int tag) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}
inline void recv(void* data, std::size_t bytes, int from, int tag) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
inline request isend(const void* data, std::size_t bytes, int to, int tag) {
  request r;
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, &r);
  return r;
}
inline request irecv(void* data, std::size_t bytes, int from, int tag) {
  request r;
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, &r);
  return r;
}
inline void sendrecv(const void* data, void* into, std::size_t bytes, int peer, int tag) {
  const int n = static_cast<int>(bytes);
  MPI_Sendrecv(data, n, MPI_BYTE, peer, tag, into, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
inline void wait(request& r) { MPI_Wait(&r, MPI_STATUS_IGNORE); }
inline void waitall(int count, request* requests) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }

using vector_type = MPI_Datatype;
inline vector_type make_vector(long count, long stride) {
  vector_type made;
  MPI_Type_vector(static_cast<int>(count), 1, static_cast<int>(stride), MPI_INT64_T, &made);
  MPI_Type_commit(&made);
  return made;
}
inline void free_type(vector_type& type) { MPI_Type_free(&type); }
inline void send_vector(const void* data, vector_type type, int to, int tag) {
  MPI_Send(data, 1, type, to, tag, MPI_COMM_WORLD);
}
inline void recv_vector(void* data, vector_type type, int from, int tag) {
  MPI_Recv(data, 1, type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

inline constexpr int any_source = MPI_ANY_SOURCE;
inline void ssend(const void* data, std::size_t bytes, int to, int tag) {
  MPI_Ssend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}
/// The size of the message.
inline std::size_t probe(int from, int tag) {
  MPI_Status status;
  MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
  int bytes;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::size_t>(bytes);
}
inline void mprobe_and_recv(void* data, std::size_t bytes, int from, int tag) {
  MPI_Message message;
  MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, static_cast<int>(bytes), MPI_BYTE, &message, MPI_STATUS_IGNORE);
}
inline request send_init(const void* data, std::size_t bytes, int to, int tag) {
  request r;
  MPI_Send_init(data, static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, &r);
  return r;
}
inline request recv_init(void* data, std::size_t bytes, int from, int tag) {
  request r;
  MPI_Recv_init(data, static_cast<int>(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, &r);
  return r;
}
inline void start(request& r) { MPI_Start(&r); }
inline void free_request(request& r) { MPI_Request_free(&r); }

// ---- collectives of doubles, summed --------------------------------------------------------------------------------

using communicator = MPI_Comm;

inline communicator world() { return MPI_COMM_WORLD; }
/// All ranks in the opposite order. Collective; to be freed.
inline communicator reversed_world() {
  communicator made;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size() - rank(), &made);
  return made;
}
inline void free_communicator(communicator& c) { MPI_Comm_free(&c); }

inline void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
inline void bcast(double* data, std::size_t count, int root) {
  MPI_Bcast(data, static_cast<int>(count), MPI_DOUBLE, root, MPI_COMM_WORLD);
}
inline void reduce(const double* in, double* out, std::size_t count, int root) {
  MPI_Reduce(in, out, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}
inline void allreduce(const double* in, double* out, std::size_t count) {
  MPI_Allreduce(in, out, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
inline void scan(const double* in, double* out, std::size_t count, communicator on) {
  MPI_Scan(in, out, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, on);
}
inline void allgather(const double* in, double* out, std::size_t count) {
  const int n = static_cast<int>(count);
  MPI_Allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD);
}
inline void alltoall(const double* in, double* out, std::size_t count) {
  const int n = static_cast<int>(count);
  MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

[[noreturn]] inline void abort_job() {
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// Binds the process before MPI starts, so that MPI makes its memory and its helper threads where the rank will run.
/// No launcher binds for us: each MPI counts cores in its own way, and all systems must get the same ones.
inline void start(const std::vector<int>& cpus) {
  if (!cpus.empty()) {
    // The launchers of MPICH and Intel MPI, of Open MPI, and of anything else that speaks PMIx.
    for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
      if (const char* mine = std::getenv(name)) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpus[static_cast<std::size_t>(std::atoi(mine)) % cpus.size()], &set);
        sched_setaffinity(0, sizeof set, &set);
        break;
      }
    }
  }
  MPI_Init(nullptr, nullptr);
}
inline void finish() { MPI_Finalize(); }

}  // namespace bench
