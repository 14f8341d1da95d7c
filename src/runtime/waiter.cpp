// Modelled by tests/model/park.pml, stuck.pml, task_sleeper.pml.
#include "runtime/waiter.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "base/clock.hpp"
#include "base/thread_sanitizer.hpp"
#include "runtime/current_rank.hpp"

namespace pure::core {

namespace {

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* limit) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, limit, nullptr, 0);
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* limit) noexcept {
  // ThreadSanitizer keeps a signal for when the thread next sleeps in a function that it knows, which this is not:
  // nobody would get the stack of a parked rank (hang/stack_traces.cpp). A wait with a limit is ended by the signal,
  // also by one with SA_RESTART, and usleep lets the handler run.
  constexpr timespec day{.tv_sec = 24 * 60 * 60, .tv_nsec = 0};
  futex(word, FUTEX_WAIT_PRIVATE, value, is_seen_by_thread_sanitizer && limit == nullptr ? &day : limit);
  if (is_seen_by_thread_sanitizer) usleep(0);
}

/// While it lives, the stack of the rank is that of the calling thread, where that is a guest, which sleeps now.
class guest_on_stack_slot {
 public:
  explicit guest_on_stack_slot(stack_slot& slot) noexcept : slot_(is_guest_thread ? &slot : nullptr) {
    if (slot_ == nullptr) return;
    own_ = slot_->thread_id.exchange(static_cast<int>(syscall(SYS_gettid)), std::memory_order_relaxed);
  }
  guest_on_stack_slot(const guest_on_stack_slot&) = delete;
  guest_on_stack_slot& operator=(const guest_on_stack_slot&) = delete;
  ~guest_on_stack_slot() {
    if (slot_ != nullptr) slot_->thread_id.store(own_, std::memory_order_relaxed);
  }

 private:
  stack_slot* const slot_;
  int own_ = 0;
};

}  // namespace

void waiter::announce_park(const wait_reason& why) noexcept {
  reason_ = &why;
  parking_.store(announced, std::memory_order_relaxed);
}

void waiter::retract_park() noexcept {
  // A waker may have set `running` already: it saw `announced`, so it neither un-counted nor woke anybody.
  parking_.store(running, std::memory_order_relaxed);
  reason_ = nullptr;
}

/// Notes what the rank is about to sleep for, and returns the word that says so.
std::uint32_t waiter::note_sleep(std::int64_t since_ns) noexcept {
  parked_wait noted{.what = reason_->what,
                    .waiting_for = reason_->waiting_for,
                    .peer = reason_->peer,
                    .tag = reason_->tag,
                    .only_peer = reason_->only_peer,
                    .acts_for_others = services_.acts_for_others(),
                    .since_ns = since_ns != 0 ? since_ns : now_ns(),
                    .subject = reason_->subject != nullptr ? *reason_->subject : wait_subject()};
  const std::lock_guard lock(noting_);
  noted_ = std::move(noted);
  sleeps_ += one_sleep;
  return sleeps_ | parked;
}

void waiter::commit_to_park(std::int64_t since_ns, when_parked then) noexcept {
  // Notified, or the last look was a wait itself, of a copy, say, which has slept: the announcement went with it.
  if (state_in(parking_.load(std::memory_order_relaxed)) != announced) return retract_park();
  const guest_on_stack_slot shown(stack_);
  const std::uint32_t sleeping = note_sleep(since_ns);
  // Before the look: a rest that ends in between ends the sleep, too.
  const std::int64_t rests_until_ns = then == when_parked::helps_others ? services_.rests_until_ns() : 0;
  counted_in_.count_parked();
  // Opened since the last look by a rank that has read the count before: it wakes nobody.
  if (then == when_parked::helps_others && rests_until_ns == 0 && services_.see_work_of_others()) {
    counted_in_.uncount_parked();
    return retract_park();
  }
  std::uint32_t expected = announced;
  // release: publishes what was noted to whoever reads `parked`; pairs with the acquire in parking()
  if (parking_.compare_exchange_strong(expected, sleeping, std::memory_order_release, std::memory_order_relaxed)) {
    ++times_parked_;
    listener_.worker_has_parked();
    sleep_until(rests_until_ns, sleeping);
  } else {
    counted_in_.uncount_parked();  // notified between the announcement and here: nobody else un-counts
  }
  reason_ = nullptr;
}

/// Until it is woken; it wakes itself, as others do, at a time that is not 0. Not where all are parked: there is no
/// work then, and whoever reports the deadlock reads what each waits for.
void waiter::sleep_until(std::int64_t until_ns, std::uint32_t sleeping) noexcept {
  // acquire: pairs with the release in wake(), so that what the waker published is visible
  while (parking_.load(std::memory_order_acquire) == sleeping) {
    const std::int64_t left_ns = until_ns != 0 ? until_ns - now_ns() : 0;
    if (until_ns == 0) {
      futex_wait(parking_, sleeping, nullptr);
    } else if (left_ns > 0) {
      constexpr std::int64_t second_ns = 1'000'000'000;
      const timespec left{.tv_sec = left_ns / second_ns, .tv_nsec = left_ns % second_ns};
      futex_wait(parking_, sleeping, &left);
    } else if (counted_in_.read().all_parked()) {
      until_ns = 0;
    } else {
      wake();
    }
  }
}

std::optional<waiter::sleep> waiter::look() const {
  sleep seen{.number = parking(), .wait = {}};
  if (state_in(seen.number) != parked) return std::nullopt;
  {
    const std::lock_guard lock(noting_);
    seen.wait = noted_;
  }
  // The same word: what was read is of this sleep, for the rank notes the next one only when it has left this one.
  if (parking() != seen.number) return std::nullopt;
  return seen;
}

void waiter::wake() noexcept {
  // acq_rel: takes over the count of a parked rank; pairs with the CAS and the acquire load in commit_to_park()
  const std::uint32_t before = parking_.exchange(running, std::memory_order_acq_rel);
  if (state_in(before) == parked) {
    counted_in_.uncount_parked();
    futex(parking_, FUTEX_WAKE_PRIVATE, 1, nullptr);
  }
}

}  // namespace pure::core
