// The message calls of a benchmark, as MPI calls. See bench.hpp.
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
inline void wait(request& r) { MPI_Wait(&r, MPI_STATUS_IGNORE); }
inline void waitall(int count, request* requests) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }

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
