// One rank's part in the tasks of its job: it executes its own, and in its waits chunks of others'.
//
// A helper thread of the job has one, too, which only steals.
//
// Own thread of the rank only. A chunk, own or stolen, runs with no rank: self() is null and rank_in_chunk() says who
// runs it, so that a message or a collective in a chunk is an error, without a test on the path of messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "base/call.hpp"
#include "base/clock.hpp"
#include "runtime/lost_cpu_time.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"
#include "runtime/wait.hpp"
#include "task/help_budget.hpp"
#include "task/task_pool.hpp"
#include "task/victims.hpp"

namespace pure::core {

/// Why a chunk cannot send, receive or call a collective.
inline constexpr char in_chunk_text[] =
    "called inside a chunk of a task, which may run on the thread of any rank: communicate before or after the task, and "
    "capture what the chunk must know, such as the rank";

/// The same for whatever runs on the thread of `rank` while self() is null.
inline const char* why_no_calls(const rank_context& rank) noexcept {
  return rank.thread().callback_text != nullptr ? rank.thread().callback_text : in_chunk_text;
}

enum class part_of_call : bool { first, further };

class task_service final : public rank_service<task_service, 6> {
 public:
  /// The services of a job are made one after the other, that of rank 0 first.
  explicit task_service(rank_context& owner);

  /// Does chunks 0..chunks-1, and returns when the last is done, by whomever. Throws what the first failing chunk has
  /// thrown, after the chunks in progress have ended; the others are dropped. 0 < chunks <= task_slot::most_chunks.
  /// `its`: in statistics a call is one task, however many parts it has.
  void execute(const call& by, const task& what, std::uint32_t chunks, part_of_call its = part_of_call::first) {
    if (self_.log() != nullptr) [[unlikely]]
      return execute_logged(by, what, chunks, its);
    execute(by, what, chunks, while_waiting::advance_services);
  }
  /// How many chunks a PureTask has.
  [[nodiscard]] std::uint32_t chunks_of_paper_task() const noexcept { return paper_chunks_; }

  /// By a rank that holds a chunk of this rank's task: the chunks that nobody has claimed need not be done.
  void drop_rest() noexcept { own_.drop_rest(); }

  /// For work of the runtime itself that is worth sharing, inside a call of this rank: true if others may take part,
  /// and then it is done. It may not throw, nor need services meanwhile. False: do it alone; a task of this rank is
  /// open.
  bool do_together(const call& by, const task& what, std::uint32_t chunks);

  [[nodiscard]] const rank_context& rank() const noexcept { return self_; }
  [[nodiscard]] const std::shared_ptr<task_pool>& pool() const noexcept { return pool_; }

  [[nodiscard]] bool advances() const noexcept override { return false; }
  [[nodiscard]] bool helps_others() const noexcept override { return true; }
  bool help_others() override { return pool_->may_have_tasks() && !budget_.rests(now_ns) && steal(); }
  [[nodiscard]] bool sees_work_of_others() const noexcept override;
  [[nodiscard]] std::int64_t rests_until_ns() const noexcept override {
    return budget_.rests(now_ns) ? budget_.rests_until_ns() : 0;
  }

 private:
  static constexpr int looks_before_forgetting = 64;

  void execute(const call& by, const task& what, std::uint32_t chunks, while_waiting meanwhile);
  void execute_logged(const call& by, const task& what, std::uint32_t chunks, part_of_call its);
  bool steal();
  bool steal_from(int victim);
  [[nodiscard]] const chunk_share& own_share() const noexcept { return had_thieves_ ? half_share_ : whole_share_; }
  void run_own(const task& what, chunk_range first, std::uint32_t& done);
  void run(const task& what, const chunk_range& range, int owner, const task_slot& slot);
  void run_logged(const task& what, const chunk_range& range, int owner, std::uint32_t generation);
  void wake_a_sleeper() noexcept;
  void fail(std::exception_ptr failure) noexcept;

  rank_context& self_;
  std::shared_ptr<task_pool> pool_;
  task_slot& own_;
  const std::uint32_t workers_;
  const std::uint32_t paper_chunks_;
  const chunk_share whole_share_;  // of a worker
  const chunk_share half_share_;
  const chunk_share thief_share_;
  victims victims_;
  const bool has_core_;  // to itself, of all ranks; else what it loses is not strangers'
  help_budget budget_;
  lost_cpu_clock lost_;
  int looks_in_vain_ = 0;
  bool is_open_ = false;      // a task of this rank
  bool had_thieves_ = false;  // the last task that was open

  // --- the first failure of the task that is open; written by whoever fails first ---
  alignas(pair_bytes) std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;
};

}  // namespace pure::core
