#include "match/requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <pure/error.hpp>

#include "base/text.hpp"
#include "match/checked_path.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

bool requests::advance() {
  bool moved = !freed_.empty() && end_freed(32);
  if (!buffer_.all_sent()) moved |= buffer_.advance();
  for (const auto& [context, buffer] : buffers_of_communicators_) moved |= !buffer->all_sent() && buffer->advance();
  return moved;
}

// ---- start ----

handle requests::start_send_moved(const call& by, int to, const envelope& who, moved_value object) {
  if (engine_.try_send_now(to, who, object)) return finished_send;
  return start_send_op(by, to, who, nullptr, 0, &object, {});
}

handle requests::start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                               moved_value* object, send_manner how) {
  message_checks* const checks = engine_.checks();
  const std::uint32_t number = checks != nullptr ? checks->send_starts(by, data, bytes, to, who.tag) : 0;
  const auto made = sends_.make(by);
  send_op& op = made.entry.op;
  op.data = data;
  op.bytes = bytes;
  op.who = who;
  op.to = to;
  static_cast<send_manner&>(op) = how;
  if (object != nullptr) {
    op.is_moved = true;
    op.object = std::move(*object);
  }
  if (checks != nullptr) {
    op.number = number;
    checks->hold(op, by);
  }
  engine_.start(op);
  if (op.now != send_op::stage::done || op.is_checked) return made.name;
  sends_.free(made.name);
  return finished_send;
}

handle requests::start_synchronous_send(const call& by, int to, const envelope& who, const void* data,
                                        std::size_t bytes) {
  return start_send_op(by, to, who, data, bytes, nullptr, {.is_synchronous = true});
}

requests::~requests() {
  messages_.for_each([](unexpected_message* never_received) { unexpected_message::destroy(never_received); });
}

// ---- matched probes ----

unexpected_message& requests::find_message(const call& by, handle message) {
  unexpected_message** const found = !message.is_fixed() && message.kind() == request_kind::message && is_own(message)
                                         ? messages_.find(message)
                                         : nullptr;
  if (found == nullptr) {
    throw_wrong(by, errc::request,
                message.is_null() ? "the message is the null message: a matched probe makes one"
                                  : "the message has been received already, or belongs to another rank");
  }
  return **found;
}

status requests::receive_message(const call& by, handle& message, const receive_place& place) {
  if (message == message_from_nobody) {
    message = {};
    return from_nobody;
  }
  unexpected_message& taken = find_message(by, message);
  receive_op op(place, taken.who.context, taken.from, taken.who.tag);
  if (engine_.checks() != nullptr) engine_.checks()->receive_starts(op, by, false);
  messages_.free(std::exchange(message, handle{}));
  const int from = taken.from, tag = taken.who.tag;
  engine_.receive(taken, op);
  if (!op.done) wait_until(engine_.self(), wait_for_message_of(by, from, tag), [&] { return engine_.test(op); });
  return op.result;
}

handle requests::start_receive_message(const call& by, handle& message, const receive_place& place) {
  if (message == message_from_nobody) {
    message = {};
    return finished_receive;
  }
  unexpected_message& taken = find_message(by, message);
  const auto made = receives_.make(by, place, taken.who.context, taken.from, taken.who.tag);
  try {
    if (engine_.checks() != nullptr) engine_.checks()->receive_starts(made.entry.op, by, true);
  } catch (const Error&) {  // its buffer is in use
    receives_.free(made.name);
    throw;
  }
  messages_.free(std::exchange(message, handle{}));
  engine_.receive(taken, made.entry.op);
  return made.name;
}

// ---- cancel, look ----

void requests::cancel(const call& by, handle request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, errc::request, "the request is the null request");
  if (poll(request)) return;  // complete
  if (request.kind() == request_kind::receive) {
    receive_op& op = receives_.find(request)->op;
    if (!engine_.withdraw(op)) return;  // it has matched
    op.done = true;
    op.result = {.cancelled = true};
  } else if (request.kind() == request_kind::send) {
    send_entry& entry = *sends_.find(request);
    entry.is_cancelled = engine_.cancel(entry.op);
  } else {
    pending_operation& what = *operations_.find(request)->what;
    if (!what.is_of_messages()) {
      throw_wrong(by, errc::request, "the request is a collective's, which cannot be cancelled (MPI 4.1, 6.12)");
    }
    what.cancel();
  }
}

