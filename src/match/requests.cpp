#include "match/requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include <pure/error.hpp>

#include "base/text.hpp"
#include "match/checked_path.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

requests::requests(rank_context& self)
    : self_(self),
      engine_{match_engine::of(self).sender(), match_engine::of(self).receiver(), match_engine::of(self).checks()},
      tables_(self.number()),
      messages_(self.number()),
      buffers_(match_engine::of(self)) {}

bool requests::advance() {
  const bool has_ended = !freed_.empty() && end_freed(32);
  return buffers_.advance() || has_ended;
}

std::vector<std::uint32_t> requests::contexts() {
  std::vector<std::uint32_t> all;
  tables_.for_each([&](const auto& entry) { entry.add_contexts(all); });
  buffers_.add_contexts(all);
  return all;
}

// ---- start ----

handle requests::start_send_moved(const call& by, int to, const envelope& who, moved_value object) {
  if (engine_.sender.try_send_now(to, who, object)) return finished_send;
  return start_send_op(by, to, who, nullptr, 0, &object, {});
}

handle requests::start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                               moved_value* object, send_manner how) {
  message_checks* const checks = engine_.checks;
  const std::uint32_t number = checks != nullptr ? checks->send_starts(by, data, bytes, to, who.tag) : 0;
  const auto made = tables_.of<send_entry>().make(by);
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
  engine_.sender.start(op);
  if (op.now != send_op::stage::done || op.is_checked) return made.name;
  tables_.remove(made.name, made.entry);
  return finished_send;
}

handle requests::start_synchronous_send(const call& by, int to, const envelope& who, const void* data,
                                        std::size_t bytes) {
  return start_send_op(by, to, who, data, bytes, nullptr, {.is_synchronous = true});
}

// ---- matched probes ----

status requests::receive_message(const call& by, handle& message, const receive_place& place) {
  if (message == matched_messages::from_nobody) {
    message = {};
    return from_nobody;
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

handle requests::start_receive_message(const call& by, handle& message, const receive_place& place) {
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

// ---- cancel, look ----

void requests::cancel(const call& by, handle request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, "the request is the null request");
  if (poll(request)) return;  // complete
  tables_.visit(request, [&](auto& entry) {
    if (!entry.is_of_messages()) {
      throw_wrong(by, "the request is a collective's, which cannot be cancelled (MPI 4.1, 6.12)");
    }
    entry.cancel(engine_);
  });
}

status requests::outcome_of(handle request) noexcept {
  if (request.is_fixed()) return request == finished_receive ? from_nobody : no_status;
  return tables_.visit(request, [](const auto& entry) { return entry.outcome(); });
}

// ---- errors ----

void requests::throw_wrong(const call& by, const std::string& text) {
  throw call_error(by, errc::request, fmt::format("rank {}: {}", self_.number(), text));
}

void requests::throw_invalid(const call& by, handle request) {
  const int me = self_.number();
  const auto owner = static_cast<int>(request.rank());
  std::string text;
  if (request.generation() == 0 || owner >= self_.owner().size()) {
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

void requests::make_progress() { progress_once(self_); }

wait_reason requests::reason_for(const call& by, handle request) {
  return tables_.visit(request, [&](const auto& entry) { return entry.reason(by); });
}

void requests::wait_for(const call& by, handle request) {
  wait_reason why = reason_for(by, request);
  wait_until(self_, why, [&] {
    return tables_.visit(request, [&](auto& entry) {
      if (entry.poll(engine_)) return true;
      if constexpr (std::remove_reference_t<decltype(entry)>::changes_reason) why.turn_to(entry.reason(by));
      return false;
    });
  });
}

status requests::finish(handle& request) {
  status outcome;
  finish(request, [&](const status& result, const Error*) { outcome = result; });
  return outcome;
}

bool requests::abandon(handle& request) {
  const bool is_over = poll(request) ||
                       tables_.visit(request, [this](auto& entry) { return entry.take_back(engine_); });
  if (!is_over) return false;
  finish(request,
         [&](const status&, const Error* failure) {
           if (failure != nullptr && engine_.checks != nullptr) engine_.checks->note(*failure);
         },
         {"~request", {}});
  if (!request.is_null()) discard(std::exchange(request, handle{}));  // persistent
  return true;
}

/// Also takes back receives that were freed: nobody will look at what they get, and it may belong to main's frames.
bool requests::end_main() noexcept {
  end_freed(freed_.size());  // no wait may come any more
  bool is_memory_used = false;
  tables_.for_each([&](auto& entry) { is_memory_used |= entry.end_main(engine_); });
  return is_memory_used;
}

// ---- operations of the layers above ----

handle requests::adopt(const call& by, std::unique_ptr<pending_operation> what) {
  return tables_.of<operation_entry>().make(by, std::move(what)).name;
}

void requests::discard(handle name) noexcept {
  tables_.visit(name, [&](auto& entry) { tables_.remove(name, entry); });
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
  tables_.visit(request, [&](auto& entry) {
    if (!entry.is_of_messages()) {
      throw_wrong(by, fmt::format("the request of {} is active: it cannot be freed before wait or test has completed "
                                  "it (MPI 4.1, 6.12)",
                                  to_text(entry.origin.operation, entry.origin.site)));
    }
    entry.forget(engine_);
  });
  const handle freed = std::exchange(request, handle{});
  if (poll(freed)) return end_freed(freed);
  freed_.push_back(freed);
}

/// Looks at some of them in turn: there may be thousands, and nobody waits for them.
bool requests::end_freed(std::size_t most) {
  const auto stays = [&](handle freed) {  // as a leftover
    return self_.main_has_returned() && tables_.visit(freed, [](const auto& entry) { return entry.was_taken_back(); });
  };
  bool any = false;
  for (std::size_t left = std::min(freed_.size(), most); left > 0; --left) {
    if (next_freed_ >= freed_.size()) next_freed_ = 0;
    const handle each = freed_[next_freed_];
    const bool is_live = is_valid(each);  // false: completed all the same, through a copy of the handle
    if (is_live && (!poll(each) || stays(each))) {
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
  const call by = tables_.visit(complete, [](const auto& entry) {
    return call{entry.origin.operation, entry.origin.site};
  });
  const status result = finish(complete);
  if (!complete.is_null()) discard(complete);  // persistent
  if (result.error == errc::success) return;
  try {
    throw_receive_error(by, self_.number(), result);
  } catch (const Error& error) {
    const std::string text = fmt::format("{}\n  its request was freed, so no call can return this error", error.what());
    self_.owner().fail(text, 1, std::make_exception_ptr(Error(error.code(), text, spelled_out(by.site))));
  }
}

void requests::throw_failed(const call& by, int rank, const status& result) const {
  message_checks* const checks = engine_.checks;
  const std::string mismatch = checks != nullptr ? checks->take_mismatch() : "";
  if (!mismatch.empty()) throw Error(errc::type, mismatch, spelled_out(by.site));
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
