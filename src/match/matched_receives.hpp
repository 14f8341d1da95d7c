// Receives of the messages that matched probes have taken out (MPI 4.1, 3.8.2 and 3.8.3). Own thread of the rank only;
// unreceived() also when no rank runs.
#pragma once

#include <vector>

#include "base/call.hpp"
#include "match/match_engine.hpp"
#include "match/matched_messages.hpp"
#include "match/request_tables.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class matched_receives {
 public:
  matched_receives(rank_context& self, const message_halves& engine, request_tables& tables)
      : self_(self), engine_(engine), tables_(tables), messages_(self.number()) {}

  /// Owns the message from now on.
  handle keep(unexpected_message& taken) { return messages_.keep(taken); }
  [[nodiscard]] bool is_kept(handle message) noexcept { return messages_.is_kept(message); }
  /// Receives it, at once; the handle becomes null. Throws request for a handle that names none.
  status receive(const call& by, handle& message, const receive_place& place);
  /// The same, as a request that is complete.
  handle start_receive(const call& by, handle& message, const receive_place& place);
  [[nodiscard]] std::vector<const unexpected_message*> unreceived() { return messages_.unreceived(); }

 private:
  rank_context& self_;
  const message_halves engine_;
  request_tables& tables_;
  matched_messages messages_;
};

}  // namespace pure::core
