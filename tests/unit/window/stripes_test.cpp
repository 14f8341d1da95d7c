// The locks under which elements are changed: step by step; and that every atomic operation has those of all its bytes,
// also where an element goes across the end of a stripe, in one process and between processes.
#include "window/stripe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "support/checked_windows.hpp"
#include "window/element_operations.hpp"
#include "window/target_control.hpp"

namespace pure::core {
namespace {

using namespace test_support;
using tried = element_stripes::outcome;

constexpr std::size_t stripe_bytes = target_control::stripe_bytes;

TEST(stripes, one_holds_it) {
  stripe one;
  EXPECT_TRUE(one.try_lock());
  EXPECT_FALSE(one.try_lock());
  EXPECT_FALSE(one.unlock()) << "nobody sleeps";
  EXPECT_TRUE(one.try_lock());
  EXPECT_FALSE(one.try_lock_or_sleep());
  EXPECT_FALSE(one.try_lock());
  EXPECT_TRUE(one.unlock());
  EXPECT_TRUE(one.try_lock_or_sleep());
  EXPECT_TRUE(one.unlock()) << "others may have slept before";
  EXPECT_TRUE(one.try_lock());
}

TEST(stripes, both_or_none) {
  stripe a, b;
  element_stripes both(a, b);
  ASSERT_EQ(both.try_lock(), tried::locked);
  EXPECT_FALSE(a.try_lock());
  EXPECT_FALSE(b.try_lock());
  EXPECT_FALSE(both.unlock());
  for (stripe* const held : {&a, &b}) {
    ASSERT_TRUE(held->try_lock());
    EXPECT_EQ(both.try_lock(), tried::vain);
    EXPECT_EQ(both.try_lock(), tried::vain);
    stripe& other = held == &a ? b : a;
    EXPECT_TRUE(other.try_lock()) << "it has kept one";
    EXPECT_FALSE(other.unlock());
    EXPECT_FALSE(held->unlock());
    ASSERT_EQ(both.try_lock(), tried::locked);
    EXPECT_FALSE(both.unlock());
  }
}

TEST(stripes, who_sleeps_for_both_is_woken_by_either) {
  stripe a, b;
  element_stripes both(a, b);
  ASSERT_TRUE(b.try_lock());
  // Who tries has the first one for a moment, and may have been seen there: so all are woken, itself among them, and
  // the other one is tried.
  EXPECT_EQ(both.try_lock_or_sleep(), tried::vain_and_wake);
  EXPECT_EQ(both.try_lock_or_sleep(), tried::vain);
  EXPECT_TRUE(b.unlock()) << "who sleeps is not told";
  EXPECT_EQ(both.try_lock_or_sleep(), tried::locked);
  EXPECT_FALSE(a.try_lock_or_sleep());
  EXPECT_TRUE(both.unlock());
}

TEST(stripes, one_alone) {
  stripe one;
  element_stripes its(one, one);
  ASSERT_EQ(its.try_lock(), tried::locked);
  EXPECT_EQ(its.try_lock(), tried::vain);
  EXPECT_FALSE(its.unlock());
  EXPECT_EQ(its.try_lock_or_sleep(), tried::locked);
  EXPECT_TRUE(its.unlock());
}

TEST(stripes, who_waits_for_one_looks_at_it_less_and_less_often) {
  stripe_backoff grows(true);
  std::vector<int> looks;
  for (int poll = 0; poll < 130; ++poll) {
    if (grows.is_over()) looks.push_back(poll);
  }
  EXPECT_EQ(looks, (std::vector<int>{8, 25, 58, 91, 124})) << "not at once, and at last at each 33rd";
  stripe_backoff stays(false);
  for (int poll = 0; poll < 60; ++poll) EXPECT_TRUE(stays.is_over());
}

/// The control of a target with so many bytes.
struct made_control {
  explicit made_control(std::size_t bytes)
      : memory(target_control::bytes_for(bytes) / sizeof(line) + 1), made(target_control::make(memory.data(), bytes)) {}
  struct alignas(line_bytes) line {
    std::byte bytes[line_bytes];
  };
  std::vector<line> memory;
  target_control& made;
};

TEST(stripes, every_byte_has_one) {
  made_control three(2 * stripe_bytes + 1);
  EXPECT_EQ(&three.made.stripe_of(0), &three.made.stripe_of(stripe_bytes - 1));
  EXPECT_EQ(&three.made.stripe_of(0) + 1, &three.made.stripe_of(stripe_bytes));
  EXPECT_EQ(&three.made.stripe_of(0) + 2, &three.made.stripe_of(2 * stripe_bytes));
  EXPECT_EQ(&three.made.stripe_of(0), &three.made.stripe_of(3 * stripe_bytes)) << "of no part";
  made_control none(0);  // of a dynamic window: offsets are addresses
  EXPECT_EQ(&none.made.stripe_of(0), &none.made.stripe_of(~std::size_t{0}));
  constexpr std::size_t most = target_control::most_stripes;
  made_control many((most + 1) * stripe_bytes);
  EXPECT_EQ(&many.made.stripe_of(0) + most - 1, &many.made.stripe_of(most * stripe_bytes - 1));
  EXPECT_EQ(&many.made.stripe_of(0), &many.made.stripe_of(most * stripe_bytes));
  EXPECT_EQ(target_control::bytes_for((most + 1) * stripe_bytes), target_control::bytes_for(most * stripe_bytes));
  EXPECT_LT(target_control::bytes_for((most - 1) * stripe_bytes), target_control::bytes_for(most * stripe_bytes));
}

TEST(stripes, elements_of_one_stripe_go_together_and_one_across_its_end_alone) {
  EXPECT_EQ(left_in_stripe(0, 8), stripe_bytes);
  EXPECT_EQ(left_in_stripe(1, 8), stripe_bytes - 8);  // the last one goes across
  EXPECT_EQ(left_in_stripe(stripe_bytes - 9, 8), 8U);
  EXPECT_EQ(left_in_stripe(stripe_bytes - 8, 8), 8U);
  EXPECT_EQ(left_in_stripe(stripe_bytes - 7, 8), 8U);
  EXPECT_EQ(left_in_stripe(stripe_bytes - 1, largest_element), largest_element);
  EXPECT_EQ(left_in_stripe(stripe_bytes - 1, 1), 1U);
}

// ---- operations ----------------------------------------------------------------------------------------------------

/// Rank 1 does the operation while rank 0, whose memory it is, holds one of its stripes: whether it waits for that.
void expect_wait(bool waits, std::size_t stripe, const std::function<void(one_rank)>& operation) {
  std::atomic<int> done{0};
  door how;
  how.bytes = 4 * stripe_bytes;
  how.checks = false;
  expect_no_error(errors_of(2, how, [&](one_rank at) {
    done = 0;
    at.win.lock_all(at.here("lock_all"));
    at.barrier();
    if (at.me() == 0) {
      core::stripe& held = at.win.own().control->stripe_of(stripe * stripe_bytes);
      EXPECT_TRUE(held.try_lock());
      at.turn.next();
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(waits ? 10 : 5000);
      while (done == 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // no call of Pure: it would do the operation
      EXPECT_EQ(done, waits ? 0 : 1) << stripe;
      if (held.unlock()) at.win.shared().wake_all();
    } else {
      at.turn.wait_for(1);
      operation(at);
      at.win.flush(at.here("flush"), 0);
      done = 1;
    }
    at.win.unlock_all(at.here("unlock_all"));
    at.barrier();
  }));
}

TEST(stripes, an_operation_has_those_of_all_its_bytes) {
  constexpr std::int64_t end = 2 * stripe_bytes;  // of the stripe 1
  const std::vector<std::function<void(one_rank, std::int64_t)>> operations{
      [](one_rank at, std::int64_t offset) { at.add_value(0, offset, 1); },
      [](one_rank at, std::int64_t offset) { at.swap_value(0, offset); },
      [](one_rank at, std::int64_t offset) {  // fetch_and_op
        std::int64_t one = 1, before = 0;
        const placed_message result{&before, 8, {}};
        combination how;
        how.element_bytes = 8;
        EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, how.how));
        accumulate(at.win, at.here("fetch_and_op"), {&one, 8, {}}, &result, {0, offset, 8, nullptr}, how);
        at.win.wait_for_results(at.here("fetch_and_op"), 0);
      },
      [](one_rank at, std::int64_t offset) {  // an element beside others
        const std::int64_t ones[3] = {1, 1, 1};
        combination how;
        how.element_bytes = 8;
        EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, how.how));
        accumulate(at.win, at.here("accumulate"), {const_cast<std::int64_t*>(ones), 24, {}}, nullptr,
                   {0, offset - 8, 24, nullptr}, how);
      }};
  for (const auto& each : operations) {
    expect_wait(true, 1, [&](one_rank at) { each(at, end - 4); });
    expect_wait(true, 2, [&](one_rank at) { each(at, end - 4); });
  }
  const auto& adds = operations[0];
  expect_wait(true, 1, [&](one_rank at) { adds(at, end - 8); });
  expect_wait(false, 2, [&](one_rank at) { adds(at, end - 8); });
  expect_wait(false, 1, [&](one_rank at) { adds(at, end); });
  expect_wait(false, 0, [&](one_rank at) { adds(at, end - 4); });
  expect_wait(false, 3, [&](one_rank at) { adds(at, end - 4); });
  const auto& adds_to_three = operations[3];  // aligned, of which one is before the end
  expect_wait(true, 1, [&](one_rank at) { adds_to_three(at, end); });
  expect_wait(true, 2, [&](one_rank at) { adds_to_three(at, end); });
  expect_wait(false, 1, [&](one_rank at) { adds_to_three(at, end + 8); });
}

