#include "match/requests.hpp"

#include <fmt/core.h>

#include <utility>

#include <pure/error.hpp>

#include "match/checked_path.hpp"

namespace pure::core {

// ---- start ----

handle requests::start_send_moved(const call& by, int to, const envelope& who, moved_value object) {
  if (engine_.try_send_now(to, who, object)) return finished_send;
  return start_send_op(by, to, who, nullptr, 0, &object);
}

handle requests::start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                               moved_value* object, bool is_synchronous) {
  message_checks* const checks = engine_.checks();
  const std::uint32_t number = checks != nullptr ? checks->send_starts(by, data, bytes, to, who.tag) : 0;
  const auto made = sends_.make(by);
  send_op& op = made.entry.op;
  op.data = data;
  op.bytes = bytes;
  op.who = who;
  op.to = to;
  op.is_synchronous = is_synchronous;
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
  return start_send_op(by, to, who, data, bytes, nullptr, true);
}

requests::~requests() {
  messages_.for_each([](early_message* never_received) { early_message::destroy(never_received); });
}

// ---- buffered sends ----

void requests::send_buffered(const call& by, int to, const envelope& who, const void* data, std::size_t bytes) {
  std::uint32_t number = 0;
  if (message_checks* const checks = engine_.checks()) {
    checks->require_free(by, data, bytes, to, who.tag);
    if (engine_.try_send_checked(to, who, data, bytes, by)) return;
    number = checks->add_send(by);
  }
  if (buffer_.send(to, who, data, bytes, number)) return;
  const std::string has = !buffer_.is_attached()
                              ? "no buffer is attached"
                              : fmt::format("the attached buffer has {} bytes, of which {} are in use", buffer_.size(),
                                            buffer_.in_use());
  throw_wrong(
      by, errc::buffer,
      fmt::format("a message of {} bytes to rank {} needs {} bytes of buffer, but {}; attach a larger buffer, or "
                  "an automatic one",
                  bytes, to, bytes + send_buffer::overhead, has));
}

void requests::flush_buffer(const call& by) {
  wait_until(engine_.self(), {by, "the receives of its buffered messages"}, [&] {
    buffer_.advance();
    return buffer_.all_sent();
  });
}

// ---- matched probes ----

early_message& requests::find_message(const call& by, handle message) {
  early_message** const found = !message.is_fixed() && message.kind() == request_kind::message &&
                                        message.rank() == static_cast<std::uint32_t>(engine_.self().number())
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
  early_message& taken = find_message(by, message);
  receive_op op(place, taken.who.context, taken.from, taken.who.tag);
  if (engine_.checks() != nullptr) engine_.checks()->receive_starts(op, by, false);
  messages_.free(std::exchange(message, handle{}));
  engine_.receive(taken, op);
  return op.result;
}

handle requests::start_receive_message(const call& by, handle& message, const receive_place& place) {
  if (message == message_from_nobody) {
    message = {};
    return finished_receive;
  }
  early_message& taken = find_message(by, message);
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
    engine_.withdraw(op);
    op.done = true;
    op.result = {.cancelled = true};
  } else if (request.kind() == request_kind::send) {
    send_entry& entry = *sends_.find(request);
    entry.is_cancelled = engine_.cancel(entry.op);
  } else {
    pending_operation& what = *operations_.find(request)->what;
    if (!what.can_be_cancelled()) {
      throw_wrong(by, errc::request, "the request is a collective's, which cannot be cancelled (MPI 4.1, 6.12)");
    }
    what.cancel();
  }
}

status requests::outcome_of(handle request) noexcept {
  if (request.is_fixed()) return request == finished_receive ? from_nobody : no_status;
  if (request.kind() == request_kind::receive) return receives_.find(request)->op.result;
  if (request.kind() == request_kind::send) return {.cancelled = sends_.find(request)->is_cancelled};
  const pending_operation& what = *operations_.find(request)->what;
  if (!what.is_active()) return {};
  if (what.failure() != nullptr) return {.error = what.failure()->code()};
  return what.outcome();
}

/// The op of a message that was withdrawn stays until its receiver has seen that.
void requests::free_send(handle name) {
  const send_op& op = sends_.find(name)->op;
  if (op.is_withdrawn && !op.claim.is_disposed()) {
    freed_sends_.push_back(name);
  } else {
    sends_.free(name);
  }
}

// ---- errors ----

void requests::throw_wrong(const call& by, const std::string& text) { throw_wrong(by, errc::request, text); }

