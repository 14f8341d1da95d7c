#include "libc/processor_time.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace pure::core {

namespace {

std::int64_t now_of(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);  // none, for a thread that has ended: then it has left
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

used_time of_this_thread() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {now_of(CLOCK_THREAD_CPUTIME_ID), usage.ru_utime, usage.ru_stime};
}

void add_since(used_time& sum, const used_time& now, const used_time& before) noexcept {
  timeval more;
  sum.total_ns += now.total_ns - before.total_ns;
  timersub(&now.user, &before.user, &more);
  timeradd(&sum.user, &more, &sum.user);
  timersub(&now.system, &before.system, &more);
  timeradd(&sum.system, &more, &sum.system);
}

}  // namespace

void processor_time::join() noexcept {
  member one{pthread_self(), {}, of_this_thread()};
  if (pthread_getcpuclockid(one.thread, &one.clock) != 0) return;
  const std::scoped_lock held(lock_);
  members_.push_front(one);
}

void processor_time::leave() noexcept {
  const std::scoped_lock held(lock_);
  members_.remove_if([&](const member& one) {
    if (pthread_equal(one.thread, pthread_self()) == 0) return false;
    add_since(of_gone_, of_this_thread(), one.before);
    return true;
  });
}

void processor_time::expect_one() noexcept {
  const std::scoped_lock held(lock_);
  ++expected_;
}

void processor_time::has_come() noexcept {
  const std::scoped_lock held(lock_);
  --expected_;
}

bool processor_time::has_other_threads() noexcept {
  const std::scoped_lock held(lock_);
  if (expected_ > 0) return true;
  const auto is_other = [](const member& one) { return pthread_equal(one.thread, pthread_self()) == 0; };
  return std::any_of(members_.begin(), members_.end(), is_other);
}

used_time processor_time::used() noexcept {
  const std::scoped_lock held(lock_);
  used_time sum = of_gone_;
  for (const member& one : members_) {
    if (pthread_equal(one.thread, pthread_self()) != 0) {
      add_since(sum, of_this_thread(), one.before);
      continue;
    }
    const std::int64_t used_ns = now_of(one.clock) - one.before.total_ns;
    const timeval used = {used_ns / 1'000'000'000, used_ns % 1'000'000'000 / 1000};
    sum.total_ns += used_ns;
    timeradd(&sum.user, &used, &sum.user);
  }
  return sum;
}

}  // namespace pure::core
