// Non-blocking operations by handle: start, poll, wait, complete (MPI 4.1, 3.7). Own thread of the rank only.
//
// A handle is null, or `finished_send` (a send that was complete when it started: no entry is spent on it), or names a
// live entry (request_tables.hpp). Anything else is an error that says whether the request was freed or belongs to
// another rank. Requests may be persistent: completing one keeps its handle, and leaves it inactive until start().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "match/fixed_requests.hpp"
#include "match/freed_requests.hpp"
#include "match/matched_receives.hpp"
#include "match/request_errors.hpp"
#include "match/request_tables.hpp"
#include "match/send_buffers.hpp"
#include "match/short_path.hpp"
#include "match/stored_requests.hpp"
#include "runtime/rank_service.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

class requests final : public rank_service<requests, 1> {
 public:
  explicit requests(rank_context& self);

  /// Ends what was freed before it was complete. The engine, or the layer of an adopted operation, advances all else.
  bool advance() override;

  /// The contexts that are still needed: of messages that are not complete, or can be started again. In any order.
  [[nodiscard]] std::vector<std::uint32_t> contexts();
  /// Of the messages of one request; none: it has no messages, or is null. Also of one that is complete. The handle
  /// must be valid.
  [[nodiscard]] std::optional<std::uint32_t> context_of(handle request);
  bool end_main() noexcept override;
  void add_leftovers(leftovers& to) override;

  // ---- start ----

  handle start_receive(const call& by, const receive_place& place, std::uint32_t context, int from, int tag) {
    return start_receive_of(tables_, engine_.receiver, by,
                            tables_.of<receive_entry>().make(by, place, context, from, tag));
  }
  handle start_send(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                    send_manner how = {}) {
    if (engine_.sender.try_send_now(to, who, data, bytes)) [[likely]]
      return finished_send;
    return start_send_op(by, to, who, data, bytes, nullptr, how);
  }
  handle start_send_moved(const call& by, int to, const envelope& who, moved_value object);
  /// Complete when a receive has matched.
  handle start_synchronous_send(const call& by, int to, const envelope& who, const void* data, std::size_t bytes);

  /// Requests of messages that are laid out or persistent.
  [[nodiscard]] stored_requests& stored() noexcept { return stored_; }
  /// Receives of messages that a matched probe has taken out.
  [[nodiscard]] matched_receives& matched() noexcept { return matched_; }
  /// For buffered sends.
  [[nodiscard]] send_buffers& buffers() noexcept { return buffers_; }

  /// A request for an operation of a layer above, which it owns from now on.
  handle adopt(const call& by, std::unique_ptr<pending_operation> what);

  /// Ends an operation that is not pending, and its handle.
  void discard(handle name) noexcept;
  /// Starts a persistent request (MPI 4.1, 3.9). Throws request if it is none, or is active.
  void start(const call& by, handle request) {
    if (!try_start_send_now(request)) stored_.start(by, request);
  }

  // ---- complete ----

  /// Throws a pure::Error that explains what is wrong with a handle that is neither null nor live.
  void check(const call& by, handle request) {
    if (!tables_.is_live(request)) [[unlikely]]
      throw_invalid_request(by, self_, request);
  }

  /// The live request of that kind at that place of its table; null: there is none.
  [[nodiscard]] handle name_at(handle_kind kind, std::uint32_t index) noexcept { return tables_.name_at(kind, index); }

  /// check() for all requests of a call; also throws for two that are the same (requests_several.cpp).
  void check_several(const call& by, std::span<const handle> all);

  /// check and poll in one: a request that is complete, or that it makes complete.
  bool check_and_poll(const call& by, handle request) {
    if (request.is_fixed()) {
      if (!is_fixed_request(request)) [[unlikely]]
        throw_invalid_request(by, self_, request);
      return true;
    }
    return tables_.visit(
        request, [this](auto& entry) { return entry.poll(engine_); },
        [&]() -> bool { throw_invalid_request(by, self_, request); });
  }

  /// Polls; true if the request is complete (or null, or inactive). The handle must be valid.
  bool poll(handle request) {
    if (request.is_fixed()) return true;
    return tables_.visit(request, [this](auto& entry) { return entry.poll(engine_); });
  }

  /// False for null and for an inactive persistent request, which calls that complete one of several pass over
  /// (MPI 4.1, 3.7.5). The handle must be valid.
  bool is_active(handle request) noexcept {
    if (request.is_fixed()) return !request.is_null();
    return tables_.visit(request, [](const auto& entry) { return entry.is_active(); });
  }

  /// Polls as a call of the program that may be in a loop of its own: everything the rank has pending moves on, and
  /// another rank gets the core where ranks share it. Throws job_ended if the job has failed.
  bool test(handle request) {
    bool makes_progress = true;
    return test(request, makes_progress);
  }
  /// The same for one of several: only the first that is not complete makes progress, once for all.
  bool test(handle request, bool& makes_progress);
  void make_progress();

  /// test() for a look, which leaves the request as it is: where it tells the program that the request is complete,
  /// this may be freed, whatever it stands for (MPI 5.0, 3.7.6).
  bool look(handle request, bool& makes_progress);

