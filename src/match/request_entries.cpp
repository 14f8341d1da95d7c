// Entries of requests: what is not on the short path.
#include "match/request_entries.hpp"

namespace pure::core {

// ---- receives ----

request_end receive_entry::settle(const message_halves& engine, const call& by) {
  request_end how{op.result, engine.checks->end(op, by)};
  if (op.result.error != errc::success) how.failure.reset();  // that one says more
  return how;
}

bool receive_entry::take_back(const message_halves& engine) noexcept {
  if (!engine.receiver.withdraw(op)) return false;  // it has matched
  op.done = true;
  op.result = {.cancelled = true};
  return true;
}

void receive_entry::receive_for_nobody(const message_halves& engine) noexcept {
  try {
    if (stored == nullptr) stored = std::make_unique<stored_message>();
    stored->sink = sink_of_nobody(stored->thrown_away);
    op.buffer = nullptr;
    op.capacity = 0;
    op.sink = &stored->sink;
    op.result = {};
    op.done = false;
    engine.receiver.start(op);
  } catch (const std::bad_alloc&) {
    op.done = true;
    op.result = {.cancelled = true};
  }
}

void receive_entry::forget(const message_halves& engine) {
  if (op.is_checked) engine.checks->forget(op);
}

// ---- sends ----

request_end send_entry::settle(const message_halves& engine, const call& by) {
  return {outcome(), engine.checks->end(op, by)};
}

void send_entry::forget(const message_halves& engine) {
  if (op.is_checked) engine.checks->forget(op);
}

// ---- operations of the layers above ----

status operation_entry::outcome() const noexcept {
  if (!what->is_active()) return {};
  if (what->failure() != nullptr) return {.error = what->failure()->code()};
  return what->outcome();
}

request_end operation_entry::settle(const message_halves& engine, const call& by) noexcept {
  request_end how;
  if (!is_active()) return how;  // its failure has been reported when it was completed
  if (engine.checks != nullptr) [[unlikely]]
    what->settle(by);
  if (what->failure() != nullptr) how.failure.emplace(*what->failure());
  how.outcome = what->outcome();
  return how;
}

bool operation_entry::take_back(const message_halves& /*engine*/) noexcept {
  what->cancel();
  return what->poll();
}

bool operation_entry::end_main(const message_halves& /*engine*/) noexcept {
  if (!what->is_active()) return false;
  what->cancel();
  return true;
}

}  // namespace pure::core
