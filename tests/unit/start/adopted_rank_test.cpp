// A thread that is there already is a rank from begin to end: alone, in each of two processes over the loopback
// network, and where the job fails or the rank leaves without its end.
#include "start/adopted_rank.hpp"

#include <pure.h>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <pure/error.hpp>

#include "base/open_accounts.hpp"
#include "gateway/gateway.hpp"
#include "hang/stack_traces.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/job.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/loopback_network.hpp"

namespace pure::core {
namespace {

/// A job of this process alone.
launch_plan alone(failure_action action = failure_action::throw_to_caller) {
  launch_plan plan;
  plan.ranks = 1;
  plan.action = action;
  return plan;
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

std::string name_of_this_thread_here() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

int cpus_of_this_thread() {
  cpu_set_t all;
  return pthread_getaffinity_np(pthread_self(), sizeof all, &all) == 0 ? CPU_COUNT(&all) : 0;
}

stack_t signal_stack() {
  stack_t now{};
  sigaltstack(nullptr, &now);
  return now;
}

/// Nobody has sent the message.
void wait_for_ever() {
  int got = 0;
  pure_recv_msg(&got, 1, PURE_INT, 0, 1, PURE_COMM_WORLD);
}

TEST(adopted_rank_alone, is_the_calling_thread_until_the_end) {
  const std::string name = name_of_this_thread_here();
  ASSERT_EQ(core::self(), nullptr);
  adopted_rank rank(alone(), attach_services);
  EXPECT_EQ(core::self(), &rank.self());
  EXPECT_EQ(rank.self().number(), 0);
  EXPECT_EQ(rank.self().owner().size(), 1);
  EXPECT_EQ(pure_size(), 1);
  EXPECT_EQ(name_of_this_thread_here(), name) << "the thread keeps it";
  const outcome end = rank.end();
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.failure, nullptr);
  EXPECT_EQ(core::self(), nullptr);
  EXPECT_EQ(name_of_this_thread_here(), name);
}

TEST(adopted_rank_alone, communicates) {
  adopted_rank rank(alone(), attach_services);
  const int sent = 42;
  int got = 0;
  pure_request receiving = PURE_REQUEST_NULL;
  ASSERT_EQ(pure_irecv_msg(&got, 1, PURE_INT, 0, 7, PURE_COMM_WORLD, &receiving), PURE_SUCCESS);
  ASSERT_EQ(pure_send_msg(&sent, 1, PURE_INT, 0, 7, PURE_COMM_WORLD), PURE_SUCCESS);
  ASSERT_EQ(pure_wait(&receiving, PURE_STATUS_IGNORE), PURE_SUCCESS);
  EXPECT_EQ(got, 42);
  int sum = 0;
  ASSERT_EQ(pure_allreduce(&sent, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD), PURE_SUCCESS);
  EXPECT_EQ(sum, 42);
  EXPECT_EQ(rank.end().status, 0);
}

TEST(adopted_rank_alone, hands_on_what_its_main_returns) {
  adopted_rank rank(alone(), attach_services);
  EXPECT_EQ(rank.end(3).status, 3);
}

TEST(adopted_rank_alone, leaves_nothing_behind_and_may_begin_again) {
  const std::ptrdiff_t threads = threads_of_process();
  const stack_t before = signal_stack();
  for (int time = 0; time < 3; ++time) {
    adopted_rank rank(alone(), attach_services);
    EXPECT_EQ(threads_of_process(), threads + 1) << "the watch";
    EXPECT_EQ(foreign_threads(), 0) << "both are known";
    EXPECT_NE(signal_stack().ss_sp, before.ss_sp) << "of the rank";
    EXPECT_EQ(rank.end().status, 0);
    EXPECT_EQ(threads_of_process(), threads);
    EXPECT_EQ(signal_stack().ss_sp, before.ss_sp);
    EXPECT_EQ(signal_stack().ss_flags, before.ss_flags);
    const outcome others = run_ranks({.values = {}, .ranks = 2}, attach_services, [](rank_context&) { return 0; });
    EXPECT_EQ(others.status, 0) << "ranks of their own threads, in between";
  }
}

TEST(adopted_rank_alone, gives_the_thread_back_the_signal_stack_that_it_had) {
  std::vector<char> memory(65'536);
  stack_t own{}, before{}, now{};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  ASSERT_EQ(sigaltstack(&own, &before), 0);
  {
    adopted_rank rank(alone(), attach_services);
    EXPECT_NE(signal_stack().ss_sp, own.ss_sp);
    rank.end();
  }
  sigaltstack(&before, &now);
  EXPECT_EQ(now.ss_sp, own.ss_sp);
}

TEST(adopted_rank_alone, has_a_watch_that_takes_none_of_the_programs_signals) {
  adopted_rank rank(alone(), attach_services);
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(each.path() / "status");
    std::string line, name, blocked;
    while (std::getline(status, line)) {
      if (line.starts_with("Name:")) name = line.substr(6);
      if (line.starts_with("SigBlk:")) blocked = line.substr(8);
    }
    if (name != "pure watch") continue;
    names.push_back(name);
    const std::uint64_t mask = std::stoull(blocked, nullptr, 16);
    for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD, SIGPROF})
      EXPECT_NE(mask >> (signal - 1) & 1, 0U) << signal;
  }
  EXPECT_EQ(names.size(), 1U);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGTERM), 0) << "the rank still takes them";
  rank.end();
}

