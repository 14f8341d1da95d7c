// What all processes of a group do together: MPI's non-blocking collectives.
#include <algorithm>
#include <climits>

#include "base/datatype.hpp"
#include "net_mpi/mpi_network.hpp"

namespace pure::net_mpi {
namespace {

// MPI's integer of the same size and sign; MPI_DATATYPE_NULL for what is no integer.
MPI_Datatype integer_type(pure_datatype type) {
  const core::integer_kind kind = core::integer_kind_of(type);
  if (kind == core::integer_kind::none) return MPI_DATATYPE_NULL;
  const bool is_signed = kind == core::integer_kind::with_sign;
  switch (core::size_of_type(type)) {
    case 1: return is_signed ? MPI_INT8_T : MPI_UINT8_T;
    case 2: return is_signed ? MPI_INT16_T : MPI_UINT16_T;
    case 4: return is_signed ? MPI_INT32_T : MPI_UINT32_T;
    default: return is_signed ? MPI_INT64_T : MPI_UINT64_T;
  }
}

MPI_Op operator_of(pure_op op) {
  switch (op) {
    case PURE_SUM: return MPI_SUM;
    case PURE_PROD: return MPI_PROD;
    case PURE_MIN: return MPI_MIN;
    case PURE_MAX: return MPI_MAX;
    case PURE_BAND: return MPI_BAND;
    case PURE_BOR: return MPI_BOR;
    case PURE_BXOR: return MPI_BXOR;
    default: return MPI_OP_NULL;
  }
}

}  // namespace

bool mpi_network::duplicate(network_operation& making, int group, int& made) {
  if (broken_) return false;
  begin(making);
  made = static_cast<int>(groups_.size());
  groups_.push_back(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  return succeeded(MPI_Comm_idup(comm_of(group), &groups_.back(), &request), "MPI_Comm_idup", -1, 0) &&
         test_and_watch(making, request, direction::out);
}

void mpi_network::release(int group) {
  MPI_Comm& comm = groups_[static_cast<std::size_t>(group)];
  if (broken_ || comm == MPI_COMM_NULL) return;
  succeeded(MPI_Comm_free(&comm), "MPI_Comm_free", -1, 0);
}

bool mpi_network::barrier(network_operation& meeting, int group) {
  if (broken_) return false;
  begin(meeting);
  MPI_Request request = MPI_REQUEST_NULL;
  return succeeded(MPI_Ibarrier(comm_of(group), &request), "MPI_Ibarrier", -1, 0) &&
         test_and_watch(meeting, request, direction::out);
}

bool mpi_network::broadcast(network_operation& sharing, int group, int root, void* data, std::size_t bytes) {
  in_pieces(sharing, bytes, direction::out, [&](std::size_t offset, int piece, MPI_Request& request) {
    auto* const at = static_cast<std::byte*>(data) + offset;
    return succeeded(MPI_Ibcast(at, piece, MPI_BYTE, root, comm_of(group), &request), "MPI_Ibcast", -1, bytes);
  });
  return false;
}

bool mpi_network::all_gather(network_operation& gathering, int group, const void* mine, std::size_t bytes, void* all) {
  if (broken_) return false;
  begin(gathering);
  if (bytes > INT_MAX) {
    failed(MPI_ERR_COUNT, "all_gather of more than 2 GiB");
    return false;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = static_cast<int>(bytes);
  const int error = MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_of(group), &request);
  return succeeded(error, "MPI_Iallgather", -1, bytes) && test_and_watch(gathering, request, direction::out);
}

bool mpi_network::all_reduce(network_operation& reducing, int group, const void* mine, void* result, std::size_t count,
                             pure_datatype type, pure_op op) {
  const std::size_t size = core::size_of_type(type);
  // Whole elements in each piece.
  const std::size_t elements_in_a_piece = piece_bytes_ / size == 0 ? 1 : piece_bytes_ / size;
  begin(reducing);
  bool all_done = true;
  std::size_t first = 0;
  do {
    if (broken_) return false;
    const std::size_t elements = std::min(count - first, elements_in_a_piece);
    const void* const in = mine == result ? MPI_IN_PLACE : static_cast<const std::byte*>(mine) + first * size;
    auto* const out = static_cast<std::byte*>(result) + first * size;
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = MPI_Iallreduce(in, out, static_cast<int>(elements), integer_type(type), operator_of(op),
                                     comm_of(group), &request);
    if (!succeeded(error, "MPI_Iallreduce", -1, count * size)) return false;
    if (!test_and_watch(reducing, request, direction::out)) all_done = false;
    first += elements;
  } while (first < count);
  return all_done && !broken_;
}

bool mpi_network::can_reduce(pure_datatype type, pure_op op) const noexcept {
  return integer_type(type) != MPI_DATATYPE_NULL && operator_of(op) != MPI_OP_NULL;
}

}  // namespace pure::net_mpi
