// What a channel asks of its rank behind a send: that others are handled, and that the rank waits where it has sent too
// much. Once for a buffer or packet, not for an item.
#pragma once

#include "base/call.hpp"

namespace pure::core {

class send_follow_up {
 public:
  send_follow_up() = default;
  send_follow_up(const send_follow_up&) = delete;
  send_follow_up& operator=(const send_follow_up&) = delete;

  /// Behind a push to that rank: handles what has come, and waits until the receiver has read enough of what it got.
  virtual void has_pushed(const call& by, int dest) = 0;
  /// Behind the first item of a buffer: waits until another one has room under the memory cap, but for handlers.
  virtual void has_opened(const call& by) = 0;

 protected:
  ~send_follow_up() = default;
};

}  // namespace pure::core
