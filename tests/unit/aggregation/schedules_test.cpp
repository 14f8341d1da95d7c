// The ends of phases step by step: schedules that are rare by themselves, held at the moment that counts. Most are
// twins of mutations (tests/aggregation/mutations.py): without what they ask for, phases end early, or never.
#include "aggregation/aggregation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/wait.hpp"
#include "support/aggregation_schedules.hpp"

namespace {

using namespace pure::core;
using namespace std::chrono_literals;
using namespace test_support::aggregation_schedules;
using test_support::make_channel;
using test_support::simulated_processes;

/// Of all ranks, read as those do who look for the end.
phase_counts::sums look_by_hand(const phase_counts& counts, std::size_t ranks) {
  phase_counts::sums found;
  for (std::size_t i = 0; i < ranks; ++i) found.handled += counts.of(i).handled();
  for (std::size_t i = 0; i < ranks; ++i) found.sent += counts.of(i).sent();
  return found;
}

// ---- the end of a phase ---------------------------------------------------------------------------------------------

/// Who looks has seen that rank 0 is quiet. Then rank 2 sends it an item, which it answers by one to rank 1, and it is
/// busy from then on: what rank 1 has handled must not hide what rank 0 has not.
TEST(aggregation_schedules, what_a_busy_rank_has_sent_is_counted) {
  simulated_processes one(1, 3, {.name = "busy"});
  const phase_counts& counts = one.part(0).counts();
  std::atomic<bool> may_send{false}, may_end{false};
  std::thread onlooker([&] {
    expect_soon([&] { return counts.of(0).is_quiet_in(1); }, "rank 0 is quiet");
    may_send = true;
    expect_soon([&] { return counts.of(1).is_quiet_in(1) && counts.of(1).handled() == 1; }, "rank 1 has handled one");
    expect_soon([&] { return counts.of(2).is_quiet_in(1); }, "rank 2 is quiet");
    EXPECT_FALSE(look_by_hand(counts, 3).are_equal());
    may_end = true;
  });
  one.run([&](aggregation& items) {
    item_channel* channel = nullptr;
    auto handle = [&](char, int) {
      if (items.rank() != 0) return;
      test_support::send(*channel, 'y', 1);
      items.flush(flush_call);
      comes_true([&] { return may_end.load(); });
    };
    channel = &make_channel<char>(items, handle);
    if (items.rank() == 2) {
      comes_true([&] { return may_send.load(); });
      test_support::send(*channel, 'x', 0);
    }
    finish(items);
    EXPECT_TRUE(may_end);
  });
  onlooker.join();
}

TEST(aggregation_schedules, what_a_rank_with_work_has_handled_is_not_counted) {
  simulated_processes one(1, 3, {.name = "work"});
  const phase_counts& counts = one.part(0).counts();
  std::atomic<bool> may_send{false}, works{false}, may_end{false};
  std::thread onlooker([&] {
    expect_soon([&] { return counts.of(0).is_quiet_in(1) && counts.of(1).is_quiet_in(1); }, "ranks 0 and 1 are quiet");
    may_send = true;
    expect_soon([&] { return works && counts.of(2).is_quiet_in(1); }, "rank 0 works, rank 2 is quiet");
    EXPECT_FALSE(look_by_hand(counts, 3).are_equal());
    may_end = true;
  });
  std::atomic<int> handled{0};
  one.run([&](aggregation& items) {
    bool has_work = false;
    auto handle = [&](char, int) {
      ++handled;
      has_work = items.rank() == 0;
    };
    item_channel& channel = make_channel<char>(items, handle);
    if (items.rank() == 2) {
      comes_true([&] { return may_send.load(); });
      test_support::send(channel, 'x', 0);
    }
    auto work = [&] {
      if (!std::exchange(has_work, false)) return false;
      works = true;
      comes_true([&] { return may_end.load(); });
      test_support::send(channel, 'z', 1);
      return true;
    };
    finish_with(items, work);
    EXPECT_EQ(handled, 2);
  });
  onlooker.join();
}

/// In the waits of its rank: keeps it there while it shall be late.
struct late_service final : service {
  explicit late_service(std::function<bool()> is_late) : is_late_(std::move(is_late)) {}
  bool advance() override {
    comes_true([&] { return !is_late_(); });
    return false;
  }
  std::function<bool()> is_late_;
};

/// Ranks 0 and 1 have left, and one has sent an item of the next phase, when rank 2 looks again.
TEST(aggregation_schedules, who_looks_late_leaves) {
  simulated_processes one(1, 3, {.name = "late"});
  const phase_counts& counts = one.part(0).counts();
  std::atomic<int> have_left{0};
  std::atomic<bool> has_sent{false};
  one.run([&](aggregation& items) {
    auto nothing = [](char, int) {};
    item_channel& channel = make_channel<char>(items, nothing);
    if (items.rank() == 2) {
      items.owner().services().attach(
          service_slot(0), std::make_unique<late_service>([&] { return counts.of(2).is_quiet_in(1) && !has_sent; }));
    }
    finish(items);
    if (items.rank() < 2) ++have_left;
    if (items.rank() == 0) {
      expect_soon([&] { return have_left == 2; }, "rank 1 has left");
      test_support::send(channel, 'x', 1);
      items.flush(flush_call);
      has_sent = true;
    }
    finish(items);
    EXPECT_EQ(items.stats(stats_call).phases, 2U);
  });
}

/// Process 1 knows that the phase has ended, and sends an item of the next one to process 2, which does not know yet.
TEST(aggregation_schedules, items_of_the_next_phase_are_held) {
  for (const item_scheme scheme : {item_scheme::ww, item_scheme::wps, item_scheme::pp}) {
    simulated_processes three(3, 1, {.scheme = scheme, .name = "held"});
    std::atomic<bool> may_know{false};
    three.refuse_if([&](int from, int to, packet_kind what) {
      return from == 0 && to == 2 && what == packet_kind::phase_end && !may_know;
    });
    three.run([&](aggregation& items) {
      int phase = 1;
      auto in_second = [&](char, int) { EXPECT_EQ(phase, 2); };
      item_channel& channel = make_channel<char>(items, in_second);
      finish(items);
      phase = 2;
      if (items.rank() == 1) {
        test_support::send(channel, 'x', 2);
        items.flush(flush_call);
        std::this_thread::sleep_for(20ms);  // rank 2 gets it, and may not handle it
        may_know = true;
      }
      finish(items);
      EXPECT_EQ(items.stats(stats_call).handled, items.rank() == 2 ? 1U : 0U);
    });
  }
}

TEST(aggregation_schedules, who_finds_the_end_does_not_leave_before_the_others_know) {
  simulated_processes two(2, 1, {.name = "told"});
  std::atomic<bool> is_refused{false}, has_one_left{false};
  two.refuse_if([&](int, int, packet_kind what) {
    return what == packet_kind::phase_end && !is_refused.exchange(true);  // once
  });
  two.run([&](aggregation& items) {
    finish(items);
    if (items.rank() == 1) has_one_left = true;
    expect_soon([&] { return has_one_left.load(); }, "rank 0 makes no call any more, and rank 1 leaves");
  });
  EXPECT_TRUE(is_refused);
}

/// As in the notes' schedule: sums of what quiet ranks know are equal while ranks 0 and 3 are busy; over processes,
/// too.
TEST(aggregation_schedules, nobody_leaves_while_handlers_are_busy) {
  for (const int processes : {1, 5}) {
    const int each = 5 / processes;
    simulated_processes simulated(processes, each, {.scheme = item_scheme::wps, .name = "busy"});
    std::atomic<int> at_one{0};
    std::atomic<bool> zero_is_busy{false}, three_is_busy{false}, may_end{false};
    const auto all_is_set = [&] { return zero_is_busy && three_is_busy && at_one == 3; };
    std::thread ender([&] {
      expect_soon(all_is_set, "two ranks are busy");
      std::this_thread::sleep_for(30ms);
      may_end = true;
    });
    simulated.run([&](aggregation& items) {
      item_channel* channel = nullptr;
      auto handle = [&](int what, int) {
        if (what == 0 && items.rank() == 1) ++at_one;
        for (int i = 0; what == 1 && i < 3; ++i) test_support::send(*channel, 0, 1);
        if (what == 2) test_support::send(*channel, 0, 3);
        items.flush(flush_call);
        if (what == 1) zero_is_busy = true;
        if (what == 3) three_is_busy = true;
        if (what == 1 || what == 3) comes_true([&] { return may_end.load(); });
      };
      channel = &make_channel<int>(items, handle);
      if (items.rank() == 4) {
        test_support::send(*channel, 3, 3);
        test_support::send(*channel, 1, 0);
        items.flush(flush_call);
        comes_true([&] {
          items.progress(progress_call);  // over processes somebody has to move packets
          return all_is_set();
        });
        test_support::send(*channel, 2, 2);
      }
      finish(items);
      EXPECT_TRUE(may_end) << "rank " << items.rank() << " of " << processes << " processes left early";
    });
    ender.join();
  }
}

}  // namespace
