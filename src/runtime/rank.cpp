#include "runtime/rank.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/job.hpp"

namespace pure::core {

constinit thread_local rank_context* current_rank = nullptr;
constinit thread_local rank_context* current_chunk_rank = nullptr;

namespace {

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
}

}  // namespace

void rank_context::announce_park(const wait_reason& why) noexcept {
  reason_ = &why;
  parking_.store(announced, std::memory_order_relaxed);
}

void rank_context::retract_park() noexcept {
  // A waker may have set `running` already: it saw `announced`, so it neither un-counted nor woke anybody.
  parking_.store(running, std::memory_order_relaxed);
  reason_ = nullptr;
}

void rank_context::commit_to_park() noexcept {
  census& count = owner_->ranks_alive();
  count.count_parked();
  std::uint32_t expected = announced;
  // release: publishes reason_ to whoever reads `parked`; pairs with the acquire in is_parked()
  if (parking_.compare_exchange_strong(expected, parked, std::memory_order_release, std::memory_order_relaxed)) {
    ++times_parked_;
    owner_->look_for_deadlock();
    // acquire: pairs with the release in wake(), so that what the waker published is visible
    while (parking_.load(std::memory_order_acquire) == parked) futex(parking_, FUTEX_WAIT_PRIVATE, parked);
  } else {
    count.uncount_parked();  // notified between the announcement and here: nobody else un-counts
  }
  reason_ = nullptr;
}

void rank_context::wake() noexcept {
  // acq_rel: takes over the count of a parked rank; pairs with the CAS and the acquire load in commit_to_park()
  const std::uint32_t before = parking_.exchange(running, std::memory_order_acq_rel);
  if (before == parked) {
    owner_->ranks_alive().uncount_parked();
    futex(parking_, FUTEX_WAKE_PRIVATE, 1);
  }
}

}  // namespace pure::core
