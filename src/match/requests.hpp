// Non-blocking operations by handle: start, poll, wait, complete (MPI 4.1, 3.7). Own thread of the rank only.
//
// A handle is null, or `finished_send` (a send that was complete when it started: no entry is spent on it), or names a
// live entry. Anything else is an error that says whether the request was freed or belongs to another rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/call.hpp"
#include "match/handle_table.hpp"
#include "match/short_path.hpp"
#include "match/status.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

using detail::receive_place;

/// Throws the error of a receive that failed: truncated, or no whole number of elements.
[[noreturn]] void throw_receive_error(const call& by, int rank, const status& result);

class requests final : public service {
 public:
  static constexpr handle finished_send = handle::fixed(1);
  static constexpr handle finished_receive = handle::fixed(2);  // from proc_null

  explicit requests(rank_context& self)
      : engine_(match_engine::of(self)),
        receives_(request_kind::receive, self.number()),
        sends_(request_kind::send, self.number()) {}

  static requests& of(const rank_context& owner) noexcept {
    return static_cast<requests&>(*owner.at(service_slot::requests));
  }

  bool advance() override { return false; }  // the engine advances what was started here

  // ---- start ----

  handle start_receive(const call& by, const receive_place& place, std::uint32_t context, int from, int tag) {
    const auto made = receives_.make(by, place, context, from, tag);
    engine_.start(made.entry.op);
    return made.name;
  }
  handle start_send(const call& by, int to, const envelope& who, const void* data, std::size_t bytes) {
    if (engine_.try_send_now(to, who, data, bytes)) [[likely]] return finished_send;
    return start_send_op(by, to, who, data, bytes, nullptr);
  }
  handle start_send_moved(const call& by, int to, const envelope& who, moved_value object);

  // ---- complete ----

  /// Throws a pure::Error that explains what is wrong with a handle that is neither null nor live.
  void check(const call& by, handle request) {
    if (!is_valid(request)) [[unlikely]] throw_invalid(by, request);
  }

  /// check and poll in one: a request that is complete, or that it makes complete.
  bool check_and_poll(const call& by, handle request) {
    if (request.is_fixed()) return true;
    if (request.rank() == static_cast<std::uint32_t>(engine_.self().number())) [[likely]] {
      if (request.kind() == request_kind::receive) {
        if (receive_entry* const entry = receives_.find(request)) [[likely]] return engine_.test(entry->op);
      } else if (send_entry* const entry = sends_.find(request)) {
        return engine_.test(entry->op);
      }
    }
    throw_invalid(by, request);
  }

  /// Polls; true if the request is complete (or null). The handle must be valid.
  bool poll(handle request) {
    if (request.is_fixed()) return true;
    if (request.kind() == request_kind::receive) return engine_.test(receives_.find(request)->op);
    return engine_.test(sends_.find(request)->op);
  }

  /// Polls as a call of the program that may be in a loop of its own: everything the rank has pending moves on, and
  /// another rank gets the core where ranks share it. Throws job_ended if the job has failed.
  bool test(handle request);
  void make_progress();

  /// Blocks until the requests are complete: in order, the first that is not complete is polled, the others advance
  /// meanwhile. Throws for an invalid handle when it comes to it.
  void wait_all(const call& by, std::span<const handle> all) {
    for (const handle each : all) {
      if (!check_and_poll(by, each)) wait_for(by, each);
    }
  }
  /// Blocks until one of the valid handles is complete.
  /// Returns the index of a complete one; -1 if all are null.
  int wait_any(const call& by, std::span<const handle> all);

  /// Frees a complete request; `request` becomes null. `take` is called with the outcome: a failed receive does not
  /// throw, status::error says so.
  template <class Take>
  void finish(handle& request, Take&& take) {
    const handle name = request;
    request = {};
    if (name.is_fixed()) {
      take(name == finished_receive ? from_nobody : no_status);
    } else if (name.kind() == request_kind::receive) {
      take(receives_.find(name)->op.result);
      receives_.free(name);
    } else {
      take(no_status);
      sends_.free(name);
    }
  }

  status finish(handle& request) {
    status outcome;
    finish(request, [&](const status& result) { outcome = result; });
    return outcome;
  }

  /// Throws the error of a finished receive, if it has one. `by` is the completing call.
  void throw_if_failed(const call& by, const status& result) const {
    if (result.error != errc::success) [[unlikely]] throw_receive_error(by, engine_.self().number(), result);
  }

  /// Gives up a request that is not complete: a receive matches nothing any more. False if it cannot be given up (the
  /// receiver of a large message may be reading its buffer).
  bool abandon(handle& request);

 private:
  static constexpr status no_status{};
  static constexpr status from_nobody{.source = proc_null, .tag = any_tag};

  struct receive_entry {
    receive_entry(const call& by, const receive_place& place, std::uint32_t context, int from, int tag) noexcept
        : op(place, context, from, tag), operation(by.operation), site(by.site.file, by.site.line) {}
    receive_op op;
    const char* operation;
    pure_call_site site;
  };
  struct send_entry {
    explicit send_entry(const call& by) noexcept : operation(by.operation), site(by.site.file, by.site.line) {}
    send_op op;
    const char* operation;
    pure_call_site site;
  };

  handle start_send_op(const call& by, int to, const envelope& who, const void* data, std::size_t bytes,
                       moved_value* object);
  void wait_for(const call& by, handle request);
  [[nodiscard]] wait_reason reason_for(const call& by, handle request);
  bool is_valid(handle request) noexcept {
    if (request.is_fixed()) return true;
    if (request.rank() != static_cast<std::uint32_t>(engine_.self().number())) return false;
    return request.kind() == request_kind::receive ? receives_.find(request) != nullptr
                                                   : sends_.find(request) != nullptr;
  }
  [[noreturn]] void throw_invalid(const call& by, handle request);

  match_engine& engine_;
  handle_table<receive_entry> receives_;
  handle_table<send_entry> sends_;
};

}  // namespace pure::core
