// What a thread knows of the cpu that others have had, beside a thread that computes on the same one.
#include "runtime/lost_cpu_time.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "runtime/activity.hpp"
#include "runtime/current_rank.hpp"

namespace pure::core {
namespace lost_cpu_times {  // of its own, for files are compiled together
namespace {

constexpr std::int64_t ms = 1'000'000;

void compute_for(std::int64_t ns) {
  for (const std::int64_t until = now_ns() + ns; now_ns() < until;) std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// While it lives, the calling thread has one cpu, on which another thread computes.
class shared_cpu {
 public:
  shared_cpu() {
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    EXPECT_EQ(sched_setaffinity(0, sizeof here, &here), 0);
    other_ = std::thread([this] {  // on the same cpus as who made it
      while (!is_over_.load(std::memory_order_relaxed)) std::atomic_signal_fence(std::memory_order_seq_cst);
    });
  }
  shared_cpu(const shared_cpu&) = delete;
  shared_cpu& operator=(const shared_cpu&) = delete;
  ~shared_cpu() {
    is_over_.store(true, std::memory_order_relaxed);
    other_.join();
    EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0);
  }

 private:
  cpu_set_t before_;
  std::atomic<bool> is_over_{false};
  std::thread other_;
};

TEST(lost_cpu_time, is_what_others_have_had) {
  std::thread([] {  // not the process's first thread, which sleeps
    const shared_cpu beside;
    lost_cpu_clock lost;
    const std::int64_t lost_ns = lost.ns();
    const std::uint64_t preempted = times_preempted();
    const std::int64_t start_ns = now_ns();
    compute_for(100 * ms);
    const std::int64_t more_ns = lost.ns() - lost_ns;
    EXPECT_GT(more_ns, 20 * ms);
    EXPECT_LE(more_ns, now_ns() - start_ns);
    EXPECT_GT(times_preempted(), preempted);
  })
      .join();
}

TEST(lost_cpu_time, has_one_file_and_leaves_that_of_a_program_under_its_number_alone) {
  const auto next_number = [] {
    const int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
  };
  const int number = next_number();
  {
    lost_cpu_clock lost;
    EXPECT_EQ(next_number(), number) << "nothing is open before its first use";
    const std::int64_t first_ns = lost.ns();
    EXPECT_GT(next_number(), number);
    const int kept = next_number();
    EXPECT_GE(lost.ns(), first_ns);
    EXPECT_EQ(next_number(), kept) << "the same file";
    close(number);
    const std::int64_t last_ns = lost.ns();
    ASSERT_EQ(open("/dev/null", O_RDONLY), number);
    EXPECT_EQ(lost.ns(), last_ns) << "it is another file";
  }
  EXPECT_GT(next_number(), number) << "which is not closed";
  close(number);
}

std::vector<trace_event> losses_of(const activity& log) {
  std::vector<trace_event> found;
  log.for_each_event([&](const trace_event& each) {
    if (each.kind == trace_event::type::lost) found.push_back(each);
  });
  return found;
}

void add_event(activity& log) { log.add({.end_ns = now_ns(), .kind = trace_event::type::send}); }

TEST(lost_cpu_time, is_in_the_timeline_between_its_events) {
  const shared_cpu beside;
  activity log(100);
  compute_for(30 * ms);
  add_event(log);
  EXPECT_TRUE(losses_of(log).empty()) << "nobody has asked for it";
  const std::int64_t start_ns = now_ns();
  log.watch_lost_cpu();
  compute_for(50 * ms);
  add_event(log);
  const std::vector<trace_event> found = losses_of(log);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(found[0].start_ns, start_ns);
  EXPECT_GE(found[0].end_ns, start_ns + 50 * ms);
  EXPECT_GT(found[0].amount, static_cast<std::uint64_t>(5 * ms));
  EXPECT_LE(found[0].amount, static_cast<std::uint64_t>(found[0].end_ns - start_ns));
}

TEST(lost_cpu_time, in_the_timeline_begins_at_the_last_look_also_where_that_has_found_nothing) {
  activity log(100);
  log.watch_lost_cpu();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // which is no loss
  const std::int64_t looked_ns = now_ns();
  add_event(log);
  const std::size_t before = losses_of(log).size();
  const shared_cpu beside;
  compute_for(50 * ms);
  add_event(log);
  const std::vector<trace_event> found = losses_of(log);
  ASSERT_EQ(found.size(), before + 1);
  EXPECT_GE(found.back().start_ns, looked_ns);
}

TEST(lost_cpu_time, of_a_guest_is_not_that_of_the_worker) {
  const shared_cpu beside;
  activity log(100);
  log.watch_lost_cpu();
  is_guest_thread = true;
  compute_for(50 * ms);
  add_event(log);
  is_guest_thread = false;
  EXPECT_TRUE(losses_of(log).empty());
}

TEST(lost_cpu_time, is_no_event_where_no_timeline_is_kept) {
  activity log(0);
  log.watch_lost_cpu();
  add_event(log);
  EXPECT_TRUE(losses_of(log).empty());
  EXPECT_EQ(log.dropped(), 0U);
}

}  // namespace
}  // namespace lost_cpu_times
}  // namespace pure::core
