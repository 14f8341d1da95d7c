// The short path where messages are checked (PURE_CHECK), for blocking calls: as short_path.hpp, with what the checks
// ask for. It must be as short: what is added to the way of a small message counts twice, for a receiver that has just
// missed it polls again only after a pause. Sends are inline: an envelope that is passed in memory costs more
// (D-checked-path).
#pragma once

#include "match/message_checks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

inline bool message_sender::try_send_checked(int to, const envelope& who, const void* data, std::size_t bytes,
                                             const call& by) {
  out_channel& channel = channel_to(to);
  if (bytes > terms_.eager_limit_bytes || !channel.queue.empty() || terms_.log != nullptr) return false;
  const bool is_logged_first = channel.elsewhere != nullptr;  // the gateway reads the call when it sends the message
  last_number_ = is_logged_first ? terms_.checks->add_send(by) : terms_.checks->next_send(by);
  if (!put_eager(channel, who, data, bytes)) return false;
  if (!is_logged_first) terms_.checks->add_send(by);
  return true;
}

}  // namespace pure::core
