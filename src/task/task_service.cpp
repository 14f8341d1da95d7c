// Modelled by tests/model/task_slot.pml, task_sleeper.pml.
#include "task/task_service.hpp"

#include <utility>

#include "base/clock.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

/// While it lives, the thread runs a chunk.
class in_chunk {
 public:
  explicit in_chunk(rank_context& by) noexcept {
    current_rank = nullptr;
    current_chunk_rank = &by;
  }
  in_chunk(const in_chunk&) = delete;
  in_chunk& operator=(const in_chunk&) = delete;
  // In a child that the chunk has forked, both are null.
  ~in_chunk() { current_rank = std::exchange(current_chunk_rank, nullptr); }
};

std::shared_ptr<task_pool> pool_for(const rank_context& owner) {
  const job& all = owner.owner();
  if (owner.index() == 0) return std::make_shared<task_pool>(all.workers(), victims_by_distance(all));
  return task_service::of(all.worker(0)).pool();
}

}  // namespace

task_service::task_service(rank_context& owner)
    : self_(owner),
      pool_(pool_for(owner)),
      own_(pool_->slot_of(owner.index())),
      workers_(static_cast<std::uint32_t>(owner.owner().workers())),
      paper_chunks_(static_cast<std::uint32_t>(owner.owner().values().max_task_chunks)),
      whole_share_(workers_),
      half_share_(2 * workers_),
      thief_share_(owner.owner().values().guided_stealing ? half_share_ : chunk_share::one_chunk()),
      victims_(owner, pool_->victims()),
      has_core_(!owner.thread().how_to_wait().yields) {}

/// Claimed chunks of `owner`'s task, which is in `slot`.
inline void task_service::run(const task& what, const chunk_range& range, int owner, const task_slot& slot) {
  if (self_.log() != nullptr) [[unlikely]] {
    return run_logged(what, range, owner, owner == self_.index() ? slot.generation() : slot.claimed_generation());
  }
  what.work(what.context, range.first, range.first + range.count - 1);
}

// ---- the owner ------------------------------------------------------------------------------------------------------

