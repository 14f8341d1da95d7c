// How a job fails: the first cause that anybody reports, and that a deadlock is seen once.
//
// Any thread. is_told() is one load; what it publishes may be read by whoever has seen it.
// Modelled by tests/model/park.pml.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <string>

namespace pure::core {

class job_failure {
 public:
  struct cause {
    std::string text;           ///< for people
    int status = 1;             ///< with which the process ends
    std::exception_ptr thrown;  ///< what the caller of pure::run gets
  };

  /// True if this is the cause from now on; false if another one stands. The first one stands, except that an exception
  /// which was already unwinding a rank when it got caught in a deadlock (`is_thrown`) is the earlier cause.
  [[nodiscard]] bool report(bool is_thrown, bool is_deadlock);
  /// The same, and ranks that wait shall leave by it: it can be read from then on.
  [[nodiscard]] bool report_to_ranks(cause what, bool is_thrown, bool is_deadlock);

  /// A cause has been reported to the ranks.
  // acquire: pairs with the release in report_to_ranks(), so that the cause is readable
  [[nodiscard]] bool is_told() const noexcept { return is_told_.load(std::memory_order_acquire); }
  /// After is_told().
  [[nodiscard]] const cause& what() const noexcept { return what_; }

  enum class sight { no_deadlock, not_certain, first };
  /// Looks for a deadlock, one thread at a time: look() says what it sees. `first` is returned once, to whoever then
  /// reports it; nothing is seen where the job has failed already.
  template <class Look>
  [[nodiscard]] sight look_for_deadlock(Look look);

 private:
  [[nodiscard]] bool is_first(bool is_thrown, bool is_deadlock) noexcept;

  std::mutex guard_;  // makes the first failure the only one
  bool has_failed_ = false;
  bool is_deadlock_ = false;
  bool is_deadlock_seen_ = false;  // somebody is about to report it
  cause what_;
  std::atomic<bool> is_told_{false};
};

template <class Look>
job_failure::sight job_failure::look_for_deadlock(Look look) {
  const std::lock_guard lock(guard_);
  if (has_failed_ || is_deadlock_seen_) return sight::no_deadlock;
  const sight seen = look();
  is_deadlock_seen_ = seen == sight::first;
  return seen;
}

}  // namespace pure::core
