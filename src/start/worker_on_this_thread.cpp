#include "start/worker_on_this_thread.hpp"

#include <pthread.h>

#include <cstddef>
#include <string>

#include "base/clock.hpp"
#include "runtime/activity.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/lost_cpu_time.hpp"
#include "start/stack_room.hpp"

namespace pure::core {

namespace {

/// At the far end of the stack, for a rank that waits there, and for the chunks that it steals.
constexpr std::size_t far_bytes = 256 * 1024;

void show_name_of(const rank_context& self) noexcept {
  constexpr std::size_t most = 15;  // the kernel's
  std::string name = self.owner().name_of(self);
  if (name.size() > most) name.resize(most);
  pthread_setname_np(pthread_self(), name.c_str());
}

}  // namespace

lifetime_record::lifetime_record(const rank_context& self) noexcept
    : log_(self.log()),
      start_ns_(log_ != nullptr ? now_ns() : 0),
      lost_before_ns_(log_ != nullptr ? lost_cpu_clock().ns() : 0),
      preempted_before_(log_ != nullptr ? times_preempted() : 0) {
  if (log_ == nullptr) return;
  log_->counts.start_ns = start_ns_;
  log_->watch_lost_cpu();
}

lifetime_record::~lifetime_record() {
  if (log_ == nullptr) return;
  log_->counts.lifetime_ns = now_ns() - start_ns_;
  log_->counts.preempted = times_preempted() - preempted_before_;
  log_->counts.taken_ns = lost_cpu_clock().ns() - lost_before_ns_;
}

void lifetime_record::main_has_returned() noexcept {
  if (log_ != nullptr) log_->add({.start_ns = start_ns_, .end_ns = now_ns(), .kind = trace_event::type::main});
}

worker_on_this_thread::worker_on_this_thread(rank_context& self, thread_name name) : self_(self) {
  current_rank = &self;
  is_guest_thread = false;
  if (name == thread_name::of_rank) show_name_of(self);
  has_.emplace(self);
}

worker_on_this_thread::~worker_on_this_thread() {
  has_.reset();
  if (!is_forked_child()) self_.owner().rank_returned(self_);
  current_rank = nullptr;
}

void rank_on_this_thread::end_main(frames_of_main frames) {
  if (self_.is_outside) step_inside(self_);
  self_.thread().exit_target = nullptr;
  worker_.lifetime().main_has_returned();
  if (self_.owner().ending()) return;
  const bool is_memory_in_use = self_.services().end_main();
  const std::size_t left = left_of_stack(self_);
  const bool goes_far = is_memory_in_use && frames == frames_of_main::gone && left > 2 * far_bytes;
  call_below(goes_far ? left - far_bytes : 0, [&] { self_.owner().wait_for_all_mains(self_); });
}

}  // namespace pure::core