void task_service::execute(const call& by, const task& what, std::uint32_t chunks, while_waiting meanwhile) {
  if (chunks == 1 || workers_ == 1) {
    const in_chunk here(self_);
    if (self_.log() != nullptr) [[unlikely]]
      own_.skip_generation();
    run(what, {0, chunks}, self_.index(), own_);
    return;
  }
  const chunk_range first{0, own_share().of(chunks)};
  own_.open({what.work, what.context, arithmetic_modes::here()}, chunks, first.count);
  is_open_ = true;
  pool_->tell();
  if (self_.owner().ranks_alive().has_parked()) [[unlikely]]
    wake_a_sleeper();
  std::uint32_t done = 0;
  try {
    run_own(what, first, done);
  } catch (...) {
    fail(std::current_exception());
  }
  if (!own_.all_others_done(done)) {
    wait_until(
        self_, {by, "the chunks of its task that other ranks have taken"}, [&] { return own_.all_others_done(done); },
        meanwhile);
  }
  is_open_ = false;
  had_thieves_ = done != chunks;
  if (has_failed_.load(std::memory_order_relaxed)) [[unlikely]] {
    has_failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

/// Guided self-scheduling (Polychronopoulos and Kuck, 1987), with two rounds to a worker's share. While nobody comes
/// the owner takes its whole share at once: those who come then find as much as it holds, and claims are half as many.
void task_service::run_own(const task& what, chunk_range range, std::uint32_t& done) {
  const in_chunk here(self_);
  while (range.count != 0) {
    had_thieves_ = had_thieves_ || range.first != done;  // there is a gap: chunks that others have claimed
    done += range.count;                                 // also if it fails
    run(what, range, self_.index(), own_);
    range = own_.claim_own(own_share());
  }
}

bool task_service::do_together(const call& by, const task& what, std::uint32_t chunks) {
  // A thief that has lost its core in the middle of a chunk would keep this rank, which cannot do anything else.
  if (is_open_ || self_.thread().how_to_wait().yields) return false;
  execute(by, what, chunks, while_waiting::nothing);
  return true;
}

/// Of the task of this rank: drops what is unclaimed. By whoever runs the failing chunk.
void task_service::fail(std::exception_ptr failure) noexcept {
  if (!has_failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::move(failure);
  own_.drop_rest();
}

/// A worker that has waited for so long that it sleeps does not see tasks: whoever opens one wakes one, and so does
/// every thief that leaves chunks. One that goes to sleep meanwhile announces it, is counted, and then looks at the
/// slots: so either it sees the chunks, or whoever offers them sees it in the count, and finds the announcement. One
/// that rests is left alone: it looks when its rest ends.
void task_service::wake_a_sleeper() noexcept {
  const job& all = self_.owner();
  for (int i = 1; i < all.workers(); ++i) {
    rank_context& each = all.worker((self_.index() + i) % all.workers());
    if (each.thread().parks() && !task_service::of(each).budget_.rests(now_ns)) return each.notify();
  }
}

// ---- thieves --------------------------------------------------------------------------------------------------------

bool task_service::sees_work_of_others() const noexcept {
  for (int i = 0; i < victims_.count(); ++i) {
    if (pool_->slot_of(victims_.at(i)).still_has_chunks()) return true;
  }
  return false;
}

/// Runs one stolen range. True if there was one.
bool task_service::steal() {
  victims_.begin_look();
  for (int i = 0; i < victims_.count(); ++i) {
    const int victim = victims_.at(i);
    if (!pool_->slot_of(victim).has_chunks() || !steal_from(victim)) continue;
    victims_.found(i);
    looks_in_vain_ = 0;
    return true;
  }
  if (++looks_in_vain_ < looks_before_forgetting) return false;
  looks_in_vain_ = 0;
  pool_->forget();
  for (int victim = 0; victim < victims_.count(); ++victim) {
    if (pool_->slot_of(victim).still_has_chunks()) pool_->tell();
  }
  return false;
}

bool task_service::steal_from(int victim) {
  task_slot& slot = pool_->slot_of(victim);
  task what;
  const chunk_range range = slot.steal(thief_share_, what);
  if (range.count == 0) return false;
  if (self_.owner().ranks_alive().has_parked() && slot.has_chunks()) [[unlikely]]
    wake_a_sleeper();
  rank_context& owner = self_.owner().worker(victim);
  budget_.begin(now_ns);
  try {
    const in_chunk here(self_);
    const with_arithmetic_modes as_owner(what.modes);
    run(what, range, victim, slot);
  } catch (...) {
    task_service::of(owner).fail(std::current_exception());
  }
  slot.complete(range.count);
  owner.notify();
  if (has_core_ && !is_guest_thread) {
    const std::int64_t lost_ns = budget_.end(now_ns, [this] { return lost_.ns(); });
    if (lost_ns != 0) [[unlikely]]
      self_.thread().to_strangers().met_stranger(now_ns(), lost_ns);
  }
  return true;
}

// ---- --stats and --trace --------------------------------------------------------------------------------------------

namespace {

/// Adds an event when it ends, also by an exception.
class event_record {
 public:
  event_record(activity& log, const trace_event& event) noexcept : log_(log), event_(event) {
    event_.start_ns = now_ns();
  }
  event_record(const event_record&) = delete;
  event_record& operator=(const event_record&) = delete;
  ~event_record() {
    event_.end_ns = now_ns();
    log_.add(event_);
    if (is_stolen_) log_.counts.stealing_ns += event_.end_ns - event_.start_ns;
  }
  void is_stolen() noexcept { is_stolen_ = true; }

 private:
  activity& log_;
  trace_event event_;
  bool is_stolen_ = false;
};

}  // namespace

void task_service::execute_logged(const call& by, const task& what, std::uint32_t chunks, part_of_call its) {
  activity& log = *self_.log();
  if (its == part_of_call::first) ++log.counts.tasks;
  const event_record record(log, {.kind = trace_event::type::task,
                                  .peer = self_.index(),
                                  .operation = by.operation,
                                  .site = by.site,
                                  .amount = own_.next_generation(),
                                  .last = chunks});
  execute(by, what, chunks, while_waiting::advance_services);
}

void task_service::run_logged(const task& what, const chunk_range& range, int owner, std::uint32_t generation) {
  activity& log = *self_.log();
  const std::uint32_t last = range.first + range.count - 1;
  event_record record(
      log,
      {.kind = trace_event::type::chunks, .peer = owner, .first = range.first, .amount = generation, .last = last});
  if (owner == self_.index()) {
    log.counts.own_chunks += range.count;
  } else {
    log.add_stolen(owner, range.count);
    record.is_stolen();
  }
  what.work(what.context, range.first, last);
}

}  // namespace pure::core
