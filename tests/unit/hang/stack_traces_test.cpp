// Stack traces of threads that compute, sleep and are deaf; their names.
#include "hang/stack_traces.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "hang/stack_text.hpp"
#include "runtime/rank.hpp"
#include "runtime/wait.hpp"
#include "support/bare_job.hpp"

// Not in a namespace that the texts leave out.
namespace stack_traces_test {

std::atomic<int> at_work{0};
std::atomic<bool> stop{false};

__attribute__((noinline)) void compute_here() {
  ++at_work;
  while (!stop.load()) asm volatile("");
}
__attribute__((noinline)) void sleep_here() {
  ++at_work;
  while (!stop.load()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace stack_traces_test

namespace pure::core {
namespace {

using namespace stack_traces_test;
using test_support::bare_job;

std::string text_of_traces(const std::vector<stack_trace>& traces) {
  std::vector<stack_of> named;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    named.push_back({"rank " + std::to_string(i), static_cast<int>(i), traces[i]});
  }
  return stacks_text(lines_of(named));
}

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Runs work(rank) on traced threads, and ask(slots) when all have counted themselves in at_work.
template <class Work, class Ask>
void ask_while(int ranks, Work work, Ask ask) {
  at_work = 0;
  stop = false;
  bare_job job(ranks);
  std::thread asks([&] {
    while (at_work.load() < ranks) std::this_thread::yield();
    std::vector<stack_slot*> slots;
    for (int i = 0; i < ranks; ++i) slots.push_back(&job->at(i).thread().stack());
    ask(slots);
    stop = true;
  });
  job.run([&](rank_context& self) {
    const traced_thread traced(self.thread().stack());
    work(self.number());
  });
  asks.join();
}

TEST(stack_traces, of_threads_that_compute_and_sleep) {
  ask_while(
      3, [](int rank) { rank == 1 ? sleep_here() : compute_here(); },
      [](const std::vector<stack_slot*>& slots) {
        for (int i = 0; i < 20; ++i) {
          const std::string text = text_of_traces(collect_stacks(slots));
          EXPECT_TRUE(has_text(text, "stack_traces_test::compute_here()")) << text;
          EXPECT_TRUE(has_text(text, "stack_traces_test::sleep_here()")) << text;
          EXPECT_TRUE(has_text(text, "stack of rank 1:")) << text;
          EXPECT_FALSE(has_text(text, "unknown")) << text;
        }
      });
}

TEST(stack_traces, of_a_thread_that_does_not_answer_are_empty) {
  ask_while(
      2,
      [](int rank) {
        sigset_t all, before;
        sigfillset(&all);
        if (rank == 1) pthread_sigmask(SIG_SETMASK, &all, &before);
        compute_here();
        if (rank == 1) pthread_sigmask(SIG_SETMASK, &before, nullptr);  // now the late ones come
      },
      [](const std::vector<stack_slot*>& slots) {
        const std::vector<stack_trace> traces = collect_stacks(slots, 50'000'000);
        EXPECT_FALSE(traces[0].empty());
        EXPECT_TRUE(traces[1].empty());
        EXPECT_TRUE(has_text(text_of_traces(traces), "stack of rank 1: unknown")) << text_of_traces(traces);
      });
}

TEST(stack_traces, of_no_thread_take_no_time) {
  stack_slot nobody;
  stack_slot* const slots[] = {&nobody};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(collect_stacks(slots, 40'000'000'000)[0].empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

void on_program_signal(int) {}

TEST(stack_traces, leave_the_signals_of_the_program_alone) {
  std::vector<int> taken;
  for (int number = SIGRTMAX; number > SIGRTMAX - 4; --number) {
    struct sigaction there {};
    sigaction(number, nullptr, &there);
    if (there.sa_handler != SIG_DFL) continue;
    std::signal(number, on_program_signal);
    taken.push_back(number);
  }
  ask_while(
      1, [](int) { compute_here(); },
      [](const std::vector<stack_slot*>& slots) { EXPECT_FALSE(collect_stacks(slots)[0].empty()); });
  for (const int number : taken) {
    struct sigaction there {};
    sigaction(number, nullptr, &there);
    EXPECT_EQ(there.sa_handler, on_program_signal) << number;
  }
}

TEST(stack_traces, that_are_the_same_are_printed_once) {
  ask_while(
      1, [](int) { compute_here(); },
      [](const std::vector<stack_slot*>& slots) {
        const stack_trace one = collect_stacks(slots)[0];
        const std::vector<stack_of> all{{"rank 0", 0, one}, {"rank 1", 1, one}, {"rank 2", 2, one}, {"rank 5", 5, one}};
        const std::string text = stacks_text(lines_of(all));
        EXPECT_TRUE(has_text(text, "stack of ranks 0-2,5:")) << text;
      });
}

}  // namespace
}  // namespace pure::core