TEST(stripes, elements_that_overlap_across_the_end_of_one_lose_nothing) {
  door how;
  how.bytes = 2 * stripe_bytes;
  how.checks = false;
  constexpr int times = 3000;
  expect_no_error(errors_of(3, how, [&](one_rank at) {
    constexpr std::int64_t end = stripe_bytes;
    combination of_4;
    of_4.element_bytes = 4;
    EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT32_T, of_4.how));
    const std::int32_t one = 1;
    const placed_message ones{const_cast<std::int32_t*>(&one), 4, {}};
    at.win.lock_all(at.here("lock_all"));
    at.barrier();
    for (int i = 0; i < times; ++i) {
      switch (at.me()) {
        case 0: at.add_value(0, end - 4, std::int64_t{1} << 32); break;  // adds 1 to the 4 bytes from `end` on
        case 1: accumulate(at.win, at.here("accumulate"), ones, nullptr, {0, end, 4, nullptr}, of_4); break;
        default: accumulate(at.win, at.here("accumulate"), ones, nullptr, {0, end - 4, 4, nullptr}, of_4);
      }
    }
    at.win.flush_all(at.here("flush"));
    at.barrier();
    at.win.unlock_all(at.here("unlock_all"));
    std::int32_t sums[2] = {};
    if (at.me() == 0) std::memcpy(sums, at.win.own().base + end - 4, 8);
    if (at.me() == 0) {
      EXPECT_EQ(sums[0], times);
      EXPECT_EQ(sums[1], 2 * times);
    }
  }));
}

}  // namespace
}  // namespace pure::core
