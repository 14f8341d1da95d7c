// The message calls on MPI. MPI's default error handler ends the job, so return codes need no look.
// With OpenMP, messages are the business of the thread that runs main: MPI_THREAD_FUNNELED.
#include <mpi.h>

#include <cstdlib>

#include "messages.hpp"

namespace md {
namespace {

int count(std::size_t bytes) { return static_cast<int>(bytes); }  // at most longest_bytes

std::size_t length(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::size_t>(bytes);
}

}  // namespace

messages::messages(int& argc, char**& argv) {
#ifdef _OPENMP
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) abort(1);
#else
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

messages::~messages() { MPI_Finalize(); }

#ifdef _OPENMP
const char* messages::system() { return "MPI + OpenMP"; }
#else
const char* messages::system() { return "MPI"; }
#endif

double messages::wtime_s() { return MPI_Wtime(); }

void messages::send(std::span<const std::byte> data, int to, int tag) {
  MPI_Send(data.data(), count(data.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

std::size_t messages::recv(std::span<std::byte> in, int from, int tag) {
  MPI_Status status;
  MPI_Recv(in.data(), count(in.size()), MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
  return length(status);
}

std::size_t messages::sendrecv(std::span<const std::byte> out, int to, std::span<std::byte> in, int from, int tag) {
  MPI_Status status;
  MPI_Sendrecv(out.data(), count(out.size()), MPI_BYTE, to, tag, in.data(), count(in.size()), MPI_BYTE, from, tag,
               MPI_COMM_WORLD, &status);
  return length(status);
}

void messages::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace md
