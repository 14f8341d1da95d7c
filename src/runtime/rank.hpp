// A rank: an identity with a number, its services, and the flag by which others wake it.
//
// Everything here belongs to the rank's own thread, and to its guests while they call (calls_of_rank.hpp), except
// `parking_`, which whoever wakes it also writes.
// Modelled by tests/model/park.pml, stuck.pml, task_sleeper.pml.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/cache_line.hpp"
#include "runtime/activity.hpp"
#include "runtime/calls_of_rank.hpp"
#include "runtime/courtesy.hpp"
#include "runtime/current_rank.hpp"
#include "runtime/heavy_fence.hpp"
#include "runtime/notified.hpp"
#include "runtime/service_table.hpp"
#include "runtime/stack_slot.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class job;

/// How a rank spends the time in a wait before it parks. From the settings and from who shares its core.
struct wait_policy {
  static constexpr std::int64_t usual_spin_ns = 50'000'000;  // who asks for more never sleeps before
  static constexpr std::int64_t polite_after_ns = 100'000;   // from then on the core is offered to others (courtesy)
  int pauses_per_poll = 1;               // the poll's pace: a poll that comes too early takes the line from its writer
  bool yields = false;                   // more ranks than cores here: give the core away instead of pausing
  std::int64_t spin_ns = usual_spin_ns;  // then park

  // --- in a wait that a rank of another process ends ---
  std::int64_t stays_ns = 0;  // if it yields: not at once, for who ends it is on another core
  std::int64_t spin_elsewhere_ns = 50'000'000;
  std::int64_t spin_for_payloads_ns = 50'000'000;  // while large messages are on their way

  // Of ranks that share a core. A turn: how long each of the others there keeps it that waits, too. Elsewhere: so far
  // apart may ranks be that do the same. A large message moves on by the polls of the rank that waits for it.
  static constexpr std::int64_t turn_ns = 1'500;
  static constexpr std::int64_t spin_on_shared_core_ns = 100'000;
  static constexpr std::int64_t spin_elsewhere_on_shared_core_ns = 1'000'000;
  static constexpr std::int64_t spin_for_payloads_on_shared_core_ns = 20'000'000;
};

class rank_context final : public notified {
 public:
  /// `index`: among the workers of its process.
  rank_context(job& owner, int number, int index, const wait_policy& how) noexcept
      : notified(running), owner_(&owner), number_(number), index_(index), patience_(how) {}

  [[nodiscard]] job& owner() const noexcept { return *owner_; }
  /// In the job.
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] const wait_policy& how_to_wait() const noexcept { return patience_; }
  /// How many tests of operations have found nothing. Own thread.
  [[nodiscard]] unsigned& tests_in_vain() noexcept { return tests_in_vain_; }

  /// Own thread.
  [[nodiscard]] courtesy& to_strangers() noexcept { return to_strangers_; }

  [[nodiscard]] service_table& services() noexcept { return services_; }
  [[nodiscard]] const service_table& services() const noexcept { return services_; }

  /// Which threads make calls of it, and when.
  [[nodiscard]] calls_of_rank& calls() noexcept { return calls_; }

  /// What this rank has done; null where nobody wants to know. Set before the services are attached.
  [[nodiscard]] activity* log() const noexcept { return log_.get(); }
  void keep_log(std::unique_ptr<activity> log) noexcept { log_ = std::move(log); }

  /// Whether a rank that parks is there for work of others: then it does not sleep while there is some.
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

  /// What the rank waits for, from the announcement of a sleep to its end. Own thread.
  [[nodiscard]] const wait_reason* reason() const noexcept { return reason_; }

  /// The rank's main has returned: it makes no calls any more. Any thread.
  [[nodiscard]] bool main_has_returned() const noexcept { return main_has_returned_.load(std::memory_order_relaxed); }
  void note_main_has_returned() noexcept { main_has_returned_.store(true, std::memory_order_relaxed); }
  /// The rank's thread has ended, or is about to without doing anything for others.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_.load(std::memory_order_acquire);  // acquire: pairs with note_end()
  }
  void note_end() noexcept {
    has_ended_.store(true,
                     std::memory_order_release);  // release: its last wake-ups come before; pairs with has_ended()
  }

  /// Where its thread leaves stack traces.
  [[nodiscard]] stack_slot& stack() noexcept { return stack_; }

  /// Why calls of Pure are errors in the program's function that runs on this thread while self() is null; null: it is
  /// a chunk of a task. Own thread only.
  const char* callback_text = nullptr;

  /// The rank's thread runs its main where that makes no calls: before MPI_Init, after MPI_Finalize. self() is null
  /// then, and rank_in_chunk() is the rank. Own thread only; for step_outside().
  bool is_outside = false;

  /// Set once the rank has left a failed job, or has returned. Own thread only; for job.cpp.
  bool stopped_touching_memory = false;

  /// The rank's stack, for crash.cpp; and where a rank that exits returns to, for launch.cpp.
  std::uintptr_t stack_low = 0;
  std::size_t stack_bytes = 0;
  void* exit_target = nullptr;

  /// How many times the rank has gone to sleep. Own thread, or after the job.
  [[nodiscard]] std::uint64_t times_parked() const noexcept { return times_parked_; }

 private:
  static constexpr std::uint32_t state_in(std::uint32_t word) noexcept { return word & state_mask; }
  [[nodiscard]] std::uint32_t parking() const noexcept {
    return parking_.load(std::memory_order_acquire);  // acquire: pairs with the release in commit_to_park()
  }

  void announce_park(const wait_reason& why) noexcept;
  void retract_park() noexcept;
  void commit_to_park(std::int64_t since_ns, when_parked then) noexcept;
  std::uint32_t note_sleep(std::int64_t since_ns) noexcept;
  void wake() noexcept override;

  // --- constant after the start: not beside the parking word ---
  alignas(pair_bytes) job* owner_;
  int number_;
  int index_;
  wait_policy patience_;
  unsigned tests_in_vain_ = 0;
  courtesy to_strangers_;
  service_table services_;
  std::unique_ptr<activity> log_;
  // --- written by the rank ---
  calls_of_rank calls_{*this};
  const wait_reason* reason_ = nullptr;
  std::uint64_t times_parked_ = 0;
  std::uint32_t sleeps_ = 0;  // the number of the last one, times one_sleep
  std::atomic<bool> main_has_returned_{false};
  std::atomic<bool> has_ended_{false};
  stack_slot stack_;
  // --- written by the rank before it sleeps; read by whoever reports what ranks wait for ---
  mutable std::mutex noting_;
  parked_wait noted_;
};

template <class TryAgain>
void rank_context::park(const wait_reason& why, TryAgain&& try_again, std::int64_t since_ns, when_parked then) {
  announce_park(why);
  heavy_fence();  // the announcement before, the last look after; pairs with light_fence() in notified::notify()
  if (try_again()) {
    retract_park();
  } else {
    commit_to_park(since_ns, then);
  }
}

/// The thread of `rank` goes on with a part of the program that makes no calls of it, and comes back.
inline void step_outside(rank_context& rank) noexcept {
  current_rank = nullptr;
  current_chunk_rank = &rank;
  rank.is_outside = true;
}
inline void step_inside(rank_context& rank) noexcept {
  rank.is_outside = false;
  current_chunk_rank = nullptr;
  current_rank = &rank;
}
}  // namespace pure::core
