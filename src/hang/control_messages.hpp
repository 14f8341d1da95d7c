// What the processes of a job tell each other in the search for ranks that wait for ever (hang/coordinator.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/packed_bytes.hpp"
#include "hang/rank_state.hpp"

namespace pure::core {

/// The first byte of a control message. To process 0, but for those that are said to be from it.
enum class hang_message : std::uint8_t {
  states,   // of the sender's ranks
  count,    // from process 0: are these asleep, and how many packets have you sent?
  counted,  // the answer
  held,     // from any process to any other: large messages for the receiver that the sender still holds
  settle,   // from process 0: has all that arrived which the others have sent, and has nobody moved?
  again,    // from process 0, a while later: has still nobody?
  settled,  // the answer to both
  stacks,   // from process 0: where are your ranks?
  stacks_are
};

/// A rank in a certain sleep (rank_state::sleep).
struct sleeper {
  int rank = 0;
  std::uint32_t sleep = 0;
  bool operator==(const sleeper&) const = default;
};

void add(byte_packer& to, const std::vector<sleeper>& all);
std::vector<sleeper> sleepers_in(byte_unpacker& from);

/// `now_ns`: the processes' clocks differ, so they tell how long a rank has waited.
void add(byte_packer& to, const rank_state& state, std::int64_t now_ns);

/// `texts`: of the call site and the kind of the wait, which outlive the control message.
rank_state rank_state_in(byte_unpacker& from, std::int64_t now_ns, kept_texts& texts);

}  // namespace pure::core
