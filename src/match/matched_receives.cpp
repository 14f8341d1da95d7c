#include "match/matched_receives.hpp"

#include "match/fixed_requests.hpp"
#include "match/short_receive.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

status matched_receives::receive(const call& by, handle& message, const receive_place& place) {
  if (message == matched_messages::from_nobody) {
    message = {};
    return status_from_nobody;
  }
  unexpected_message& taken = messages_.find(by, message);
  receive_op op(place, taken.who.context, taken.from, taken.who.tag);
  if (engine_.checks != nullptr) engine_.checks->receive_starts(op, by, false);
  messages_.give_up(message);
  const int from = taken.from, tag = taken.who.tag;
  engine_.receiver.receive(taken, op);
  if (!op.done) wait_until(self_, wait_for_message_of(by, from, tag), [&] { return engine_.receiver.test(op); });
  return op.result;
}

handle matched_receives::start_receive(const call& by, handle& message, const receive_place& place) {
  if (message == matched_messages::from_nobody) {
    message = {};
    return finished_receive;
  }
  unexpected_message& taken = messages_.find(by, message);
  const auto made = tables_.of<receive_entry>().make(by, place, taken.who.context, taken.from, taken.who.tag);
  try {
    if (engine_.checks != nullptr) engine_.checks->receive_starts(made.entry.op, by, true);
  } catch (const Error&) {  // its buffer is in use
    tables_.remove(made.name, made.entry);
    throw;
  }
  messages_.give_up(message);
  engine_.receiver.receive(taken, made.entry.op);
  return made.name;
}

}  // namespace pure::core
