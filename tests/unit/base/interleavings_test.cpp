// The explorer of interleavings finds what it has to find, in programs whose answers are known, and nothing else.
#include "support/interleavings.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pure::core {
namespace litmus {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

/// Data behind a flag: the litmus test MP.
template <std::memory_order Store, std::memory_order Load>
struct message final : program {
  void run(int thread) override {
    if (thread == 0) {
      data.write(1);
      flag.store(1, Store);
    } else if (flag.load(Load) == 1) {
      require(data.read() == 1, "old data");
    }
  }
  checked<int> data;
  model_atomic<int> flag{0};
};

TEST(interleavings, data_behind_a_flag_needs_both_orders) {
  constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                 release = std::memory_order_release;
  const verdict right = explore<message<release, acquire>>({}, 2);
  EXPECT_EQ(right.failure, "");
  EXPECT_GE(right.executions, 2U);
  EXPECT_TRUE(right.is_complete);
  EXPECT_NE((explore<message<relaxed, acquire>>({}, 2)).failure.find("data race"), std::string::npos);
  EXPECT_NE((explore<message<release, relaxed>>({}, 2)).failure.find("data race"), std::string::npos);
}

std::set<std::pair<int, int>> outcomes;

/// The litmus test SB: both may load 0, but not without a stale load.
struct store_buffering final : program {
  void run(int thread) override {
    (thread == 0 ? x : y).store(1, std::memory_order_release);
    (thread == 0 ? first : second) = (thread == 0 ? y : x).load(std::memory_order_acquire);
  }
  void at_end() override { outcomes.emplace(first, second); }
  model_atomic<int> x{0}, y{0};
  int first = 0, second = 0;
};

TEST(interleavings, loads_may_be_stale) {
  outcomes.clear();
  explore<store_buffering>({.stale_loads = 0}, 2);
  EXPECT_EQ(outcomes, (std::set<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 1}}));
  explore<store_buffering>({.stale_loads = 1}, 2);
  EXPECT_EQ(outcomes.size(), 4U);
}

/// Two loads of one atomic: never the newer value first (coherence, CoRR).
struct coherence final : program {
  void run(int thread) override {
    if (thread == 0) {
      x.store(1, std::memory_order_relaxed);
      x.store(2, std::memory_order_relaxed);
      return;
    }
    const int first = x.load(std::memory_order_relaxed);
    require(first <= x.load(std::memory_order_relaxed), "backwards");
  }
  model_atomic<int> x{0};
};

TEST(interleavings, an_atomic_never_goes_backwards) {
  EXPECT_EQ(explore<coherence>({.preemptions = 4, .stale_loads = 4}, 2).failure, "");
}

template <bool IsAtomic>
struct counter final : program {
  void run(int) override {
    if (IsAtomic) {
      x.fetch_add(1, std::memory_order_relaxed);
    } else {
      x.store(x.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  void at_end() override { require(x.load(std::memory_order_relaxed) == 3, "an addition is lost"); }
  model_atomic<int> x{0};
};

TEST(interleavings, additions_in_two_steps_are_lost) {
  EXPECT_EQ(explore<counter<true>>({}, 3).failure, "");
  EXPECT_NE(explore<counter<false>>({.stale_loads = 0}, 3).failure.find("an addition is lost"), std::string::npos);
  EXPECT_EQ(explore<counter<false>>({.preemptions = 0, .stale_loads = 0}, 3).failure, "") << "one after the other";
}

/// A release sequence: who acquires a read-modify-write has what was released before it (C++20, 6.9.2.2).
struct sequence final : program {
  void run(int thread) override {
    if (thread == 0) {
      data.write(1);
      x.store(1, std::memory_order_release);
    } else if (thread == 1) {
      x.fetch_add(1, std::memory_order_relaxed);
    } else if (x.load(std::memory_order_acquire) == 2) {
      require(data.read() == 1, "old data");
    }
  }
  checked<int> data;
  model_atomic<int> x{0};
};

TEST(interleavings, read_modify_writes_go_on_with_a_release) {
  EXPECT_EQ(explore<sequence>({.preemptions = 3}, 3).failure, "");
}

/// A wake-up that comes between the look and the sleep is lost, unless the sleep is announced before.
template <bool IsAnnounced>
struct wake_up final : program {
  void run(int thread) override {
    if (thread == 1) {
      x.store(1, std::memory_order_relaxed);
      owner.wake();
      return;
    }
    if (IsAnnounced) owner.announce();
    const bool is_there = x.load(std::memory_order_relaxed) == 1;
    if (is_there) return;
    if (!IsAnnounced) owner.announce();
    owner.sleep();
  }
  model_atomic<int> x{0};
  parked_thread owner;
};

TEST(interleavings, a_lost_wake_up_is_found) {
  EXPECT_EQ(explore<wake_up<true>>({.stale_loads = 0}, 2).failure, "");
  const verdict lost = explore<wake_up<false>>({.stale_loads = 0}, 2);
  EXPECT_EQ(lost.failure.find("a thread waits for ever"), 0U);
  EXPECT_NE(lost.failure.find("in execution"), std::string::npos) << "and which";
}

struct endless final : program {
  void run(int) override {
    while (x.load(std::memory_order_relaxed) == 0) {
    }
  }
  model_atomic<int> x{0};
};

TEST(interleavings, threads_that_go_on_for_ever_are_found) {
  EXPECT_EQ(explore<endless>({}, 1).failure.find("the threads go on for ever"), 0U);
}

struct one_step final : program {
  void run(int) override { x.fetch_add(1, std::memory_order_relaxed); }
  model_atomic<int> x{0};
};

TEST(interleavings, more_threads_than_clocks_are_refused) {
  EXPECT_EQ(explore<one_step>({.preemptions = 0}, most_threads).executions, 24U) << "one after the other: 4! orders";
  EXPECT_THROW(explore<one_step>({}, most_threads + 1), std::length_error);
  EXPECT_THROW(explore<one_step>({}, 0), std::length_error);
}

TEST(interleavings, what_is_left_out_is_said) {
  const verdict some = explore<counter<true>>({.most_executions = 2}, 3);
  EXPECT_FALSE(some.is_complete);
  EXPECT_EQ(some.executions, 2U);
}

}  // namespace
}  // namespace litmus
}  // namespace pure::core