  /// Blocks until the request is complete.
  void wait(const call& by, handle one) {
    if (!check_and_poll(by, one)) wait_for(by, one);
  }
  /// Blocks until all are: in order, the first that is not complete is polled, the others advance meanwhile. Throws as
  /// check_several(), before it waits.
  void wait_all(const call& by, std::span<const handle> all);
  /// Blocks until one of the valid handles that are active is complete.
  /// Returns the index of a complete one; -1 if none is active.
  int wait_any(const call& by, std::span<const handle> all);

  /// Ends a complete request: it becomes null, but a persistent one inactive. Calls take(status, failure) with the
  /// outcome. What failed does not throw: status::error says so, and `failure` is the error of an adopted operation, or
  /// of what is checked; null for others. `take` may throw. `by`: the completing call, for what is checked.
  template <class Take>
  void finish(handle& request, Take&& take, const call& by = no_call) {
    const handle name = request;
    request = {};
    if (name.is_fixed()) return take(outcome_of_fixed(name), no_failure);
    tables_.visit(name, [&](auto& entry) {
      if (entry.is_persistent()) request = name;
      if (entry.needs_settling()) [[unlikely]]
        return take_settled(end_settled(name, entry, by), take);
      const status result = entry.outcome();
      end(name, entry);
      take(result, no_failure);
    });
  }

  /// The same; throws if it failed, after `take` has had the status. `by` is the completing call.
  template <class Take>
  void finish_or_throw(const call& by, handle& request, Take&& take) {
    status failed;
    finish(
        request,
        [&](const status& result, const Error* failure) {
          take(result);
          if (failure != nullptr) throw Error(*failure);
          if (result.error != errc::success) [[unlikely]]
            failed = result;
        },
        by);
    throw_if_failed(by, failed);
  }

  status finish(handle& request);

  /// Throws the error of a receive that failed. `rank`: how it names this one.
  [[noreturn]] void throw_failed(const call& by, int rank, const status& result) const;
  /// Throws the error of a finished receive, if it has one. `by` is the completing call.
  void throw_if_failed(const call& by, const status& result) const {
    if (result.error != errc::success) [[unlikely]]
      throw_failed(by, self_.number(), result);
  }
  /// Marks a request for cancellation (MPI 4.1, 3.8.4): if nothing has matched it, it is complete, and its status
  /// cancelled; otherwise it completes as if nothing had been said. Throws request for null and for collectives.
  void cancel(const call& by, handle request);

  /// What a complete request would give, without ending it (MPI 4.1, 3.7.6). Only after poll().
  [[nodiscard]] status outcome_of(handle request) noexcept;

  /// Ends a request whatever its state: a receive that is not complete matches nothing any more. False if it cannot be
  /// ended (the receiver of a large message may be reading its buffer, other ranks need an operation): wait for it
  /// first.
  bool abandon(handle& request);

  /// Frees a request without completing it (MPI 4.1, 3.7.3 and 3.9): messages go on by themselves. Throws request for
  /// null, and for a collective that is active: a look has not said that it is complete.
  void free_request(const call& by, handle& request);

  /// The program's memory is its own again, but for that of requests that it has not freed: a freed receive that
  /// nothing has matched matches still, for its sender may wait for it, and what comes is thrown away. Waits for what
  /// is coming.
  void leave_freed_receives(const call& by);

 private:
  static constexpr const Error* no_failure = nullptr;
  static constexpr call no_call{"a completing call", {}};

  handle start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                       moved_value* object, send_manner how);
  /// Starts a persistent send that is over at once, as most are; false if it is anything else.
  bool try_start_send_now(handle request) {
    if (request.is_fixed()) return false;
    send_entry* const entry = tables_.find<send_entry>(request);
    if (entry == nullptr || !entry->is_persistent() || entry->stored->is_active || !entry->stored->is_plain)
      return false;
    send_op& op = entry->op;
    if (!engine_.sender.try_send_now(op.to, op.who, op.data, op.bytes)) return false;
    op.now = send_op::stage::done;
    return entry->stored->is_active = true;
  }
  /// A complete request: inactive if it is persistent, removed otherwise.
  template <class Entry>
  [[gnu::always_inline]] void end(handle name, Entry& entry) noexcept {
    entry.deactivate();
    if (!entry.is_persistent()) tables_.remove(name, entry);
  }
  template <class Entry>
  [[gnu::noinline]] request_end end_settled(handle name, Entry& entry, const call& by) {
    request_end how = entry.settle(engine_, by);
    end(name, entry);
    return how;
  }
  template <class Take>
  static void take_settled(const request_end& how, Take& take) {
    if (!how.failure) return take(how.outcome, no_failure);
    take(status{.error = how.failure->code()}, static_cast<const Error*>(&*how.failure));
  }
  template <class Use>
  bool visit_once(const call& by, std::span<const handle> all, std::size_t i, std::uint32_t number, Use use);
  void throw_if_twice(const call& by, std::span<const handle> all, std::size_t i);
  void wait_for(const call& by, handle request);
  [[nodiscard]] wait_reason reason_for(const call& by, handle request);
  bool look_at_freed(std::size_t most);
  bool try_end_freed(handle freed);
  void end_freed(handle complete);

  rank_context& self_;
  const message_halves engine_;
  request_tables tables_;
  send_buffers buffers_;
  matched_receives matched_;
  stored_requests stored_;
  freed_requests freed_;
};

}  // namespace pure::core
