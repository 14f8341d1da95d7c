// MPI itself, beside Pure, in a program of Pure that has one rank in each process. See backend_pure.hpp.
#pragma once

#include <mpi.h>
#include <pure.h>

#include <cstddef>

namespace bench {

/// A communicator of the program's own, whose ranks are those of Pure.
class own_mpi {
 public:
  own_mpi() {
    pure_mpi_lock();
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    pure_mpi_unlock();
  }

  /// Between pure_mpi_lock and pure_mpi_unlock, as the next ones.
  void send(const void* data, std::size_t bytes, int to, int tag) const {
    MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, tag, all_);
  }
  void recv(void* data, std::size_t bytes, int from, int tag) const {
    MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, all_, MPI_STATUS_IGNORE);
  }
  MPI_Request isend(const void* data, std::size_t bytes, int to, int tag) const {
    MPI_Request made;
    MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, all_, &made);
    return made;
  }
  MPI_Request irecv(void* data, std::size_t bytes, int from, int tag) const {
    MPI_Request made;
    MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, all_, &made);
    return made;
  }
  void waitall(int count, MPI_Request* requests) const { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }
  void allreduce(const double* in, double* out, std::size_t count) const {
    MPI_Allreduce(in, out, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, all_);
  }

 private:
  MPI_Comm all_ = MPI_COMM_NULL;
};

/// A body for session::measure() whose batches have the MPI to themselves.
template <class Function>
struct with_own_mpi {
  Function function;

  void begin() const { pure_mpi_lock(); }
  void operator()(long repetitions) const { function(repetitions); }
  void end() const { pure_mpi_unlock(); }
};
template <class Function>
with_own_mpi(Function) -> with_own_mpi<Function>;

}  // namespace bench
