// Modelled by tests/model/park.pml.
#include "runtime/job.hpp"

#include <fmt/core.h>

#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include <pure/error.hpp>

#include "base/clock.hpp"
#include "base/libc.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/last_output.hpp"
#include "runtime/launcher_link.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

/// What ranks wait for whose main has returned.
constexpr char end_of_others[] = "the end of the other ranks' mains";
/// What helpers wait for.
constexpr char tasks_of_ranks[] = "tasks of the ranks";

std::unique_ptr<huge_pages> pages_of(const settings& values) {
  const page_kind kind = page_kind_of(values.huge_pages);
  return kind == page_kind::normal ? nullptr : std::make_unique<huge_pages>(kind);
}

}  // namespace

job::job(settings values, const std::vector<wait_policy>& patience_of, failure_action action,
         const std::function<void(rank_context&)>& attach_services, int helpers, std::vector<rank_place> places,
         other_processes* others)
    : settings_(std::move(values)),
      others_(others),
      action_(others == nullptr ? action : failure_action::end_process),
      ranks_here_(static_cast<int>(patience_of.size()) - helpers),
      size_(others == nullptr ? ranks_here_ : others->placement().ranks()),
      workers_count_(static_cast<int>(patience_of.size())),
      places_(std::move(places)),
      parked_(workers_count_),
      pages_(pages_of(settings_)),
      by_number_(size_),
      running_(workers_count_),
      mains_running_(ranks_here_),
      still_touching_(workers_count_) {
  make_workers(patience_of);
  if (settings_.stats || !settings_.trace.empty()) {
    const std::size_t events = settings_.trace.empty() ? 0 : settings_.trace_events;
    for (const auto& each : workers_) each->keep_log(std::make_unique<activity>(events));
  }
  for (const auto& each : workers_) attach_services(*each);
  if (others_ != nullptr) others_->attach(*this);
}

void job::make_workers(const std::vector<wait_policy>& patience_of) {
  workers_.reserve(patience_of.size());
  for (int index = 0; index < workers_count_; ++index) {
    const bool is_rank = index < ranks_here_;
    const int number = !is_rank ? size_ + index - ranks_here_
                       : others_ == nullptr
                           ? index
                           : others_->placement().ranks_of(others_->process())[static_cast<std::size_t>(index)];
    const wait_policy& how = patience_of[static_cast<std::size_t>(index)];
    workers_.push_back(std::make_unique<rank_context>(*this, number, index, how));
    if (is_rank) by_number_.add(*workers_.back());
  }
  if (others_ == nullptr) return;
  const rank_placement& placement = others_->placement();
  for (int process = 0; process < placement.processes(); ++process) {
    if (process != others_->process()) by_number_.add_process(process, placement.ranks_of(process), *others_);
  }
}

job::~job() {
  // Services may address other ranks: all ranks outlive them.
  for (const auto& each : workers_) each->services().destroy_all();
}

std::string job::name_of(const rank_context& who) const {
  return is_helper(who) ? fmt::format("helper {}", who.number() - size_) : fmt::format("rank {}", who.number());
}

const rank_place* job::place_of(const rank_context& who) const noexcept {
  const auto index = static_cast<std::size_t>(who.index());
  return index < places_.size() ? &places_[index] : nullptr;
}

void job::fail(const std::string& text, int status, std::exception_ptr thrown) {
  fail(text, status, std::move(thrown), false);
}

void job::fail(const std::string& text, int status, std::exception_ptr thrown, bool is_deadlock) {
  if (is_forked_child()) end_forked_child(text, status);
  const bool is_thrown = thrown != nullptr;
  if (action_ == failure_action::end_process) {
    if (!failure_.report(is_thrown, is_deadlock)) std::this_thread::sleep_for(std::chrono::hours(1));  // it ends soon
    if (before_process_ends_) before_process_ends_();
    if (others_ != nullptr) end_all_processes(text, nonzero_status(status));
    end_process(text, nonzero_status(status));
  }
  // Before anybody is told: what needs memory, and may find none.
  job_failure::cause told{.text = "out of memory", .status = nonzero_status(status), .thrown = thrown};  // takes none
  try {
    told.text = text;
    if (told.thrown == nullptr) told.thrown = std::make_exception_ptr(Error(errc::other, text));
  } catch (const std::bad_alloc&) {
    if (told.thrown == nullptr) told.thrown = std::current_exception();
  }
  if (!failure_.report_to_ranks(std::move(told), is_thrown, is_deadlock)) return;
  monitor_.ring();
  for (const auto& each : workers_) each->notify();
}

void job::stop_touching_memory(rank_context& stopping) {
  if (std::exchange(stopping.stopped_touching_memory, true)) return;
  // acq_rel: this rank's last accesses happen before whoever reads 0 frees the memory; pairs with the acquire in
  // stop_together()
  still_touching_.fetch_sub(1, std::memory_order_acq_rel);
}

void job::end_process_after_grace() const {
  end_process(failure_text() + "\n  (some ranks did not reach a call of Pure within 2 s, so the process ends)",
              failure_status());
}

