// How processes of a machine pass a memory file (shared_segment.hpp) to one another: datagrams between sockets of the
// abstract namespace (unix(7)), whose names are random numbers that the processes tell each other before.
//
// Nothing here waits. A datagram is in the receiver's queue when the send returns; who has to receive is told in other
// ways, such as a collective of the ranks. A queue holds at least 10 datagrams, so the pairs meet in rounds of a few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/shared_segment.hpp"

namespace pure::core {

class descriptor_exchange {
 public:
  using socket_name = std::array<unsigned char, 16>;
  static constexpr int most_at_once = 4;

  [[nodiscard]] segment_problem open() noexcept;
  [[nodiscard]] const socket_name& name() const noexcept { return name_; }

  /// `from`: what the receiver is told.
  [[nodiscard]] segment_problem send(const socket_name& to, int from, const owned_descriptor& passed) const noexcept;
  /// One that has been sent to this socket.
  [[nodiscard]] segment_problem receive(int& from, owned_descriptor& passed) const noexcept;

 private:
  owned_descriptor socket_;
  socket_name name_{};
};

}  // namespace pure::core
