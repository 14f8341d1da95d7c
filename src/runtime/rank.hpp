// A rank: an identity with a number, its services, its calls, and the waiter by which it sleeps and is woken.
//
// Everything here belongs to the rank's own thread, and to its guests while they call (calls_of_rank.hpp), except what
// says "any thread".
// Modelled by tests/model/stuck.pml.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "runtime/activity.hpp"
#include "runtime/calls_of_rank.hpp"
#include "runtime/current_rank.hpp"
#include "runtime/service_table.hpp"
#include "runtime/waiter.hpp"

namespace pure::core {

class job;

class rank_context final {
 public:
  /// `index`: among the workers of its process.
  rank_context(job& owner, int number, int index, const wait_policy& how) noexcept;
  rank_context(const rank_context&) = delete;
  rank_context& operator=(const rank_context&) = delete;

  [[nodiscard]] job& owner() const noexcept { return *owner_; }
  /// In the job.
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int index() const noexcept { return index_; }

  /// The rank's own thread, as it waits.
  [[nodiscard]] waiter& thread() noexcept { return thread_; }
  [[nodiscard]] const waiter& thread() const noexcept { return thread_; }
  /// Something has been published that the rank may wait for (notified::notify). Any thread.
  void notify() noexcept { thread_.notify(); }

  [[nodiscard]] service_table& services() noexcept { return services_; }
  [[nodiscard]] const service_table& services() const noexcept { return services_; }

  /// Which threads make calls of it, and when.
  [[nodiscard]] calls_of_rank& calls() noexcept { return calls_; }

  /// What this rank has done; null where nobody wants to know. Set before the services are attached.
  [[nodiscard]] activity* log() const noexcept { return log_.get(); }
  void keep_log(std::unique_ptr<activity> log) noexcept { log_ = std::move(log); }

  /// The rank's main has returned: it makes no calls any more. Any thread.
  [[nodiscard]] bool main_has_returned() const noexcept { return main_has_returned_.load(std::memory_order_relaxed); }
  void note_main_has_returned() noexcept { main_has_returned_.store(true, std::memory_order_relaxed); }
  /// The rank's thread has ended, or is about to without doing anything for others. Any thread.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_.load(std::memory_order_acquire);  // acquire: pairs with note_end()
  }
  void note_end() noexcept {
    has_ended_.store(true,
                     std::memory_order_release);  // release: its last wake-ups come before; pairs with has_ended()
  }

  /// The rank's thread runs its main where that makes no calls: before MPI_Init, after MPI_Finalize. self() is null
  /// then, and rank_in_chunk() is the rank. Own thread only; for step_outside().
  bool is_outside = false;

  /// Set once the rank has left a failed job, or has returned. Own thread only; for job.cpp.
  bool stopped_touching_memory = false;

 private:
  waiter thread_;  // on lines of its own, the parking word on the first pair of them
  // --- constant after the start ---
  job* owner_;
  int number_;
  int index_;
  service_table services_;
  std::unique_ptr<activity> log_;
  // --- written by the rank, and its guests ---
  calls_of_rank calls_{*this};
  std::atomic<bool> main_has_returned_{false};
  std::atomic<bool> has_ended_{false};
};

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