void job::stop_together(rank_context& stopping) {
  stop_touching_memory(stopping);
  const std::int64_t deadline_ns = now_ns() + grace_ns;
  // acquire: pairs with the fetch_sub of every rank in stop_touching_memory()
  while (still_touching_.load(std::memory_order_acquire) > 0) {
    if (now_ns() > deadline_ns) end_process_after_grace();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  stopping.services().close_all();
}

void job::leave(rank_context& leaving) {
  stop_together(leaving);
  throw job_ended{};
}

void job::wait_for_all_mains(rank_context& done) {
  own_mpi_.check_returned(done);
  done.note_main_has_returned();
  // acq_rel: the last to come is seen by all; pairs with itself and the load in wait_for_last_main()
  if (mains_running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    if (others_ != nullptr) others_->own_mains_have_returned();
    for (const auto& each : workers_) each->notify();
    if (others_ == nullptr) return;
  }
  const call end{"the end of main", {}};
  wait_for_last_main(done, {end, end_of_others});
}

void job::help_until_end(rank_context& helper) {
  const call helping{"a helper thread", {}};
  wait_for_last_main(helper, {helping, tasks_of_ranks});
}

void job::wait_for_last_main(rank_context& waiting, const wait_reason& why) {
  try {
    wait_until(waiting, why, [&] {
      return others_ != nullptr
                 ? others_->all_mains_have_returned()
                 : mains_running_.load(std::memory_order_acquire) == 0;  // acquire: pairs with wait_for_all_mains()
    });
  } catch (const job_ended&) {  // reported by whoever has failed
  }
}

void job::rank_returned(rank_context& ended) {
  stop_touching_memory(ended);
  ended.note_end();
  parked_.count_ended();
  look_for_deadlock();
  const std::lock_guard lock(returning_);
  --running_;
  monitor_.ring();  // under the lock: whoever waits for 0 may then destroy the job
}

void job::wait_for_ranks() {
  const auto all_ended = [this] {
    const std::lock_guard lock(returning_);
    return running_ == 0;
  };
  while (!all_ended() && !ending()) {
    try {
      monitor_.wait(observer_.get());
    } catch (const std::bad_alloc&) {  // not up to whoever has called run_ranks, beside whose frames ranks run
      fail("out of memory, in the thread that waits for the ranks", 1);
    }
  }
  const std::int64_t deadline_ns = now_ns() + grace_ns;
  while (!all_ended()) {
    const std::int64_t left_ns = deadline_ns - now_ns();
    if (left_ns <= 0) end_process_after_grace();
    monitor_.wait_only(left_ns);
  }
}

bool job::all_workers_sleep() const {
  const parked_count::reading before = parked_.read();
  if (!before.all_parked()) return false;
  std::uint32_t parked = 0;
  for (const auto& each : workers_) parked += each->thread().is_parked() ? 1U : 0U;
  return parked == before.live && parked_.read() == before;
}

bool job::look_for_deadlock() {
  // seq_cst: this rank's own change of state comes before its look at the others'. Two ranks that park at the same time
  // would otherwise both look too early, and neither would see that all are parked: it pairs with itself in another
  // rank's look_for_deadlock(), and with the fence in monitor::time_to_sleep_ns().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (others_ != nullptr || !parked_.read().all_parked()) return false;
  using sight = job_failure::sight;
  // Two ranks may see the deadlock; one reports it.
  const sight seen = failure_.look_for_deadlock([this] {
    if (!all_workers_sleep()) return sight::no_deadlock;
    return foreign_threads() > 0 ? sight::not_certain : sight::first;
  });
  if (seen != sight::first) return seen == sight::not_certain;  // then the watch warns
  fail_by_deadlock(observer_ != nullptr ? observer_->deadlock_report() : "deadlock: every rank waits");
  return true;
}

namespace {

/// Prints the text if is_said() says so, flushes what the program has printed, and calls leave(), which does not
/// return.
template <class IsSaid, class Leave>
[[noreturn]] void end_process_by(const std::string& text, int status, IsSaid is_said, Leave leave) {
  if (is_forked_child()) end_forked_child(text, status);  // writes nothing: vfork's child has its parent's memory
  if (!is_first_to_end_process()) {
    std::this_thread::sleep_for(std::chrono::hours(1));  // another thread ends the process; its cause was first
  }
  if (is_said()) print_message(text);
  flush_or_exit(status);
  leave();
  __builtin_unreachable();
}

}  // namespace

void end_process(const std::string& text, int status) {
  end_process_by(
      text, status, [] { return true; }, [status] { libc::exit_now(status); });
}

void job::end_all_processes(const std::string& text, int status) {
  // Ranks that are processes often fail together, by the same mistake: the first one's cause is the job's.
  bool is_first = true;
  const auto is_said = [&] { return is_first = tell_launcher_failed(values()); };
  end_process_by(text, status, is_said, [&] {
    if (!is_first) std::this_thread::sleep_for(std::chrono::seconds(1));  // the first one ends the job meanwhile
    // MPICH's launcher ends at once when it hears of an abort, and loses what it has not yet read of the processes'
    // output: one text in sixty.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    tell_launcher_aborted(values(), status);
    others_->abort(status);
  });
}

}  // namespace pure::core