TEST(adopted_rank_alone, shows_its_stack_while_it_computes) {
  adopted_rank rank(alone(), attach_services);
  stack_slot* const slot = &rank.self().thread().stack();
  std::atomic<bool> has_asked{false};
  std::vector<stack_trace> traces;
  std::thread asks([&] {
    traces = collect_stacks(std::span<stack_slot* const>(&slot, 1));
    has_asked = true;
  });
  while (!has_asked) continue;  // computes
  asks.join();
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_FALSE(traces[0].empty());
  rank.end();
}

TEST(adopted_rank_alone, is_bound_while_it_is_a_rank_if_somebody_has_asked) {
  const int all = cpus_of_this_thread();
  launch_plan plan = alone();
  plan.values.cpus_per_rank = 1;  // its threads' share, on which this one runs where it cannot give it to new ones
  for (const bool is_asked : {false, true}) {
    plan.binds_adopted = is_asked;
    adopted_rank rank(plan, attach_services);
    EXPECT_EQ(cpus_of_this_thread(), is_asked ? 1 : all);
    rank.end();
    EXPECT_EQ(cpus_of_this_thread(), all);
  }
}

TEST(adopted_rank_alone, may_have_helpers) {
  launch_plan plan = alone();
  plan.values.helpers = "1";
  const std::ptrdiff_t threads = threads_of_process();
  adopted_rank rank(plan, attach_services);
  EXPECT_EQ(rank.self().owner().workers(), 2);
  EXPECT_EQ(threads_of_process(), threads + 2);
  EXPECT_EQ(rank.end().status, 0);
  EXPECT_EQ(threads_of_process(), threads);
}

// ---- what is refused ----

TEST(adopted_rank_refusals, a_rank_cannot_begin_nor_start_ranks) {
  adopted_rank rank(alone(), attach_services);
  EXPECT_THROW(adopted_rank(alone(), attach_services), Error);
  EXPECT_THROW(run_ranks(alone(), attach_services, [](rank_context&) { return 0; }), Error);
  EXPECT_EQ(core::self(), &rank.self());
  EXPECT_EQ(rank.end().status, 0);
}

TEST(adopted_rank_refusals, no_other_thread_can_end_it_and_nobody_twice) {
  adopted_rank rank(alone(), attach_services);
  std::thread([&] { EXPECT_THROW(rank.end(), Error); }).join();
  EXPECT_EQ(rank.end().status, 0);
  EXPECT_THROW(rank.end(), Error);
}

TEST(adopted_rank_refusals, a_forked_child_is_no_rank_and_takes_nothing_down) {
  auto rank = std::make_unique<adopted_rank>(alone(), attach_services);
  const pid_t child = fork();
  if (child == 0) {
    bool is_refused = core::self() == nullptr;
    try {
      rank->end();
      is_refused = false;
    } catch (const Error&) {
    }
    rank.reset();
    _exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rank->end().status, 0);
}

// ---- failures ----

TEST(adopted_rank_fails, a_wait_for_ever_is_left_and_the_end_says_why) {
  adopted_rank rank(alone(), attach_services);
  EXPECT_THROW(wait_for_ever(), job_ended);
  EXPECT_EQ(core::self(), &rank.self()) << "still";
  const outcome end = rank.end();
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.failure_text.find("deadlock"), std::string::npos) << end.failure_text;
  EXPECT_NE(end.failure, nullptr);
  EXPECT_EQ(core::self(), nullptr);
  adopted_rank again(alone(), attach_services);
  EXPECT_EQ(again.end().status, 0);
}

TEST(adopted_rank_fails, who_computes_learns_of_it_at_the_end) {
  adopted_rank rank(alone(), attach_services);
  std::thread([&] { rank.self().owner().fail("no more", 5); }).join();
  const outcome end = rank.end();
  EXPECT_EQ(end.status, 5);
  EXPECT_EQ(end.failure_text, "no more");
}

TEST(adopted_rank_fails, one_that_is_dropped_without_its_end_has_failed_and_is_taken_down) {
  const std::ptrdiff_t threads = threads_of_process();
  { const adopted_rank rank(alone(), attach_services); }
  EXPECT_EQ(core::self(), nullptr);
  EXPECT_EQ(threads_of_process(), threads);
  adopted_rank again(alone(), attach_services);
  EXPECT_EQ(again.end().status, 0);
}

TEST(adopted_rank_fails, a_helper_that_cannot_be_started_is_not_waited_for) {
  launch_plan plan = alone();
  plan.values.helpers = "1";
  plan.values.stack_bytes = std::size_t{1} << 50;
  EXPECT_THROW(adopted_rank(plan, attach_services), Error);
  EXPECT_EQ(core::self(), nullptr);
  adopted_rank again(alone(), attach_services);
  EXPECT_EQ(again.end().status, 0);
}

