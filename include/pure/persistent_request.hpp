// pure::persistent_request: an operation that is prepared once and started any number of times (MPI 4.1, 3.9 and 6.13).
//
// Made inactive. start() starts it; wait(), or a test() that finds it complete, makes it inactive again. Its buffers
// must live as long as it does, and belong to the operation while it is active. Destroying an active one blocks until
// it is complete; a receive that nothing has matched is withdrawn. Belongs to the rank that made it.
#pragma once

#include <memory>
#include <utility>

#include <pure/detail/library.hpp>

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
  status wait(call_site at = call_site::current()) {
    return handle_ == 0 ? status() : detail::wait(*on_, at, handle_);
  }

  /// True if the operation is complete, or was inactive: it is inactive then. Never blocks; makes progress. Errors: as
  /// wait().
  [[nodiscard]] bool test(call_site at = call_site::current()) {
    if (handle_ == 0) return true;
    bool makes_progress = true;
    if (!detail::test(*on_, at, handle_, makes_progress)) return false;
    detail::wait(*on_, at, handle_);
    return true;
  }

 private:
  friend class comm;
  friend class detail::collective_call;

  persistent_request(core::communicator& on, detail::request_handle handle) noexcept : on_(&on), handle_(handle) {}

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

}  // namespace pure
