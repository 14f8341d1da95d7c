#include "net_mpi/any_source.hpp"

namespace pure::net_mpi {

namespace {

int received;  // a receive that is never complete may still write

mpi_result try_it(MPI_Comm among, int next, bool& loses) {
  constexpr int tag = 0, tries = 1000;
  const int sent = 1;
  MPI_Request sending = MPI_REQUEST_NULL, receiving = MPI_REQUEST_NULL;
  if (const int error = MPI_Isend(&sent, 1, MPI_INT, next, tag, among, &sending); error != MPI_SUCCESS)
    return {error, "MPI_Isend"};
  if (const int error = MPI_Probe(MPI_ANY_SOURCE, tag, among, MPI_STATUS_IGNORE); error != MPI_SUCCESS)
    return {error, "MPI_Probe"};
  if (const int error = MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, tag, among, &receiving); error != MPI_SUCCESS)
    return {error, "MPI_Irecv"};
  int is_complete = 0;
  for (int left = tries; left > 0 && is_complete == 0; --left) {
    if (const int error = MPI_Test(&receiving, &is_complete, MPI_STATUS_IGNORE); error != MPI_SUCCESS)
      return {error, "MPI_Test"};
  }
  loses = is_complete == 0;
  return {MPI_Wait(&sending, MPI_STATUS_IGNORE), "MPI_Wait"};
}

}  // namespace

mpi_result loses_what_was_there(MPI_Comm among, bool leads, int next, bool& loses) {
  bool of_mine = false;
  if (leads) {
    if (const mpi_result failed = try_it(among, next, of_mine); failed.error != MPI_SUCCESS) return failed;
  }
  int of_any = of_mine ? 1 : 0;
  const int error = MPI_Allreduce(MPI_IN_PLACE, &of_any, 1, MPI_INT, MPI_MAX, among);
  loses = of_any != 0;
  return {error, "MPI_Allreduce"};
}

}  // namespace pure::net_mpi
