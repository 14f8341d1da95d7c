#include "runtime/wait.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "runtime/forked_child.hpp"

namespace pure::core {

void wait_in_progress::require_only_caller() {
  // (Who sleeps does not look.)
  if (in_call_.is_disturbed() || self_.thread().is_parked()) [[unlikely]] {
    self_.owner().fail(
        fmt::format(
            "{}: {}: another thread is in a call of the same rank meanwhile: threads may call one after the other, "
            "and not at the same time (MPI_THREAD_SERIALIZED)",
            why_.what.operation, self_.owner().name_of(self_)),
        1);
  }
  in_call_.look();
}

bool wait_in_progress::look_around() {
  if (is_forked_from_worker()) [[unlikely]]  // in a chunk or an operator, inside this call
    end_forked_child(fmt::format("{}: {}", why_.what.operation, forked_child_text()), 1);
  require_only_caller();
  const wait_policy& how = self_.thread().how_to_wait();
  polls_left_ = polls_between_looks(self_);
  if (self_.owner().ending()) self_.owner().leave(self_);
  if (others_ != nullptr && may_end_by_others()) self_.owner().own_mpi().check_wait(self_, why_);
  if (meanwhile_ == while_waiting::advance_services) {
    if (self_.services().advance()) return false;
    looks_next_ = self_.services().help_others();  // there may be more to do
    if (looks_next_) {
      resume();  // it was not idle
      return false;
    }
  } else {
    looks_next_ = false;
  }

  const std::int64_t now = now_ns();
  if (started_ns_ == 0) started_ns_ = now;
  if (began_ns_ == 0) began_ns_ = now;
  if (meanwhile_ == while_waiting::advance_services && self_.thread().of_unused_memory().is_due(now)) [[unlikely]]
    self_.thread().of_unused_memory().has_looked(now, self_.services().give_back_unused());
  const std::int64_t waited_ns = now - started_ns_;
  if (others_ != nullptr && how.yields && why_.peer >= 0 && !others_->is_here(why_.peer)) {
    // stays_ns is 0 unless that rank is on another core.
    if (why_.peer != std::exchange(looks_for_, why_.peer)) looks_since_ns_ = now;
    const std::int64_t looked_ns = now - looks_since_ns_;
    if (looked_ns > how.stays_ns) sched_yield();
    if (looked_ns <= how.spin_elsewhere_ns) return false;
    return looked_ns > how.spin_for_payloads_ns || !others_->are_payloads_on_their_way();
  }
  if (how.yields) {
    sched_yield();
  } else if (waited_ns > wait_policy::polite_after_ns) {
    // The network is moved on by whoever waits for other processes.
    const bool has_to_stay = (others_ != nullptr && may_end_by_others()) || how.spin_ns > wait_policy::usual_spin_ns;
    if (has_to_stay) {
      sched_yield();
    } else if (self_.thread().to_strangers().offer(now, now_ns, sched_yield) == courtesy::next::park) {
      return true;
    }
  }
  return waited_ns > how.spin_ns;
}

namespace {

void rest_briefly() noexcept {
  const timespec rest{.tv_sec = 0, .tv_nsec = 50'000};
  nanosleep(&rest, nullptr);
}

}  // namespace

void let_others_run(rank_context& self) noexcept {
  if (self.thread().how_to_wait().yields) sched_yield();
}

void progress_once(rank_context& self) {
  if (self.owner().ending()) self.owner().leave(self);
  if (self.services().advance() || !self.thread().how_to_wait().yields) return;
  // Where a program tests again and again, sched_yield() by itself may keep others off a busy
  // core for seconds (D-tests-rest).
  constexpr unsigned tests_between_rests = 256;
  if (++self.thread().tests_in_vain() % tests_between_rests != 0) return let_others_run(self);
  rest_briefly();
}

int measured_pauses_per_poll() {
  constexpr int pauses = 200;
  std::int64_t best_ns = 1'000'000;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::int64_t start = now_ns();
    for (int i = 0; i < pauses; ++i) cpu_pause();
    best_ns = std::min(best_ns, now_ns() - start);
  }
  // In lockstep a poll that comes too early takes the line from a writer that is filling it (D-poll-pace).
  constexpr std::int64_t wanted_ns_per_poll = 44;
  const std::int64_t wanted = wanted_ns_per_poll * pauses / std::max<std::int64_t>(best_ns, 1);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, 64));
}

}  // namespace pure::core
