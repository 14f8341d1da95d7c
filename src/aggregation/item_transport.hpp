// How the packets of an aggregation (packets.hpp) reach other processes. Aggregations know no more of a network than
// this.
//
// Who implements it calls aggregation_part::deliver() for each packet that has come, on any thread, but on
// one at a time: that never blocks, and runs no handler. Packets from one process to another arrive in the order in
// which they were sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/open_accounts.hpp"

namespace pure::core {

class item_transport {
 public:
  item_transport() = default;
  item_transport(const item_transport&) = delete;
  item_transport& operator=(const item_transport&) = delete;
  virtual ~item_transport() = default;

  /// Takes over a packet, whose memory is the caller's again on return. False: there is no room now; when
  /// there is again, it notifies the ranks of this process, which try again in their waits. Never blocks. Throws
  /// std::bad_alloc, and has not taken it then. Any rank's thread of the process.
  [[nodiscard]] virtual bool try_send(int process, std::span<const std::byte> packet) = 0;

  /// Delivers what has come, where the waits of ranks do not do that by themselves. True if there was something. Throws
  /// std::bad_alloc. Any rank's thread of the process, in its waits.
  virtual bool poll() { return false; }

  /// A rank of this process has handled a buffer that has come from that process, or passed on what has. Any rank's
  /// thread.
  virtual void has_handled(int /*process*/) noexcept {}

  /// What is on its way longer than it may be, when ranks have finished.
  virtual void add_open_accounts(open_accounts& /*to*/) {}
};

}  // namespace pure::core
