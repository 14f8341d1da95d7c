#include "match/stored_requests.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "match/fixed_requests.hpp"
#include "match/request_errors.hpp"
#include "match/short_path.hpp"

namespace pure::core {

// ---- made ----

handle_table<send_entry>::made stored_requests::make_stored_send(const call& by, send_mode mode, int to,
                                                                 const envelope& who, const placed_message& what) {
  const auto made = tables_.of<send_entry>().make(by);
  const bool is_plain = (mode == send_mode::standard || mode == send_mode::ready) && what.form == nullptr;
  made.entry.stored = std::make_unique<stored_message>(
      stored_message{.what = what, .mode = mode, .is_plain = is_plain, .types = by.site.types});
  send_op& op = made.entry.op;
  op.data = what.base;
  op.bytes = what.bytes;
  op.form = what.form.get();
  op.who = who;
  op.to = to;
  op.is_synchronous = mode == send_mode::synchronous;
  return made;
}

handle_table<receive_entry>::made stored_requests::make_stored_receive(const call& by, const placed_message& where,
                                                                       std::uint32_t context, int from, int tag) {
  auto stored = std::make_unique<stored_message>(stored_message{.what = where, .types = by.site.types});
  stored->sink = sink_of(stored->what);
  const receive_place place = where.form == nullptr ? receive_place{where.base, where.bytes, nullptr}
                                                    : receive_place{nullptr, 0, &stored->sink};
  const auto made = tables_.of<receive_entry>().make(by, place, context, from, tag);
  made.entry.stored = std::move(stored);
  return made;
}

handle stored_requests::start_send(const call& by, send_mode mode, int to, const envelope& who,
                                   const placed_message& what) {
  const auto made = make_stored_send(by, mode, to, who, what);
  try {
    start(by, made.entry);
  } catch (...) {  // no room in the buffer, or its data are in use
    tables_.remove(made.name, made.entry);
    throw;
  }
  if (made.entry.op.now != send_op::stage::done || made.entry.op.is_checked) return made.name;
  tables_.remove(made.name, made.entry);
  return finished_send;
}

handle stored_requests::start_receive(const call& by, const placed_message& where, std::uint32_t context, int from,
                                      int tag) {
  return start_receive_of(tables_, engine_.receiver, by, make_stored_receive(by, where, context, from, tag));
}

handle stored_requests::make_send(const call& by, send_mode mode, int to, const envelope& who,
                                  const placed_message& what) {
  const auto made = make_stored_send(by, mode, to, who, what);
  made.entry.stored->is_persistent = true;
  return made.name;
}

handle stored_requests::make_receive(const call& by, const placed_message& where, std::uint32_t context, int from,
                                     int tag) {
  const auto made = make_stored_receive(by, where, context, from, tag);
  made.entry.stored->is_persistent = true;
  made.entry.op.done = true;
  return made.name;
}

handle stored_requests::make_send_to_nobody(const call& by) {
  const handle name = make_send(by, send_mode::standard, 0, {}, {});
  stored_message& stored = *tables_.find<send_entry>(name)->stored;
  stored.is_with_nobody = true;
  stored.is_plain = false;
  return name;
}

handle stored_requests::make_receive_from_nobody(const call& by) {
  const handle name = make_receive(by, {}, 0, 0, 0);
  tables_.find<receive_entry>(name)->stored->is_with_nobody = true;
  return name;
}

// ---- started ----

void stored_requests::start(const call& by, handle request) {
  const auto start_it = [&](auto& entry) {
    const bool is_startable = entry.is_persistent() && !entry.is_active();
    if (is_startable) [[likely]]
      start(by, entry);
    return is_startable;
  };
  const bool is_started = !request.is_fixed() && tables_.visit(request, start_it, [] { return false; });
  if (!is_started) [[unlikely]]
    check_startable(by, request);  // throws
}

void stored_requests::start(const call& by, receive_entry& entry) {
  entry.stored->is_active = true;
  if (entry.stored->is_with_nobody) {
    entry.op.result = status_from_nobody;
    return;
  }
  entry.op.done = false;
  entry.op.result = {};
  if (engine_.checks == nullptr) [[likely]]
    return engine_.receiver.start(entry.op);
  try {
    const call typed(by.operation, by.site, entry.stored->types);
    engine_.receiver.start(entry.op, &typed, true);
  } catch (const Error&) {  // its buffer is in use
    entry.stored->is_active = false;
    entry.op.done = true;
    throw;
  }
}

void stored_requests::start(const call& by, send_entry& entry) {
  send_op& op = entry.op;
  stored_message& stored = *entry.stored;
  const auto typed = [&] { return call(by.operation, by.site, stored.types); };
  if (stored.mode == send_mode::buffered && !stored.is_with_nobody) {  // throws if it does not fit: it stays inactive
    const auto packed = op.form == nullptr ? nullptr : packed_copy(stored.what);
    buffers_.send(typed(), op.to, op.who, packed == nullptr ? op.data : packed.get(), op.bytes);
  }
  if (engine_.checks != nullptr && stored.mode != send_mode::buffered && !stored.is_with_nobody) [[unlikely]] {
    engine_.checks->request_starts(op, typed());
  }
  stored.is_active = true;
  entry.is_cancelled = false;
  entry.op.is_taken_back = false;
  op.now = send_op::stage::done;
  if (stored.mode == send_mode::buffered || stored.is_with_nobody) return;
  engine_.sender.start(op);
}

void stored_requests::check_startable(const call& by, handle request) {
  if (!tables_.is_live(request)) throw_invalid_request(by, self_, request);
  if (request.is_null())
    throw_wrong_request(by, self_, "the request is the null request: make one with a *_init function first");
  const bool is_persistent = !request.is_fixed() &&
                             tables_.visit(request, [](const auto& entry) { return entry.is_persistent(); });
  if (!is_persistent)
    throw_wrong_request(by, self_, "the request is not persistent: only those of the *_init functions are started");
  tables_.visit(request, [&](const auto& entry) {
    if (!entry.is_active()) return;
    throw_wrong_request(by, self_,
                        fmt::format("the request of {} is active: complete it (wait, test) before it is started again",
                                    to_text(entry.origin.operation, entry.origin.site)));
  });
}

}  // namespace pure::core
