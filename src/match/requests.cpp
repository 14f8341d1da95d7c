#include "match/requests.hpp"

#include <fmt/core.h>

#include <utility>

#include <pure/error.hpp>

namespace pure::core {

namespace {

/// The call that made the request: "pure_bcast_init at solver.cpp:7".
template <class Entry>
std::string describe(const Entry& entry) {
  const std::string site = to_text(entry.site);
  return site.empty() ? entry.operation : fmt::format("{} at {}", entry.operation, site);
}

}  // namespace

// ---- start ----

handle requests::start_send_moved(const call& by, int to, const envelope& who, moved_value object) {
  if (engine_.try_send_now(to, who, object)) return finished_send;
  return start_send_op(by, to, who, nullptr, 0, &object);
}

handle requests::start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                               moved_value* object) {
  const auto made = sends_.make(by);
  send_op& op = made.entry.op;
  op.data = data;
  op.bytes = bytes;
  op.who = who;
  op.to = to;
  if (object != nullptr) {
    op.is_moved = true;
    op.object = std::move(*object);
  }
  engine_.start(op);
  if (op.now != send_op::stage::done) return made.name;
  sends_.free(made.name);
  return finished_send;
}

// ---- errors ----

void requests::throw_wrong(const call& by, const std::string& text) {
  std::string whole = fmt::format("{}: rank {}: {}", by.operation, engine_.self().number(), text);
  if (const std::string site = to_text(by.site); !site.empty()) whole += "\n  at " + site;
  throw Error(errc::request, whole, by.site);
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
    const bool any = op.from == any_source;
    return {by, "a message from", any ? wait_reason::anybody : op.from, op.tag, !any};
  }
  if (request.kind() == request_kind::operation) return operations_.find(request)->what->reason(by);
  const send_op& op = sends_.find(request)->op;
  return {by, "the receive of its message by", op.to, op.who.tag, true};
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
  wait_reason why = reason_for(by, all[static_cast<std::size_t>(first_pending)]);
  why.only_peer = false;  // any of the others may end the wait
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
    finish(request);
    if (!request.is_null()) operations_.free(std::exchange(request, handle{}));  // persistent
    return true;
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

std::optional<Error> requests::finish_operation(handle& request) noexcept {
  std::optional<Error> failure;
  pending_operation& what = *operations_.find(request)->what;
  if (is_inactive_operation(request)) return failure;  // its failure has been reported when it was completed
  if (what.failure() != nullptr) failure.emplace(*what.failure());
  what.deactivate();
  if (!what.is_persistent()) operations_.free(std::exchange(request, handle{}));
  return failure;
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
                                describe(*entry)));
  }
  return *entry->what;
}

void requests::free_request(const call& by, handle& request) {
  check(by, request);
  if (request.is_null()) throw_wrong(by, "the request is the null request");
  if (operation_entry* const entry = find_operation(request)) {
    if (!is_inactive_operation(request)) {
      throw_wrong(by, fmt::format("the request of {} is active: a collective cannot be freed before wait or test has "
                                  "completed it",
                                  describe(*entry)));
    }
    operations_.free(request);
  } else if (!request.is_fixed()) {
    if (request.kind() == request_kind::receive) {
      throw_wrong(by,
                  "the request is a receive's: nobody could tell when its buffer is filled; complete it with wait or "
                  "test");
    }
    freed_sends_.push_back(request);
    end_freed_sends();
  }
  request = {};
}

bool requests::end_freed_sends() {
  return std::erase_if(freed_sends_, [&](handle each) {
           const send_entry* const entry = sends_.find(each);
           if (entry == nullptr) return true;  // completed all the same, through a copy of the handle
           if (!poll(each)) return false;
           sends_.free(each);
           return true;
         }) > 0;
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
