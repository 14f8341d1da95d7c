#include "start/adopted_rank.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <signal.h>

#include <exception>
#include <future>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <pure/error.hpp>

#include "base/environment.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/forked_child.hpp"
#include "start/launch.hpp"
#include "start/processes.hpp"
#include "start/rank_job.hpp"
#include "start/thread_binding.hpp"
#include "start/worker_on_this_thread.hpp"

namespace pure::core {

namespace {

/// While it lives, threads that the caller starts block all signals: those for the process are the program's.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

/// The thread that waits for the ranks of a job, because the caller is one.
class watching_thread {
 public:
  /// Throws pure::Error: there can be no more threads.
  explicit watching_thread(rank_job& of) {
    const signals_blocked blocked;
    std::promise<void> promise;
    const std::future<void> is_known = promise.get_future();  // else a look for foreign threads might find it
    try {
      thread_ = std::thread([&of, said = std::move(promise)]() mutable {
        const known_thread known;
        pthread_setname_np(pthread_self(), "pure watch");
        said.set_value();
        of.wait();
      });
      is_known.wait();
    } catch (const std::system_error& error) {
      throw Error(errc::other,
                  fmt::format("the thread that waits for the rank of this process could not be started: {}",
                              error.code().message()));
    }
  }
  /// When the ranks have ended.
  void join() { thread_.join(); }

 private:
  std::thread thread_;
};

namespace {

trace_file* timeline_of(const launch_plan& plan, std::optional<trace_file>& own) {
  if (plan.timeline != nullptr || plan.values.trace.empty()) return plan.timeline;
  return &own.emplace(plan.values.trace);
}

}  // namespace

struct adopted_rank::parts {
  parts(const launch_plan& wanted, const equipment& attach_services, std::unique_ptr<connected_job> with)
      : connected(std::move(with)),
        plan(wanted),
        places(places_of_job::of_adopted_rank(plan)),
        running(plan, places, timeline_of(plan, own_timeline), attach_services),
        watch(running) {}

  const std::unique_ptr<connected_job> connected;
  const launch_plan plan;
  const places_of_job places;
  std::optional<trace_file> own_timeline;
  rank_job running;
  watching_thread watch;
  std::optional<rank_on_this_thread> here;
  std::optional<thread_binding> bound;
  std::optional<share_of_rank> share;
};

std::unique_ptr<adopted_rank> adopted_rank::of_all_processes(launch_plan plan, const equipment& attach_services) {
  prepare_to_run(plan, "pure::adopt");
  plan.ranks = processes_started();
  auto connected = std::make_unique<connected_job>(plan.values, plan.ranks);
  connected->complete(plan);
  const char* const mapping = environment_variable("PURE_MAP_BY");
  plan.binds_adopted = plan.ranks > 1 || (mapping != nullptr && *mapping != '\0');
  return std::unique_ptr<adopted_rank>(new adopted_rank(plan, attach_services, std::move(connected)));
}

adopted_rank::adopted_rank(const launch_plan& plan, const equipment& attach_services)
    : adopted_rank(plan, attach_services, nullptr) {}

adopted_rank::adopted_rank(const launch_plan& plan, const equipment& attach_services,
                           std::unique_ptr<connected_job> connected) {
  prepare_to_run(plan, "pure::adopt");
  ranks_start_now(plan);
  parts_ = std::make_unique<parts>(plan, attach_services, std::move(connected));
  parts_->running.start_helpers();
  parts_->here.emplace(self(), thread_name::own);
  bind_to(parts_->places.all.front());
  if (!parts_->running.running().ending()) return;
  // Some helper has no thread. Where that ends the process, nobody comes here.
  leave_job();
  std::rethrow_exception(std::exchange(parts_, nullptr)->running.finish().failure);
}

void adopted_rank::bind_to(const rank_place& place) {
  if (place.cpus.empty()) return;
  parts_->bound.emplace(are_new_threads_seen() ? place.cpus : place.share);
  if (are_new_threads_seen()) parts_->share.emplace(place.cpus, place.share);
}

adopted_rank::~adopted_rank() {
  if (parts_ == nullptr) return;
  if (is_forked_child()) {  // its threads are not there
    static_cast<void>(parts_.release());
    return;
  }
  const std::string text = fmt::format("rank {} has left the job without its end", self().number());
  if (!is_own_thread_of(self())) end_process(text + ", and another thread has dropped it", 1);
  parts_->running.running().fail(text, 1);
  leave_job();
}

rank_context& adopted_rank::self() const noexcept { return parts_->running.first_worker(); }

void adopted_rank::leave_job() noexcept {
  parts_->share.reset();
  parts_->bound.reset();
  parts_->here.reset();
  parts_->watch.join();
}

outcome adopted_rank::end(int status) {
  if (is_forked_child()) throw Error(errc::state, forked_child_text());
  if (parts_ == nullptr || !is_own_thread_of(self())) {
    throw Error(errc::state, parts_ == nullptr ? "the rank has ended already"
                                               : "only the thread that is the rank can end it, outside of tasks");
  }
  parts_->running.note_status(status);
  parts_->here->end_main(frames_of_main::kept);
  leave_job();
  return std::exchange(parts_, nullptr)->running.finish();
}

}  // namespace pure::core