status requests::outcome_of(handle request) noexcept {
  if (request.is_fixed()) return request == finished_receive ? from_nobody : no_status;
  if (request.kind() == request_kind::receive) return receives_.find(request)->op.result;
  if (request.kind() == request_kind::send) return {.cancelled = sends_.find(request)->was_cancelled()};
  const pending_operation& what = *operations_.find(request)->what;
  if (!what.is_active()) return {};
  if (what.failure() != nullptr) return {.error = what.failure()->code()};
  return what.outcome();
}

// ---- errors ----

void requests::throw_wrong(const call& by, const std::string& text) { throw_wrong(by, errc::request, text); }

void requests::throw_wrong(const call& by, errc code, const std::string& text) {
  throw call_error(by, code, fmt::format("rank {}: {}", engine_.self().number(), text));
}

void requests::throw_invalid(const call& by, handle request) {
  const int me = engine_.self().number();
  const auto owner = static_cast<int>(request.rank());
  std::string text;
  if (request.generation() == 0 || owner >= engine_.self().owner().size()) {
    text += fmt::format("{:#x} is not a request: was the variable ever given to a non-blocking call?", request.value);
  } else if (owner != me) {
    text += fmt::format("the request belongs to rank {}: only the rank that started an operation can complete it",
                        owner);
  } else {
    text +=
        "the request has been completed or freed already: wait and test set the variable to the null request, but "
        "not its copies";
  }
  throw_wrong(by, text);
}

// ---- complete ----

bool requests::test(handle request, bool& makes_progress) {
  if (poll(request)) return true;
  if (!std::exchange(makes_progress, false)) return false;
  make_progress();
  return poll(request);
}

void requests::make_progress() { progress_once(engine_.self()); }

wait_reason requests::reason_for(const call& by, handle request) {
  if (request.kind() == request_kind::receive) {
    const receive_op& op = receives_.find(request)->op;
    return wait_for_message_of(by, op.from, op.tag);
  }
  if (request.kind() == request_kind::operation) return operations_.find(request)->what->reason(by);
  const send_op& op = sends_.find(request)->op;
  return {by, "the receive of its message by", op.to, op.who.tag, true};
}

void requests::wait_for(const call& by, handle request) {
  wait_reason why = reason_for(by, request);
  wait_until(engine_.self(), why, [&] {
    if (poll(request)) return true;
    // What an operation of several parts waits for changes.
    if (const operation_entry* const entry = find_operation(request)) why.turn_to(entry->what->reason(by));
    return false;
  });
}

status requests::finish(handle& request) {
  status outcome;
  finish(request, [&](const status& result, const Error*) { outcome = result; });
  return outcome;
}

bool requests::abandon(handle& request) {
  if (poll(request)) {
    finish(request,
           [&](const status&, const Error* failure) {
             if (failure != nullptr && engine_.checks() != nullptr) engine_.checks()->note(*failure);
           },
           {"~request", {}});
    if (!request.is_null()) discard(std::exchange(request, handle{}));  // persistent
    return true;
  }
  if (request.kind() == request_kind::operation) {
    operations_.find(request)->what->cancel();
    return poll(request) && abandon(request);
  }
  if (request.kind() != request_kind::receive) return false;
  if (!engine_.withdraw(receives_.find(request)->op)) return false;
  receives_.free(std::exchange(request, handle{}));
  return true;
}

/// Also takes back receives that were freed: nobody will look at what they get, and it may belong to main's frames.
bool requests::end_main() noexcept {
  end_freed(freed_.size());  // no wait may come any more
  bool is_memory_used = false;
  receives_.for_each([&](receive_entry& each) {
    if (each.op.done) return;  // complete, or inactive
    if (engine_.withdraw(each.op)) {
      each.op.done = true;
      each.op.result = {.cancelled = true};
    } else {
      is_memory_used = true;  // its bytes are on their way
    }
  });
  operations_.for_each([&](operation_entry& each) {
    if (!each.what->is_active()) return;
    each.what->cancel();
    is_memory_used = true;
  });
  return is_memory_used;
}

// ---- operations of the layers above ----

handle requests::adopt(const call& by, std::unique_ptr<pending_operation> what) {
  return operations_.make(by, std::move(what)).name;
}

bool requests::is_inactive_operation(handle request) noexcept {
  const pending_operation& what = *operations_.find(request)->what;
  return what.is_persistent() && !what.is_active();
}

requests::ended requests::finish_operation(handle& request, const call& by) noexcept {
  ended how;
  pending_operation& what = *operations_.find(request)->what;
  if (is_inactive_operation(request)) return how;  // its failure has been reported when it was completed
  if (engine_.checks() != nullptr) [[unlikely]]
    what.settle(by);
  if (what.failure() != nullptr) how.failure.emplace(*what.failure());
  how.outcome = what.outcome();
  what.deactivate();
  if (!what.is_persistent()) discard(std::exchange(request, handle{}));
  return how;
}

