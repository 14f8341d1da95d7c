// pure::request: a non-blocking operation, and what it needs to stay alive for it.
//
// A request owns its operation. Destroying a pending one ends it first, as std::jthread joins: a send blocks until its
// buffer is free, a collective until it is complete; a receive is withdrawn, and its message stays for another receive.
// So a buffer that is declared before its request is never touched after its end. Belongs to the rank that made it.
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pure/detail/completion.hpp>
#include <pure/detail/library.hpp>
#include <pure/detail/requests.hpp>

namespace pure {

namespace detail {
class collective_call;
}

class [[nodiscard]] request {
 public:
  /// Complete from the start.
  request() = default;
  request(request&& from) noexcept
      : on_(from.on_),
        handle_(std::exchange(from.handle_, 0)),
        complete_(std::exchange(from.complete_, true)),
        outcome_(from.outcome_),
        kept_(std::move(from.kept_)),
        at_end_(std::exchange(from.at_end_, nullptr)) {}
  request& operator=(request&& from) noexcept {
    if (this != &from) {
      end();
      on_ = from.on_;
      handle_ = std::exchange(from.handle_, 0);
      complete_ = std::exchange(from.complete_, true);
      outcome_ = from.outcome_;
      kept_ = std::move(from.kept_);
      at_end_ = std::exchange(from.at_end_, nullptr);
    }
    return *this;
  }
  ~request() { end(); }

  /// Blocks until the operation is complete; for a receive, says what came. May be called again. Throws pure::Error if
  /// the receive failed (truncate) or the collective did.
  status wait(call_site at = call_site::current()) {
    if (!complete_) {
      complete_ = true;
      outcome_ = detail::wait(*on_, at, handle_);
      if (at_end_ != nullptr && !outcome_.is_cancelled()) at_end_(kept_.get(), outcome_, at);
      kept_.reset();
    }
    return outcome_;
  }

  /// The outcome if the operation is complete. Never blocks; makes progress.
  std::optional<status> test(call_site at = call_site::current()) {
    bool makes_progress = true;
    return test_among(makes_progress, at);
  }

  /// What wait() would return, if the operation is complete, without ending it (MPI 4.1, 3.7.6). Makes progress.
  [[nodiscard]] std::optional<status> peek(call_site at = call_site::current()) const {
    return complete_ ? std::optional(outcome_) : detail::look_at(*on_, at, handle_);
  }

  /// Marks the operation for cancellation; wait() then returns soon, and says whether it was cancelled
  /// (MPI 4.1, 3.8.4). Errors: request, for a collective.
  void cancel(call_site at = call_site::current()) {
    if (!complete_) detail::cancel(*on_, at, handle_);
  }

  /// True once wait or test has seen the end.
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }

 private:
  friend class comm;
  friend class message;
  friend class send_buffer;
  friend class detail::collective_call;
  friend struct detail::completion;

  /// test() of one of several, of which only the first that is not complete makes progress, once for all.
  std::optional<status> test_among(bool& makes_progress, call_site at) {
    if (!complete_ && !detail::test(*on_, at, handle_, makes_progress)) return std::nullopt;
    return wait(at);
  }

  request(core::communicator& on, detail::request_handle handle) noexcept
      : on_(&on), handle_(handle), complete_(false) {}

  [[nodiscard]] bool is_pending(call_site) const noexcept { return !complete_; }

  template <class T>
  void keep(std::unique_ptr<T> data) {
    kept_ = std::shared_ptr<void>(std::move(data));
  }
  void end() noexcept {
    if (!complete_) detail::end_request(*on_, handle_);
    complete_ = true;
  }

  core::communicator* on_ = nullptr;
  detail::request_handle handle_ = 0;
  bool complete_ = true;
  status outcome_;
  std::shared_ptr<void> kept_;  // data that a send of a temporary owns until it is complete, or a receive's archive
  void (*at_end_)(void* kept, const status& outcome, call_site at) = nullptr;  // by the wait or test that completes it
};

/// Blocks until all are complete; the outcomes, in order. If receives failed, the first failure is thrown when all
/// operations have ended.
inline std::vector<status> wait_all(std::span<request> all, call_site at = call_site::current()) {
  return detail::completion::wait_all(all, at);
}

/// The index of a request that was pending and is now complete, after blocking for it; nothing if none is pending.
inline std::optional<std::size_t> wait_any(std::span<request> all, call_site at = call_site::current()) {
  return detail::completion::wait_any(all, at);
}

/// Blocks until at least one pending request is complete; the indices of all that are now. Empty if none was pending.
inline std::vector<std::size_t> wait_some(std::span<request> all, call_site at = call_site::current()) {
  return detail::completion::wait_some(all, at);
}

/// True if all are complete. Never blocks.
inline bool test_all(std::span<request> all, call_site at = call_site::current()) {
  bool complete = true;
  for (request& each : all) complete &= each.test(at).has_value();
  return complete;
}

/// The index of a request that was pending and is now complete, if there is one. Never blocks.
inline std::optional<std::size_t> test_any(std::span<request> all, call_site at = call_site::current()) {
  return detail::completion::test_any(all, at);
}

/// The indices of all requests that were pending and are now complete. Never blocks.
inline std::vector<std::size_t> test_some(std::span<request> all, call_site at = call_site::current()) {
  return detail::completion::test_some(all, at);
}

}  // namespace pure
