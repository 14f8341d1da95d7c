// The messages that nobody has received, when all ranks have ended (PURE_CHECK).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/record.hpp"
#include "transport/ring.hpp"

namespace pure::core {

struct unreceived_message {
  envelope who;
  std::size_t bytes = 0;
  int from = 0, to = 0;      // ranks of the job
  std::uint32_t number = 0;  // of its record
};

/// The messages in a ring, to rank `to`: takes them out. When no rank runs.
void take_unreceived(ring& from, int to, std::vector<unreceived_message>& into);

}  // namespace pure::core
