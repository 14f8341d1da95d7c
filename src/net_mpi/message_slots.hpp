// Where messages of any process arrive: slots in a circle, each with a receive from any source. MPI matches receives in
// the order in which they were posted, so that only the oldest has to be tested, and messages of a process are handed
// on in the order of sending.
//
// Where the MPI loses messages that come before such a receive (any_source.hpp), none is posted: a message is looked
// for, and received when it is there. That costs a copy.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/aligned_bytes.hpp"
#include "net_mpi/any_source.hpp"

namespace pure::net_mpi {

class message_slots {
 public:
  enum class filling { posted, looked_for };

  explicit message_slots(int count) : requests_(static_cast<std::size_t>(count), MPI_REQUEST_NULL) {}

  mpi_result open(MPI_Comm messages, std::size_t message_bytes, filling how);

  /// To be called before a test of the oldest request.
  mpi_result prepare() { return how_ == filling::posted || oldest() != MPI_REQUEST_NULL ? mpi_result{} : look_for(); }
  /// Of the next message. Null, for which a test says nothing: it is looked for, and not there.
  [[nodiscard]] MPI_Request& oldest() noexcept { return requests_[oldest_]; }
  /// The message of the oldest request, which is complete. It lies there until renew().
  const std::byte* take() noexcept;
  /// The slot of the last message is free for another one.
  mpi_result renew();

  /// When no more messages come. Anything taken has been renewed.
  mpi_result close();

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);

  [[nodiscard]] void* memory_of(std::size_t slot) noexcept { return memory_.get() + slot * stride_; }
  mpi_result look_for();

  MPI_Comm messages_ = MPI_COMM_NULL;
  filling how_ = filling::posted;
  int bytes_ = 0;  // of a message, at most
  std::size_t stride_ = 0;
  core::aligned_bytes memory_;
  std::vector<MPI_Request> requests_;
  std::size_t oldest_ = 0;   // the first to receive something
  std::size_t free_ = none;  // the one before, until it is renewed
};

}  // namespace pure::net_mpi
