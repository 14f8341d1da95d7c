// The locks and counters of windows themselves, in every order of their steps: what the models of tests/model check by
// hand-written twins, and the memory orders, which these leave out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/interleavings.hpp"
#include "window/notification.hpp"
#include "window/stripe.hpp"
#include "window/window_lock.hpp"

namespace pure::core {
namespace every_order_of_windows {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

// ---- the lock of a target ----

using lock = basic_window_lock<model_atomic>;

/// Each thread locks once, and uses the data; its kind, and whether it has waited for long already, say the arguments.
struct lock_kinds {
  std::array<lock_kind, 3> kind;
  std::array<bool, 3> has_waited;
};

template <lock_kinds These>
struct locked_data final : program {
  void run(int thread) override {
    const auto me = static_cast<std::size_t>(thread);
    lock::attempt& by = attempts[me] = {These.kind[me], These.has_waited[me] ? lock::most_tries : 0};
    lock::outcome how = wanted.try_lock(by);
    if (how == lock::outcome::vain && may()) how = wanted.try_lock(by);
    while (how == lock::outcome::vain) {
      require_one_promise();
      parked[me].announce();
      how = wanted.try_lock_or_sleep(by);
      if (how != lock::outcome::vain) {
        parked[me].stay();
        break;
      }
      parked[me].sleep();
    }
    by.is_promised = false;
    if (how == lock::outcome::locked_and_wake) wake_all();
    if (by.kind == lock_kind::exclusive) {
      data.write(data.read() + 1);
      ++exclusive_holders;
    } else {
      static_cast<void>(data.read());
    }
    if (wanted.unlock(by.kind)) wake_all();
  }
  void at_end() override {
    require(!wanted.is_held(), "somebody has it still");
    require(data.read() == exclusive_holders, "an exclusive holder");
  }
  void wake_all() {
    for (parked_thread& each : parked) each.wake();
  }

  void require_one_promise() const {
    require(std::count_if(attempts.begin(), attempts.end(), [](const auto& each) { return each.is_promised; }) <= 1,
            "the promise is given twice");
  }

  lock wanted;
  std::array<lock::attempt, 3> attempts{};
  checked<int> data;
  int exclusive_holders = 0;
  std::array<parked_thread, 3> parked;
};

constexpr auto one = lock_kind::exclusive, many = lock_kind::shared;

TEST(interleavings_window, locks_of_two) {
  expect_right(explore<locked_data<lock_kinds{{one, one, one}, {}}>>({}, 2), 100);
  expect_right(explore<locked_data<lock_kinds{{one, many, one}, {}}>>({}, 2), 100);
}

TEST(interleavings_window, locks_of_three) {
  expect_right(explore<locked_data<lock_kinds{{one, many, many}, {}}>>({.stale_loads = 0}, 3), 1000);
  expect_right(explore<locked_data<lock_kinds{{one, one, many}, {true, true, false}}>>({.stale_loads = 0}, 3), 1000);
  expect_right(explore<locked_data<lock_kinds{{one, one, one}, {true, true, true}}>>({.stale_loads = 0}, 3), 1000);
}

// ---- stripes ----

using one_stripe = basic_stripe<model_atomic>;
using stripes = basic_element_stripes<model_atomic>;

/// Thread 0 changes an element under both, as does thread 1; thread 2 one under the second one only.
struct striped_data final : program {
  void run(int thread) override {
    const auto me = static_cast<std::size_t>(thread);
    stripes its(thread == 2 ? all[1] : all[0], all[1]);
    stripes::outcome how = its.try_lock();
    if (how == stripes::outcome::vain_and_wake) wake_all();
    while (how != stripes::outcome::locked) {
      parked[me].announce();
      how = its.try_lock_or_sleep();
      if (how == stripes::outcome::vain_and_wake) wake_all();
      if (how == stripes::outcome::locked) {
        parked[me].stay();
      } else {
        parked[me].sleep();
      }
    }
    if (thread != 2) data[0].write(data[0].read() + 1);
    data[1].write(data[1].read() + 1);
    if (its.unlock()) wake_all();
  }
  void wake_all() {
    for (parked_thread& each : parked) each.wake();
  }

  std::array<one_stripe, 2> all;
  std::array<checked<int>, 2> data;
  std::array<parked_thread, 3> parked;
};

TEST(interleavings_window, stripes_of_elements) {
  expect_right(explore<striped_data>({}, 2), 100);
  expect_right(explore<striped_data>({.stale_loads = 0}, 3), 1000);
}

// ---- notifications ----

using counter = basic_notification<model_atomic>;

/// Thread 0 waits for one notification of each of the others, all at once or one after the other.
template <int Notifiers>
struct notified_data final : program {
  void run(int thread) override {
    if (thread > 0) {
      data[static_cast<std::size_t>(thread)].write(thread);
      if (arrived.add()) owner.wake();
      return;
    }
    std::uint64_t taken = 0;
    const std::uint64_t step = may() ? 1 : Notifiers;
    while (taken < Notifiers) {
      if (arrived.try_take(taken, step)) continue;
      owner.announce();
      if (arrived.try_take_or_sleep(taken, step)) {
        owner.stay();
      } else {
        owner.sleep();
      }
    }
    for (int from = 1; from <= Notifiers; ++from)
      require(data[static_cast<std::size_t>(from)].read() == from, "old data");
  }
  void at_end() override { require(arrived.count() == Notifiers, "the count"); }

  counter arrived;
  std::array<checked<int>, 4> data;
  parked_thread owner;
};

TEST(interleavings_window, notifications) {
  expect_right(explore<notified_data<1>>({.preemptions = 3}, 2), 20);
  expect_right(explore<notified_data<2>>({}, 3), 1000);
}

/// Thread 0 waits for what the others store before they count it.
template <int Tellers>
struct told_data final : program {
  void run(int thread) override {
    if (thread > 0) {
      data[static_cast<std::size_t>(thread)].write(thread);
      told[static_cast<std::size_t>(thread - 1)].store(1, std::memory_order_release);
      if (count.add()) owner.wake();
      return;
    }
    const auto have_come = [&] {
      int found = 0;
      for (int from = 0; from < Tellers; ++from)
        found += told[static_cast<std::size_t>(from)].load(std::memory_order_acquire);
      return found == Tellers;
    };
    while (!have_come()) {
      owner.announce();
      if (count.look_or_sleep(have_come)) {
        owner.stay();
        break;
      }
      owner.sleep();
    }
    for (int from = 1; from <= Tellers; ++from)
      require(data[static_cast<std::size_t>(from)].read() == from, "old data");
  }

  counter count;
  std::array<model_atomic<int>, 2> told{0, 0};
  std::array<checked<int>, 4> data;
  parked_thread owner;
};

TEST(interleavings_window, looks_before_sleeps) {
  expect_right(explore<told_data<1>>({.preemptions = 3}, 2), 20);
  expect_right(explore<told_data<2>>({}, 3), 100);
}

}  // namespace
}  // namespace every_order_of_windows
}  // namespace pure::core