/// In a child, whose only thread it is.
template <class Leave>
void leave_without_end(Leave leave, const char* helpers = "0") {
  launch_plan plan = alone(failure_action::end_process);
  plan.values.helpers = helpers;
  auto rank = std::make_unique<adopted_rank>(plan, attach_services);
  leave(rank);
}

TEST(adopted_rank_death, to_leave_without_the_end_is_a_failure_of_the_job) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave_without_end([](auto&) { std::exit(0); }), testing::ExitedWithCode(1), "rank 0 called exit\\(0\\)");
  EXPECT_EXIT(leave_without_end([](auto&) { std::exit(3); }), testing::ExitedWithCode(3), "rank 0 called exit\\(3\\)");
  EXPECT_EXIT(leave_without_end([](auto&) { _exit(0); }), testing::ExitedWithCode(1), "rank 0 called _exit\\(0\\)");
  EXPECT_EXIT(leave_without_end([](auto& rank) { rank.reset(); }), testing::ExitedWithCode(1),
              "rank 0 has left the job without its end");
  EXPECT_EXIT(leave_without_end([](auto& rank) { rank.reset(); }, "1"), testing::ExitedWithCode(1),
              "rank 0 has left the job without its end");
  EXPECT_EXIT(leave_without_end([](auto& rank) { std::thread([&] { rank.reset(); }).join(); }),
              testing::ExitedWithCode(1), "another thread has dropped it");
  EXPECT_EXIT(leave_without_end([](auto&) { pthread_exit(nullptr); }), testing::ExitedWithCode(1),
              "rank 0 called pthread_exit");
  EXPECT_EXIT(leave_without_end([](auto&) { wait_for_ever(); }), testing::ExitedWithCode(1), "deadlock");
  EXPECT_EXIT(leave_without_end([](auto& rank) {
                rank->end();
                std::exit(7);
              }),
              testing::ExitedWithCode(7), "");
}

// ---- two processes ----

/// Each is a thread, which is adopted as the rank of its process.
class two_adopted {
 public:
  template <class Body>
  void run(Body body) {
    std::vector<std::thread> processes;
    for (int process = 0; process < 2; ++process) processes.emplace_back([this, process, &body] { be(process, body); });
    for (std::thread& each : processes) each.join();
  }

 private:
  template <class Body>
  void be(int process, Body& body) {
    gateway others(rank_placement::block(2, 2), world_.end(process));
    launch_plan plan;
    plan.others = &others;
    plan.shares_cores = true;
    plan.has_own_cores = false;
    adopted_rank rank(plan, attach_services);
    EXPECT_EQ(core::self(), &rank.self());
    EXPECT_EQ(rank.self().number(), process);
    EXPECT_EQ(rank.self().owner().size(), 2);
    body(process);
    EXPECT_EQ(rank.end().status, 0);
    EXPECT_EQ(core::self(), nullptr);
    open_accounts accounts;
    others.add_open_accounts(accounts);
    EXPECT_EQ(accounts.text(), "");
  }

  test_support::loopback_world world_{2};
};

TEST(adopted_ranks_of_two_processes, exchange_messages_of_all_sizes) {
  two_adopted both;
  both.run([](int own) {
    for (const int count : {1, 100, 50'000}) {
      const std::vector<int> sent(static_cast<std::size_t>(count), own + count);
      std::vector<int> got(sent.size());
      ASSERT_EQ(pure_sendrecv_msg(sent.data(), count, PURE_INT, 1 - own, 5, got.data(), count, PURE_INT, 1 - own, 5,
                                  PURE_COMM_WORLD, PURE_STATUS_IGNORE),
                PURE_SUCCESS);
      EXPECT_EQ(got, std::vector<int>(sent.size(), 1 - own + count));
    }
  });
}

TEST(adopted_ranks_of_two_processes, have_collectives) {
  two_adopted both;
  both.run([](int own) {
    for (int i = 0; i < 20; ++i) {
      const int term = own + i;
      int sum = -1;
      ASSERT_EQ(pure_allreduce(&term, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD), PURE_SUCCESS);
      EXPECT_EQ(sum, 2 * i + 1);
    }
  });
}

TEST(adopted_ranks_of_two_processes, end_together_though_one_is_long_before_the_other) {
  two_adopted both;
  std::atomic<bool> is_late{false};
  both.run([&](int own) {
    if (own == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      is_late = true;
      const int sent = 9;
      ASSERT_EQ(pure_send_msg(&sent, 1, PURE_INT, 0, 3, PURE_COMM_WORLD), PURE_SUCCESS);
      return;
    }
    static int got;  // received after this function has returned, if the other one is late enough
    pure_request receiving = PURE_REQUEST_NULL;
    ASSERT_EQ(pure_irecv_msg(&got, 1, PURE_INT, 1, 3, PURE_COMM_WORLD, &receiving), PURE_SUCCESS);
    ASSERT_EQ(pure_wait(&receiving, PURE_STATUS_IGNORE), PURE_SUCCESS);
    EXPECT_TRUE(is_late);
  });
}

}  // namespace
}  // namespace pure::core
