// How processes of a machine pass a memory file (shared_segment.hpp) to one another: datagrams between sockets of the
// abstract namespace (unix(7)), whose names are random numbers that the processes tell each other before.
//
// Everybody on the machine can read the names (/proc/net/unix), and send there. So a datagram counts only if the kernel
// says that its sender is of the receiver's user, and if it holds the secret that the processes have told each other
// with the name; any other one is dropped, with what it brings, and counted.
//
// Nothing here waits. A datagram is in the receiver's queue when the send returns; who has to receive is told in other
// ways, such as a collective of the ranks. A queue holds at least 10 datagrams, so the pairs meet in rounds of a few.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/shared_segment.hpp"

namespace pure::core {

class descriptor_exchange {
 public:
  using number = std::array<unsigned char, 16>;
  /// What senders have to know. Told to nobody but the processes of the job.
  struct contact {
    number name{};
    number secret{};
  };
  static constexpr int most_at_once = 4;

  [[nodiscard]] segment_problem open() noexcept;
  [[nodiscard]] const contact& own() const noexcept { return own_; }

  /// `from`: what the receiver is told.
  [[nodiscard]] segment_problem send(const contact& to, int from, const owned_descriptor& passed) const noexcept;
  /// One that has been sent to this socket by a process of the job.
  [[nodiscard]] segment_problem receive(int& from, owned_descriptor& passed) noexcept;
  /// How many datagrams of others have come, and of which user the last was.
  [[nodiscard]] int strangers() const noexcept { return strangers_; }
  [[nodiscard]] uid_t last_stranger() const noexcept { return last_stranger_; }

 private:
  owned_descriptor socket_;
  contact own_;
  int strangers_ = 0;
  uid_t last_stranger_ = 0;
};

}  // namespace pure::core
