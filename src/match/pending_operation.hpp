// An operation behind a request that is neither a send nor a receive: a pair of messages, and, from the layers above,
// collectives. Own thread of the rank only.
#pragma once

#include <cstdint>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "match/status.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class pending_operation {
 public:
  pending_operation() = default;
  pending_operation(const pending_operation&) = delete;
  pending_operation& operator=(const pending_operation&) = delete;
  /// Only when it is complete or inactive, or the job has failed.
  virtual ~pending_operation() = default;

  /// Moves it on as far as it goes without blocking; true if it is complete, or inactive. Never throws: an operation
  /// that fails is complete.
  virtual bool poll() noexcept = 0;

  /// What a rank that waits for it in `by` waits for. Only while it is not complete.
  [[nodiscard]] virtual wait_reason reason(const call& by) const noexcept = 0;

  /// Why it failed; null: it did not. Until the next start(). A receive that failed says so in its outcome.
  [[nodiscard]] virtual const Error* failure() const noexcept { return nullptr; }
  /// What it received, once it is complete; empty for what receives no message.
  [[nodiscard]] virtual status outcome() const noexcept { return {}; }

  /// Takes back a receive that has not matched (MPI 4.1, 3.8.4): the outcome is cancelled then. Sends go on. Only while
  /// it is active and not complete.
  virtual void cancel() noexcept {}
  /// The operation's request is freed: where messages are checked, its buffers are looked at no longer.
  virtual void forget() noexcept {}
  /// The operation consists of messages: it can be cancelled, and freed while it is active (MPI 4.1, 3.7.3 and 3.8.4).
  [[nodiscard]] virtual bool is_of_messages() const noexcept { return false; }
  /// The contexts of its messages.
  virtual void add_contexts(std::vector<std::uint32_t>& /*to*/) const {}

  /// The operation is complete, and the call `by` says so to the program: where messages are checked, this looks what
  /// has become of its buffers, and may make it fail.
  virtual void settle(const call& /*by*/) noexcept {}

  // ---- persistent operations (MPI 4.1, 3.9 and 6.13): made inactive, started any number of times. Others are active
  // from the start to the end, and start() is not called. ----

  [[nodiscard]] virtual bool is_persistent() const noexcept { return false; }
  /// True between start() and deactivate().
  [[nodiscard]] virtual bool is_active() const noexcept { return true; }
  /// Starts an inactive one; may throw.
  virtual void start(const call& /*by*/) {}
  /// Its completion has been taken by wait or test: a persistent one may be started again.
  virtual void deactivate() noexcept {}

  /// The rank is about to destroy it, because its request has been completed or freed: it gives back what it holds of
  /// other objects. Not called for one that lasts to the end of its rank, when those are gone.
  virtual void let_go() noexcept {}
};

}  // namespace pure::core
