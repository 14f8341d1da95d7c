// The one wait: everything that blocks calls wait_until (the paper's SSW loop, 4.0.2; DESIGN D2).
//
// In order: test the condition; every few polls advance the rank's services (queued sends, everything other ranks
// wait for from this one), or do a chunk of another rank's task, and then test the condition again; after a while offer
// the core to others now and then (runtime/courtesy.hpp); after the rank's wait_policy, park. No other loop in the
// runtime spins. (A parked rank takes long to wake on a virtual machine whose idle cores sleep, as does a bare futex:
// D-wait-spins.)
//
// The condition is called by the waiting rank only, and may itself make progress (it usually polls one ring). It must
// become true by something that ends with a notify() of this rank, and then stay true.
// Modelled by tests/model/park.pml.
#pragma once

#include <cstdint>

#include "base/call.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();  // _mm_pause; its header takes a second to compile
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` is a no-op on most cores; isb takes about as long as an x86 pause
#endif
}

/// Passed to a condition that takes it: the rank has announced that it parks, and sleeps if this look is in vain. For
/// conditions whose writers wake only those who have said in the same word that they sleep.
struct last_look {};

/// Whether a wait also advances the rank's services. `nothing` is for waits inside progress itself, whose end depends
/// on no progress of this rank (the other end of a shared copy).
enum class while_waiting { advance_services, nothing };

/// One wait in progress: paces the polls, and after a while gives up the core.
class wait_in_progress {
 public:
  wait_in_progress(rank_context& self, const wait_reason& why, while_waiting meanwhile) noexcept
      : self_(self),
        why_(why),
        meanwhile_(meanwhile),
        others_(self.owner().others()),
        in_call_(self.calls()),
        polls_left_(polls_between_looks(self)) {}

  /// The pause between two polls. True when the rank should park now. Throws job_ended if the job has failed.
  bool pause() {
    if (looks_next_) return look_around();
    bool has_moved = false;
    if (others_ != nullptr && may_end_by_others()) {
      // in place of a pause: it takes longer
      rank_context* const calling = meanwhile_ == while_waiting::advance_services ? &self_ : nullptr;
      has_moved = others_->poll(calling);
    } else {
      for (int i = self_.thread().how_to_wait().pauses_per_poll; i > 0; --i) cpu_pause();
    }
    if (--polls_left_ > 0) return false;
    looks_next_ = has_moved;  // what has come may end the wait (a look takes another poll: D-test-first)
    return !has_moved && look_around();
  }

  /// When the wait began, or a little later; 0 before the first look around.
  [[nodiscard]] std::int64_t began_ns() const noexcept { return began_ns_; }

  /// After a park: a fresh start.
  void resume() noexcept {
    started_ns_ = 0;
    looks_for_ = -1;
  }

  /// What a rank tries once more after it has announced that it parks.
  template <class Ready>
  bool moved(Ready& ready) {
    const bool by_services = meanwhile_ == while_waiting::advance_services &&
                             (self_.services().advance() || self_.services().help_others() ||
                              self_.services().settle_before_sleep());
    return looks_last(ready) || by_services || self_.owner().ending();
  }

 private:
  static int polls_between_looks(const rank_context& self) noexcept {
    return self.thread().how_to_wait().yields ? 1 : 16;
  }

  template <class Ready>
  static bool looks_last(Ready& ready) {
    if constexpr (std::is_invocable_r_v<bool, Ready&, last_look>) {
      return ready(last_look{});
    } else {
      return ready();
    }
  }
  bool look_around();
  void require_only_caller();

  /// Of a job of several processes. The reason may turn to somebody else during the wait.
  [[nodiscard]] bool may_end_by_others() const noexcept { return why_.peer < 0 || !others_->is_here(why_.peer); }

  rank_context& self_;
  const wait_reason& why_;
  while_waiting meanwhile_;
  other_processes* const others_;
  calls_of_rank::wait in_call_;
  int polls_left_;
  bool looks_next_ = false;      // something was done: the condition is tested, then a look without a pause before it
  std::int64_t started_ns_ = 0;  // 0: the clock has not been read yet
  std::int64_t began_ns_ = 0;    // the first of all starts
  int looks_for_ = -1;           // the rank elsewhere that it waits for
  std::int64_t looks_since_ns_ = 0;
};

/// Blocks the calling rank until ready() is true. Throws job_ended when the job fails meanwhile.
template <class Ready>
void wait_until(rank_context& self, const wait_reason& why, Ready&& ready,
                while_waiting meanwhile = while_waiting::advance_services) {
  if (ready()) return;
  const wait_record recorded(self.log(), why);
  wait_in_progress wait(self, why, meanwhile);
  for (;;) {
    if (wait.pause()) {
      self.thread().park(
          why, [&] { return wait.moved(ready); }, wait.began_ns(),
          meanwhile == while_waiting::advance_services ? waiter::when_parked::helps_others
                                                       : waiter::when_parked::only_sleeps);
      wait.resume();
    }
    if (ready()) return;
  }
}

/// Some looks at what may come within a microsecond, by a rank that can also go on without it. True if it has come.
template <class Ready>
bool comes_soon(Ready&& ready, int looks = 32) {
  for (; looks > 0; --looks) {
    if (ready()) return true;
    cpu_pause();
  }
  return false;
}

/// For a wait that may not throw: lets another rank run where ranks share the core.
void let_others_run(rank_context& self) noexcept;

/// For a test that found nothing, in a loop that the program itself spins: advances the services, and lets another rank
/// run where ranks share the core. Throws job_ended if the job has failed.
void progress_once(rank_context& self);

/// Measures `pause` on this machine and returns how many make a good distance between polls.
int measured_pauses_per_poll();

}  // namespace pure::core
