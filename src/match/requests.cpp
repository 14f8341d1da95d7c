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
      buffers_(match_engine::of(self)),
      matched_(self, engine_, tables_),
      stored_(self, engine_, tables_, buffers_) {}

bool requests::advance() {
  const bool has_ended = !freed_.empty() && look_at_freed(32);
  return buffers_.advance() || has_ended;
}

std::vector<std::uint32_t> requests::contexts() {
  std::vector<std::uint32_t> all;
  tables_.for_each([&](const auto& entry) { entry.add_contexts(all); });
  buffers_.add_contexts(all);
  return all;
}

std::optional<std::uint32_t> requests::context_of(handle request) {
  if (request.is_fixed()) return std::nullopt;
  std::vector<std::uint32_t> its;
  tables_.visit(request, [&](const auto& entry) { entry.add_contexts(its); });
  return its.empty() ? std::nullopt : std::optional(its.front());
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

// ---- cancel, look ----

void requests::cancel(const call& by, handle request) {
  check(by, request);
  if (request.is_null()) throw_wrong_request(by, self_, "the request is the null request");
  if (poll(request)) return;  // complete
  tables_.visit(request, [&](auto& entry) {
    if (!entry.is_of_messages()) {
      throw_wrong_request(by, self_, "the request is a collective's, which cannot be cancelled (MPI 4.1, 6.12)");
    }
    entry.cancel(engine_);
  });
}

status requests::outcome_of(handle request) noexcept {
  if (request.is_fixed()) return outcome_of_fixed(request);
  return tables_.visit(request, [](const auto& entry) { return entry.outcome(); });
}

// ---- complete ----

bool requests::test(handle request, bool& makes_progress) {
  if (poll(request)) return true;
  if (!std::exchange(makes_progress, false)) return false;
  make_progress();
  return poll(request);
}

bool requests::look(handle request, bool& makes_progress) {
  if (!test(request, makes_progress)) return false;
  if (!request.is_fixed()) tables_.visit(request, [](auto& entry) { entry.note_look(); });
  return true;
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

/// Also takes back receives that were freed, whose memory may belong to main's frames: see leave_freed_receives().
bool requests::end_main() noexcept {
  look_at_freed(freed_.all().size());  // no wait may come any more
  bool is_memory_used = false;
  tables_.for_each([&](auto& entry) { is_memory_used |= entry.end_main(engine_); });
  for (const handle each : freed_.all()) {
    receive_entry* const freed = tables_.find<receive_entry>(each);
    if (freed != nullptr && freed->was_taken_back()) freed->receive_for_nobody(engine_);
  }
  return is_memory_used;
}

void requests::leave_freed_receives(const call& by) {
  // By their handles: what waits here also looks at those that were freed, and the entries of some may end meanwhile.
  const std::vector<handle> freed(freed_.all().begin(), freed_.all().end());
  for (const handle each : freed) {
    const auto has_ended = [&] {
      receive_entry* const its = tables_.find<receive_entry>(each);
      return its == nullptr || its->poll(engine_);
    };
    if (has_ended()) continue;
    receive_entry& its = *tables_.find<receive_entry>(each);
    if (its.take_back(engine_)) {
      its.receive_for_nobody(engine_);
    } else {
      wait_until(self_, its.reason(by), has_ended);
    }
  }
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
  if (request.is_null()) throw_wrong_request(by, self_, "the request is the null request");
  if (request.is_fixed()) {
    request = {};
    return;
  }
  if (!is_active(request)) {
    discard(std::exchange(request, handle{}));
    return;
  }
  tables_.visit(request, [&](auto& entry) {
    if (!entry.may_be_freed()) {
      throw_wrong_request(
          by, self_,
          fmt::format("the request of {} is active: it cannot be freed before wait or test has completed "
                      "it (MPI 4.1, 6.12)",
                      to_text(entry.origin.operation, entry.origin.site)));
    }
    entry.forget(engine_);
  });
  const handle freed = std::exchange(request, handle{});
  if (poll(freed)) return end_freed(freed);
  freed_.add(freed);
}

[[gnu::noinline]] bool requests::look_at_freed(std::size_t most) {
  return freed_.look(most, [this](handle each) { return try_end_freed(each); });
}

/// True if it has ended, or need not be looked at any more.
bool requests::try_end_freed(handle freed) {
  if (!tables_.is_live(freed)) return true;  // completed all the same, through a copy of the handle
  const auto stays = [&] {                   // as a leftover
    return self_.main_has_returned() && tables_.visit(freed, [](const auto& entry) { return entry.was_taken_back(); });
  };
  if (!poll(freed) || stays()) return false;
  end_freed(freed);
  return true;
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

}  // namespace pure::core
