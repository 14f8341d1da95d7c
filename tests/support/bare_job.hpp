// A job on plain threads whose ranks have no services, or those that a test attaches: for tests of waiting, parking and
// what lies below matching, and of what depends on how ranks wait, which launching decides by the machine.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "base/settings.hpp"
#include "hang/watch.hpp"
#include "runtime/heavy_fence.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace test_support {

/// Ranks that park as soon as they wait.
inline constexpr pure::core::wait_policy impatient{.pauses_per_poll = 0, .yields = false, .spin_ns = 0};

/// Who waits, in reports.
inline constexpr pure::core::call by_a_test{"a_test", {}};

class bare_job {
 public:
  using equipment = std::function<void(pure::core::rank_context&)>;

  /// `ranks`: those here. `others`: the processes of the rest; outlives the job.
  explicit bare_job(
      int ranks, pure::core::settings values = {}, pure::core::wait_policy how = impatient,
      const equipment& attach_services = [](pure::core::rank_context&) {},
      pure::core::other_processes* others = nullptr)
      : job_(std::move(values), std::vector<pure::core::wait_policy>(static_cast<std::size_t>(ranks), how),
             pure::core::failure_action::throw_to_caller, attach_services, 0, {}, others) {
    job_.observe_by(std::make_unique<pure::core::hang_watch>(job_));
    pure::core::prepare_heavy_fence();
  }

  pure::core::job& operator*() { return job_; }
  pure::core::job* operator->() { return &job_; }

  /// Runs body(rank) on a thread for each rank here, all starting at the same time, until all have ended.
  template <class Body>
  void run(Body body) {
    std::atomic<int> missing{job_.ranks_here()};
    std::vector<std::thread> threads;
    for (int i = 0; i < job_.ranks_here(); ++i) {
      threads.emplace_back([&, i] {
        pure::core::rank_context& self = job_.worker(i);
        pure::core::current_rank = &self;
        missing.fetch_sub(1);
        while (missing.load() > 0) std::this_thread::yield();
        try {
          body(self);
        } catch (const pure::core::job_ended&) {  // the test looks at the job
        }
        job_.rank_returned(self);
        pure::core::current_rank = nullptr;
      });
    }
    for (std::thread& each : threads) each.join();
  }

 private:
  pure::core::job job_;
};

}  // namespace test_support
