#include "net_mpi/message_slots.hpp"

#include <utility>

#include "base/cache_line.hpp"
#include "net_mpi/completion.hpp"

namespace pure::net_mpi {

mpi_result message_slots::open(MPI_Comm messages, std::size_t message_bytes, filling how) {
  messages_ = messages;
  how_ = how;
  bytes_ = static_cast<int>(message_bytes);
  stride_ = core::lines_for(message_bytes) * core::line_bytes;
  memory_ = core::make_aligned(stride_ * requests_.size());
  if (how_ == filling::looked_for) return {};
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    int error = MPI_Recv_init(memory_of(i), bytes_, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &requests_[i]);
    if (error != MPI_SUCCESS) return {error, "MPI_Recv_init"};
    if (error = MPI_Start(&requests_[i]); error != MPI_SUCCESS) return {error, "MPI_Start of a receive"};
  }
  return {};
}

mpi_result message_slots::look_for() {
  int is_there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  int error = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages_, &is_there, &message, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS || is_there == 0) return {error, "MPI_Improbe"};
  error = MPI_Imrecv(memory_of(oldest_), bytes_, MPI_BYTE, &message, &oldest());
  return {error, "MPI_Imrecv"};
}

const std::byte* message_slots::take() noexcept {
  free_ = oldest_;
  if (++oldest_ == requests_.size()) oldest_ = 0;
  return static_cast<const std::byte*>(memory_of(free_));
}

mpi_result message_slots::renew() {
  if (free_ == none) return {};
  MPI_Request& slot = requests_[std::exchange(free_, none)];
  if (const int error = let_go(slot); error != MPI_SUCCESS) return {error, "MPI_Wait of a receive"};
  if (how_ == filling::looked_for) return {};
  return {MPI_Start(&slot), "MPI_Start of a receive"};
}

mpi_result message_slots::close() {
  for (MPI_Request& slot : requests_) {
    if (slot == MPI_REQUEST_NULL) continue;
    if (how_ == filling::posted) {
      if (const int error = MPI_Cancel(&slot); error != MPI_SUCCESS) return {error, "MPI_Cancel"};
    }
    if (const int error = MPI_Wait(&slot, MPI_STATUS_IGNORE); error != MPI_SUCCESS) return {error, "MPI_Wait"};
    if (how_ == filling::posted) MPI_Request_free(&slot);
  }
  return {};
}

}  // namespace pure::net_mpi
