#include "task/task_service.hpp"

#include <utility>

#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

/// While it lives, the thread runs a chunk.
class in_chunk {
 public:
  explicit in_chunk(rank_context& by) noexcept : by_(by) {
    current_rank = nullptr;
    current_chunk_rank = &by;
  }
  in_chunk(const in_chunk&) = delete;
  in_chunk& operator=(const in_chunk&) = delete;
  ~in_chunk() {
    current_chunk_rank = nullptr;
    current_rank = &by_;
  }

 private:
  rank_context& by_;
};

std::shared_ptr<task_pool> pool_for(const rank_context& owner) {
  const job& all = owner.owner();
  if (owner.number() == 0) return std::make_shared<task_pool>(all.size());
  return task_service::of(all.at(0)).pool();
}

/// Guided self-scheduling (Polychronopoulos and Kuck, 1987) with two ranges for each worker in every round.
std::uint32_t guided_divisor(const rank_context& owner) noexcept {
  return 2 * static_cast<std::uint32_t>(owner.owner().size());
}

}  // namespace

task_service::task_service(rank_context& owner)
    : self_(owner),
      pool_(pool_for(owner)),
      own_(pool_->slot_of(owner.number())),
      owner_divisor_(guided_divisor(owner)),
      thief_divisor_(owner.owner().values().guided_stealing ? guided_divisor(owner) : task_slot::most_chunks + 1),
      last_victim_(owner.number()) {}

// ---- the owner ------------------------------------------------------------------------------------------------------

void task_service::execute(const call& by, const task& what, std::uint32_t chunks) {
  if (chunks == 1 || self_.owner().size() == 1) {
    const in_chunk here(self_);
    what.work(what.context, 0, chunks - 1);
    return;
  }
  own_.open(what, chunks);
  pool_->tell();
  if (self_.owner().ranks_alive().read().parked > 0) [[unlikely]] wake_a_sleeper();
  std::uint32_t done = 0;
  try {
    run_own(what, done);
  } catch (...) {
    fail(std::current_exception());
  }
  if (!own_.all_others_done(done)) wait_for_thieves(by, done);
  if (has_failed_.load(std::memory_order_relaxed)) [[unlikely]] {
    has_failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void task_service::run_own(const task& what, std::uint32_t& done) {
  const in_chunk here(self_);
  for (;;) {
    const chunk_range range = own_.claim_own(owner_divisor_);
    if (range.count == 0) return;
    done += range.count;  // also if it fails
    what.work(what.context, range.first, range.first + range.count - 1);
  }
}

void task_service::wait_for_thieves(const call& by, std::uint32_t done) {
  wait_until(self_, {by, "the chunks of its task that other ranks have taken"}, [&] { return own_.all_others_done(done); });
}

/// Of the task of this rank: drops what is unclaimed. By whoever runs the failing chunk.
void task_service::fail(std::exception_ptr failure) noexcept {
  if (!has_failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::move(failure);
  own_.drop_rest();
}

/// A rank that has waited for so long that it sleeps does not see tasks: one is woken for each task.
void task_service::wake_a_sleeper() noexcept {
  const job& all = self_.owner();
  for (int i = 1; i < all.size(); ++i) {
    rank_context& each = all.at((self_.number() + i) % all.size());
    if (each.is_parked()) return each.notify();
  }
}

// ---- thieves --------------------------------------------------------------------------------------------------------

/// Runs one stolen range. True if there was one.
bool task_service::steal() {
  const int ranks = self_.owner().size();
  for (int i = 0; i < ranks; ++i) {
    const int victim = (last_victim_ + i) % ranks;
    if (!pool_->slot_of(victim).has_chunks() || !steal_from(victim)) continue;
    last_victim_ = victim;  // who had work is likely to have more
    looks_in_vain_ = 0;
    return true;
  }
  if (++looks_in_vain_ < looks_before_forgetting) return false;
  looks_in_vain_ = 0;
  pool_->forget();
  for (int victim = 0; victim < ranks; ++victim) {
    if (pool_->slot_of(victim).still_has_chunks()) pool_->tell();
  }
  return false;
}

bool task_service::steal_from(int victim) {
  task_slot& slot = pool_->slot_of(victim);
  task what;
  const chunk_range range = slot.steal(thief_divisor_, what);
  if (range.count == 0) return false;
  rank_context& owner = self_.owner().at(victim);
  try {
    const in_chunk here(self_);
    what.work(what.context, range.first, range.first + range.count - 1);
  } catch (...) {
    task_service::of(owner).fail(std::current_exception());
  }
  slot.complete(range.count);
  owner.notify();
  return true;
}

}  // namespace pure::core