void requests::throw_wrong(const call& by, errc code, const std::string& text) {
  std::string whole = fmt::format("{}: rank {}: {}", by.operation, engine_.self().number(), text);
  if (const std::string site = to_text(by.site); !site.empty()) whole += "\n  at " + site;
  throw Error(code, whole, by.site);
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

bool requests::test(handle request) {
  if (poll(request)) return true;
  make_progress();
  return poll(request);
}

void requests::make_progress() { progress_once(engine_.self()); }

wait_reason requests::reason_for(const call& by, handle request) {
  if (request.kind() == request_kind::receive) {
    const receive_op& op = receives_.find(request)->op;
    return {by, "a message from", op.from == any_source ? wait_reason::anybody : op.from, op.tag};
  }
  if (request.kind() == request_kind::operation) return operations_.find(request)->what->reason(by);
  const send_op& op = sends_.find(request)->op;
  return {by, "the receive of its message by", op.to, op.who.tag};
}

void requests::wait_for(const call& by, handle request) {
  const wait_reason why = reason_for(by, request);
  wait_until(engine_.self(), why, [&] { return poll(request); });
}

int requests::wait_any(const call& by, std::span<const handle> all) {
  int first_pending = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_active(all[i])) continue;
    if (poll(all[i])) return static_cast<int>(i);
    if (first_pending < 0) first_pending = static_cast<int>(i);
  }
  if (first_pending < 0) return -1;
  int complete = -1;
  const wait_reason why = reason_for(by, all[static_cast<std::size_t>(first_pending)]);
  wait_until(engine_.self(), why, [&] {
    for (std::size_t i = 0; complete < 0 && i < all.size(); ++i) {
      if (is_active(all[i]) && poll(all[i])) complete = static_cast<int>(i);
    }
    return complete >= 0;
  });
  return complete;
}

bool requests::abandon(handle& request) {
  if (poll(request)) {
    finish(request,
           [&](const status&, const Error* failure) {
             if (failure != nullptr && engine_.checks() != nullptr) engine_.checks()->note(*failure);
           },
           {"~request", {}});
    if (!request.is_null()) operations_.free(std::exchange(request, handle{}));  // persistent
    return true;
  }
  if (request.kind() == request_kind::operation) {
    operations_.find(request)->what->withdraw_receive();
    return poll(request) && abandon(request);
  }
  if (request.kind() != request_kind::receive) return false;
  engine_.withdraw(receives_.find(request)->op);
  receives_.free(std::exchange(request, handle{}));
  return true;
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
  if (!what.is_persistent()) operations_.free(std::exchange(request, handle{}));
  return how;
}

pending_operation& requests::startable(const call& by, handle request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, "the request is the null request: make one with a *_init function first");
  operation_entry* const entry = find_operation(request);
  if (entry == nullptr || !entry->what->is_persistent()) {
    throw_wrong(by, "the request is not persistent: only those of the *_init functions are started");
  }
  if (entry->what->is_active()) {
    throw_wrong(by, fmt::format("the request of {} is active: complete it (wait, test) before it is started again",
                                to_text(entry->operation, entry->site)));
  }
  return *entry->what;
}

void requests::free_request(const call& by, handle& request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, "the request is the null request");
  if (operation_entry* const entry = find_operation(request)) {
    if (!is_inactive_operation(request)) {
      throw_wrong(by,
                  fmt::format("the request of {} is active: it cannot be freed before wait or test has completed it",
                              to_text(entry->operation, entry->site)));
    }
    operations_.free(request);
  } else if (!request.is_fixed()) {
    if (request.kind() == request_kind::receive) {
      throw_wrong(by,
                  "the request is a receive's: nobody could tell when its buffer is filled; complete it with wait or "
                  "test");
    }
    if (send_op& op = sends_.find(request)->op; op.is_checked)
      engine_.checks()->forget(op);  // nobody says when it ends
    freed_sends_.push_back(request);
    end_freed_sends();
  }
  request = {};
}

bool requests::end_freed_sends() {
  std::erase_if(withdrawn_, [](const std::unique_ptr<send_op>& each) { return each->claim.is_disposed(); });
  return std::erase_if(freed_sends_, [&](handle each) {
           const send_entry* const entry = sends_.find(each);
           if (entry == nullptr) return true;  // completed all the same, through a copy of the handle
           if (!poll(each) || (entry->op.is_withdrawn && !entry->op.claim.is_disposed())) return false;
           sends_.free(each);
           return true;
         }) > 0;
}

void requests::throw_failed(const call& by, int rank, const status& result) const {
  message_checks* const checks = engine_.checks();
  const std::string mismatch = checks != nullptr ? checks->take_mismatch() : "";
  if (!mismatch.empty()) throw Error(errc::type, mismatch, by.site);
  throw_receive_error(by, rank, result);
}

void throw_receive_error(const call& by, int rank, const status& result) {
  std::string text = fmt::format("{}: ", by.operation);
  if (result.error == errc::truncate) {
    text += fmt::format(
        "message truncated: rank {} received {} bytes from rank {}, tag {}, into a buffer of {} bytes; make the "
        "buffer at least as large as the message",
        rank, result.sent_bytes, result.source, result.tag, result.bytes);
  } else {
    text += fmt::format(
        "type mismatch: the message of {} bytes that rank {} received from rank {}, tag {}, is no whole number of the "
        "elements asked for; use the sender's type",
        result.sent_bytes, rank, result.source, result.tag);
  }
  if (const std::string site = to_text(by.site); !site.empty()) text += "\n  at " + site;
  throw Error(result.error, text, by.site);
}

}  // namespace pure::core
