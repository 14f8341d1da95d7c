// pure::persistent_request: an operation that is prepared once and started any number of times (MPI 4.1, 3.9 and 6.13).
//
// Made inactive. start() starts it; wait(), or a test() that finds it complete, makes it inactive again. Its buffers
// must live as long as it does, and belong to the operation while it is active. Destroying an active one blocks until
// it is complete; a receive that nothing has matched is withdrawn. Belongs to the rank that made it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/detail/completion.hpp>
#include <pure/detail/library.hpp>
#include <pure/detail/requests.hpp>

namespace pure {

namespace detail {
class collective_call;
}

class [[nodiscard]] persistent_request {
 public:
  /// Names no operation: start() is an error, wait() and test() find it complete.
  persistent_request() = default;
  persistent_request(persistent_request&& from) noexcept
      : on_(from.on_), handle_(std::exchange(from.handle_, 0)), kept_(std::move(from.kept_)) {}
  persistent_request& operator=(persistent_request&& from) noexcept {
    if (this != &from) {
      end();
      on_ = from.on_;
      handle_ = std::exchange(from.handle_, 0);
      kept_ = std::move(from.kept_);
    }
    return *this;
  }
  ~persistent_request() { end(); }

  /// Starts the operation. Does not block. Errors: request (it names no operation, or is active).
  void start(call_site at = call_site::current()) { detail::start_request(on_, at, handle_); }

  /// Blocks until the operation is complete; returns at once if it is inactive. For a receive, says what came. Throws
  /// pure::Error if it failed.
  status wait(call_site at = call_site::current()) { return handle_ == 0 ? status() : detail::wait(*on_, at, handle_); }

  /// What wait() would return, if the operation is complete or was inactive: it is inactive then. Never blocks; makes
  /// progress. Errors: as wait().
  [[nodiscard]] std::optional<status> test(call_site at = call_site::current()) {
    bool makes_progress = true;
    return test_among(makes_progress, at);
  }

  /// The same, but an operation that is complete stays so, and active (MPI 4.1, 3.7.6).
  [[nodiscard]] std::optional<status> peek(call_site at = call_site::current()) const {
    return handle_ == 0 ? std::optional(status()) : detail::look_at(*on_, at, handle_);
  }

  /// Marks the operation, if it is active, for cancellation; wait() says whether it was cancelled (MPI 4.1, 3.8.4). It
  /// can be started again. Errors: request, for a collective that is not complete.
  void cancel(call_site at = call_site::current()) {
    if (handle_ != 0) detail::cancel(*on_, at, handle_);
  }

  /// True from start() to the wait or test that completes it.
  [[nodiscard]] bool is_active(call_site at = call_site::current()) const {
    return handle_ != 0 && detail::is_active(*on_, at, handle_);
  }

 private:
  friend class comm;
  friend class detail::collective_call;
  friend struct detail::completion;
  /// test() of one of several, of which only the first that is not complete makes progress, once for all.
  std::optional<status> test_among(bool& makes_progress, call_site at) {
    if (handle_ != 0 && !detail::test(*on_, at, handle_, makes_progress)) return std::nullopt;
    return wait(at);
  }
  friend void start_all(std::span<persistent_request> all, call_site at);

  persistent_request(core::communicator& on, detail::request_handle handle) noexcept : on_(&on), handle_(handle) {}

  [[nodiscard]] bool is_pending(call_site at) const { return is_active(at); }

  template <class T>
  void keep(std::unique_ptr<T> data) {
    kept_ = std::shared_ptr<void>(std::move(data));
  }
  void end() noexcept {
    if (handle_ != 0) detail::end_request(*on_, handle_);
  }

  core::communicator* on_ = nullptr;
  detail::request_handle handle_ = 0;
  std::shared_ptr<void> kept_;  // what the operation uses and nobody else owns: an operator, a buffer
};

/// Starts all, or, if one cannot be started, none (MPI 4.1, 3.9).
inline void start_all(std::span<persistent_request> all, call_site at = call_site::current()) {
  for (const persistent_request& each : all) detail::check_startable(each.on_, at, each.handle_);
  for (const persistent_request& each : all) detail::start_request(each.on_, at, each.handle_);
}

/// A contiguous range of them. (Not a std::span, so that wait_all({}) means the other kind.)
template <class Range>
concept persistent_requests = std::is_convertible_v<Range&, std::span<persistent_request>>;

// As those of pure::request, where inactive ones count as complete: any and some pass over them.

template <persistent_requests Range>
std::vector<status> wait_all(Range&& all, call_site at = call_site::current()) {
  return detail::completion::wait_all(std::span<persistent_request>(all), at);
}
template <persistent_requests Range>
std::optional<std::size_t> wait_any(Range&& all, call_site at = call_site::current()) {
  return detail::completion::wait_any(std::span<persistent_request>(all), at);
}
template <persistent_requests Range>
std::vector<std::size_t> wait_some(Range&& all, call_site at = call_site::current()) {
  return detail::completion::wait_some(std::span<persistent_request>(all), at);
}
/// If all are complete, they are inactive now; otherwise all stay as they are. Never blocks.
template <persistent_requests Range>
bool test_all(Range&& all, call_site at = call_site::current()) {
  for (const persistent_request& each : std::span<persistent_request>(all)) {
    if (!each.peek(at)) return false;
  }
  wait_all(all, at);
  return true;
}
template <persistent_requests Range>
std::optional<std::size_t> test_any(Range&& all, call_site at = call_site::current()) {
  return detail::completion::test_any(std::span<persistent_request>(all), at);
}
template <persistent_requests Range>
std::vector<std::size_t> test_some(Range&& all, call_site at = call_site::current()) {
  return detail::completion::test_some(std::span<persistent_request>(all), at);
}

}  // namespace pure
