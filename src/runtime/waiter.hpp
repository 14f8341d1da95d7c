// A waiter: the thread of a rank as it waits: how patient it is, how it sleeps and is woken, where its stack is.
//
// A rank has one. Its own thread waits by it, or a guest in that one's place (calls_of_rank.hpp): one at a time. All of
// it belongs to that thread, except `parking_`, which whoever wakes it also writes, and what says "any thread". Of the
// rank it knows the services, which it asks before it sleeps; of the job the parked count, and who hears of a sleep.
// Modelled by tests/model/park.pml, stuck.pml, task_sleeper.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/cache_line.hpp"
#include "runtime/courtesy.hpp"
#include "runtime/heavy_fence.hpp"
#include "runtime/memory_pace.hpp"
#include "runtime/notified.hpp"
#include "runtime/parked_count.hpp"
#include "runtime/service_table.hpp"
#include "runtime/stack_slot.hpp"
#include "runtime/wait_policy.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

/// Who hears that a waiter sleeps.
class sleep_listener {
 public:
  /// By a waiter that has just parked: it is counted, its word says so, and it does not sleep yet.
  virtual void worker_has_parked() = 0;

 protected:
  ~sleep_listener() = default;
};

class waiter final : public notified {
 public:
  /// All of them outlive it. `services`: those of its rank. It is one of those that `counted_in` counts.
  waiter(const wait_policy& how, const service_table& services, parked_count& counted_in,
         sleep_listener& listener) noexcept
      : notified(running), patience_(how), services_(services), counted_in_(counted_in), listener_(listener) {}

  [[nodiscard]] const wait_policy& how_to_wait() const noexcept { return patience_; }
  /// How many tests of operations have found nothing.
  [[nodiscard]] unsigned& tests_in_vain() noexcept { return tests_in_vain_; }
  [[nodiscard]] courtesy& to_strangers() noexcept { return to_strangers_; }
  [[nodiscard]] memory_pace& of_unused_memory() noexcept { return of_unused_memory_; }

  /// Whether a rank that parks is there for work of others: then it does not sleep while there is some, or until its
  /// rest from that ends (service::rests_until_ns).
  enum class when_parked { helps_others, only_sleeps };
  /// Sleeps until notified, unless `try_again` says that something moved. `since_ns`: when the wait began, 0 for now.
  /// For wait.cpp only.
  template <class TryAgain>
  void park(const wait_reason& why, TryAgain&& try_again, std::int64_t since_ns = 0,
            when_parked then = when_parked::only_sleeps);

  /// True while the rank sleeps (see runtime/parked_count.hpp). Any thread, as for the next two.
  [[nodiscard]] bool is_parked() const noexcept { return state_in(parking()) == parked; }
  /// True also while the rank has announced that it parks: notify() keeps it awake. Any thread; what is read is as new
  /// as the count that the caller has seen before (parked_count::has_parked).
  [[nodiscard]] bool parks() const noexcept { return state_in(parking()) != running; }

  struct sleep {
    std::uint32_t number;  // tells it from the rank's other sleeps
    parked_wait wait;
  };
  /// What the rank sleeps for; nothing if it is awake.
  [[nodiscard]] std::optional<sleep> look() const;
  /// True if it has not been woken since look() gave this number. Two such looks with looks at others between them:
  /// those others found what they found while this rank slept.
  [[nodiscard]] bool still_sleeps(std::uint32_t number) const noexcept { return parking() == number; }

  /// What the rank waits for, from the announcement of a sleep to its end.
  [[nodiscard]] const wait_reason* reason() const noexcept { return reason_; }
  /// How many times the rank has gone to sleep. Own thread, or after the job.
  [[nodiscard]] std::uint64_t times_parked() const noexcept { return times_parked_; }

  /// Where its thread leaves stack traces. Any thread.
  [[nodiscard]] stack_slot& stack() noexcept { return stack_; }

  // --- written by the rank: not beside the parking word ---

  /// Why calls of Pure are errors in the program's function that runs on this thread while self() is null; null: it is
  /// a chunk of a task.
  alignas(pair_bytes) const char* callback_text = nullptr;

  /// The rank's stack, for crash.cpp; and where a rank that exits returns to, for launch.cpp.
  std::uintptr_t stack_low = 0;
  std::size_t stack_bytes = 0;
  void* exit_target = nullptr;

 private:
  static constexpr std::uint32_t state_in(std::uint32_t word) noexcept { return word & state_mask; }
  [[nodiscard]] std::uint32_t parking() const noexcept {
    return parking_.load(std::memory_order_acquire);  // acquire: pairs with the release in commit_to_park()
  }

  void announce_park(const wait_reason& why) noexcept;
  void retract_park() noexcept;
  void commit_to_park(std::int64_t since_ns, when_parked then) noexcept;
  std::uint32_t note_sleep(std::int64_t since_ns) noexcept;
  void sleep_until(std::int64_t until_ns, std::uint32_t sleeping) noexcept;
  void wake() noexcept override;

  // --- constant ---
  const wait_policy patience_;
  const service_table& services_;
  parked_count& counted_in_;
  sleep_listener& listener_;
  // --- written by the rank ---
  unsigned tests_in_vain_ = 0;
  courtesy to_strangers_;
  memory_pace of_unused_memory_;
  const wait_reason* reason_ = nullptr;
  std::uint64_t times_parked_ = 0;
  std::uint32_t sleeps_ = 0;  // the number of the last one, times one_sleep
  stack_slot stack_;
  // --- written by the rank before it sleeps; read by whoever reports what ranks wait for ---
  mutable std::mutex noting_;
  parked_wait noted_;
};

template <class TryAgain>
void waiter::park(const wait_reason& why, TryAgain&& try_again, std::int64_t since_ns, when_parked then) {
  announce_park(why);
  heavy_fence();  // the announcement before, the last look after; pairs with light_fence() in notified::notify()
  if (try_again()) {
    retract_park();
  } else {
    commit_to_park(since_ns, then);
  }
}

}  // namespace pure::core