void requests::discard(handle name) noexcept {
  switch (name.kind()) {
    case request_kind::receive: receives_.free(name); break;
    case request_kind::send: sends_.free(name); break;
    default:
      operations_.find(name)->what->let_go();
      operations_.free(name);
      break;
  }
}

void requests::free_request(const call& by, handle& request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, "the request is the null request");
  if (request.is_fixed()) {
    request = {};
    return;
  }
  if (!is_active(request)) {
    discard(std::exchange(request, handle{}));
    return;
  }
  const auto forget = [&](auto& op) {  // nobody says when its buffer is the program's again
    if (op.is_checked) engine_.checks()->forget(op);
  };
  if (const operation_entry* const entry = find_operation(request)) {
    if (!entry->what->is_of_messages()) {
      throw_wrong(by, fmt::format("the request of {} is active: it cannot be freed before wait or test has completed "
                                  "it (MPI 4.1, 6.12)",
                                  to_text(entry->operation, entry->site)));
    }
    entry->what->forget();
  } else if (request.kind() == request_kind::receive) {
    forget(receives_.find(request)->op);
  } else {
    forget(sends_.find(request)->op);
  }
  const handle freed = std::exchange(request, handle{});
  if (poll(freed)) return end_freed(freed);
  freed_.push_back(freed);
}

/// Looks at some of them in turn: there may be thousands, and nobody waits for them.
bool requests::end_freed(std::size_t most) {
  const auto was_taken_back = [&](handle freed) {  // by end_main(): it stays, a leftover
    return freed.kind() == request_kind::receive && engine_.self().main_has_returned() &&
           receives_.find(freed)->op.result.cancelled;
  };
  bool any = false;
  for (std::size_t left = std::min(freed_.size(), most); left > 0; --left) {
    if (next_freed_ >= freed_.size()) next_freed_ = 0;
    const handle each = freed_[next_freed_];
    const bool is_live = is_valid(each);  // false: completed all the same, through a copy of the handle
    if (is_live && (!poll(each) || was_taken_back(each))) {
      ++next_freed_;
      continue;
    }
    freed_[next_freed_] = freed_.back();
    freed_.pop_back();
    if (is_live) end_freed(each);
    any = true;
  }
  return any;
}

/// An error that no call can return ends the job (MPI 4.1, 3.7.3).
void requests::end_freed(handle complete) {
  call by = no_call;
  if (const operation_entry* const adopted = find_operation(complete)) {
    by = {adopted->operation, adopted->site};
  } else if (complete.kind() == request_kind::receive) {
    const receive_entry& entry = *receives_.find(complete);
    by = {entry.operation, entry.site};
  }
  const status result = finish(complete);
  if (!complete.is_null()) discard(complete);  // persistent
  if (result.error == errc::success) return;
  try {
    throw_receive_error(by, engine_.self().number(), result);
  } catch (const Error& error) {
    const std::string text = fmt::format("{}\n  its request was freed, so no call can return this error", error.what());
    engine_.self().owner().fail(text, 1, std::make_exception_ptr(Error(error.code(), text, by.site)));
  }
}

void requests::throw_failed(const call& by, int rank, const status& result) const {
  message_checks* const checks = engine_.checks();
  const std::string mismatch = checks != nullptr ? checks->take_mismatch() : "";
  if (!mismatch.empty()) throw Error(errc::type, mismatch, by.site);
  throw_receive_error(by, rank, result);
}

void throw_receive_error(const call& by, int rank, const status& result) {
  std::string text;
  if (result.error == errc::truncate) {
    text = fmt::format(
        "message truncated: rank {} received {} bytes from rank {}, tag {}, into a buffer of {} bytes; make the "
        "buffer at least as large as the message",
        rank, result.sent_bytes, result.source, result.tag, result.bytes);
  } else if (result.serialized != nullptr) {
    text = fmt::format(
        "type mismatch: rank {} received plain data from rank {}, tag {}, but rank {} has sent a serialized {} ({} "
        "bytes); receive it with recv_into(pure::serialized(object), ...) of <pure/serialized.hpp>",
        rank, result.source, result.tag, result.source, type_name(result.serialized), result.sent_bytes);
  } else {
    text = fmt::format(
        "type mismatch: the message of {} bytes that rank {} received from rank {}, tag {}, is no whole number of the "
        "elements asked for; use the sender's type",
        result.sent_bytes, rank, result.source, result.tag);
  }
  throw call_error(by, result.error, text);
}

}  // namespace pure::core
