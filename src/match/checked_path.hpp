// The short path where messages are checked (PURE_CHECK), for blocking calls: as short_path.hpp, with what the checks
// ask for. A receive's half is match_engine::try_deliver_checked.
//
// Inline for the reason given there: an envelope that is passed in memory costs 15 ns.
#pragma once

#include "match/message_checks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

inline bool match_engine::try_send_checked(int to, const envelope& who, const void* data, std::size_t bytes,
                                           std::uint32_t number) {
  out_channel& channel = channel_to(to);
  if (bytes > eager_limit_bytes_ || !channel.queue.empty() || log_ != nullptr) return false;
  last_number_ = number;
  if (!put_eager(channel, who, data, bytes)) return false;
  checks_->send_is_out();
  return true;
}

}  // namespace pure::core
