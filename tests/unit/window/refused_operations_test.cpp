// Operations that turn out to be impossible when others have been called: who says so, and that nothing is kept for it.
// Only those that go by messages are refused late.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/window_ways.hpp"

namespace {

using test_support::expect_error;
using test_support::run_in;
using test_support::world;

constexpr test_support::window_way by_messages{"by messages", true, "messages"};

/// A dynamic window of three ranks, each with a process, to which nobody has attached anything.
struct empty_window {
  empty_window() { EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win)); }
  empty_window(const empty_window&) = delete;
  empty_window& operator=(const empty_window&) = delete;
  ~empty_window() { EXPECT_OK(pure_win_free(&win)); }

  /// To where nothing is. The refusal comes some time later.
  void put_to_nowhere(int rank, std::int64_t address = 4096) const {
    const std::int64_t one = 1;
    EXPECT_OK(pure_put(&one, 1, PURE_INT64_T, rank, address, 1, PURE_INT64_T, win));
    usleep(20'000);
    int flag = 0;
    EXPECT_OK(pure_win_test_notified(1, 0, win, &flag));  // polls the network
  }

  pure_win win = PURE_WIN_NULL;
};

void expect_refusal_by(int code, int rank) {
  expect_error(code, PURE_ERR_RMA_RANGE,
               {"an operation was not done: 8 bytes at address 0x1000",
                "memory that rank " + std::to_string(rank) + " has attached"});
}

void on_three(bool checks, const std::function<void(int, const empty_window&)>& program) {
  run_in(by_messages, 3, checks, [&](int me) {
    const empty_window on;
    program(me, on);
    EXPECT_OK(pure_barrier(world));
    // Whatever has happened, each rank gets each lock, and nothing is left of what was refused.
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_OK(pure_win_lock(PURE_LOCK_EXCLUSIVE, rank, 0, on.win));
      EXPECT_OK(pure_win_unlock(rank, on.win));
    }
    EXPECT_OK(pure_win_fence(PURE_MODE_NOSUCCEED, on.win));
  });
}

TEST(refused_operations, a_lock_is_taken_and_can_be_given_back) {
  for (const int type : {PURE_LOCK_SHARED, PURE_LOCK_EXCLUSIVE}) {
    on_three(false, [&](int me, const empty_window& on) {
      if (me != 0) return;
      EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, 1, 0, on.win));
      on.put_to_nowhere(1);
      EXPECT_OK(pure_win_lock(type, 2, 0, on.win));
      EXPECT_OK(pure_win_flush(2, on.win)) << "of another rank";
      EXPECT_OK(pure_win_unlock(2, on.win));
      expect_refusal_by(pure_win_unlock(1, on.win), 1);
      EXPECT_EQ(pure_win_unlock(1, on.win), PURE_ERR_RMA_SYNC) << "it has been given back";
    });
  }
}

TEST(refused_operations, an_unlock_waits_for_a_refusal_that_is_on_its_way) {
  on_three(false, [](int me, const empty_window& on) {
    if (me != 0) return;
    const std::int64_t one = 1;
    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, 1, 0, on.win));
    EXPECT_OK(pure_put(&one, 1, PURE_INT64_T, 1, 4096, 1, PURE_INT64_T, on.win));
    expect_refusal_by(pure_win_unlock(1, on.win), 1);
  });
}

TEST(refused_operations, locks_of_all_are_given_back) {
  on_three(false, [](int me, const empty_window& on) {
    if (me != 0) return;
    EXPECT_OK(pure_win_lock_all(0, on.win));
    on.put_to_nowhere(1);
    on.put_to_nowhere(2);
    expect_refusal_by(pure_win_flush(2, on.win), 2);
    EXPECT_OK(pure_win_flush(2, on.win)) << "said once";
    expect_refusal_by(pure_win_unlock_all(on.win), 1);
    EXPECT_OK(pure_win_lock_all(0, on.win));
    EXPECT_OK(pure_win_unlock_all(on.win));
  });
}

TEST(refused_operations, of_several_ranks_each_is_said) {
  on_three(false, [](int me, const empty_window& on) {
    EXPECT_OK(pure_win_lock_all(0, on.win));
    const std::int64_t values[2] = {};
    const int other = (me + 1) % 3, another = (me + 2) % 3;
    for (const int rank : {other, other, another})
      EXPECT_OK(pure_put(values, 1, PURE_INT64_T, rank, 4096, 1, PURE_INT64_T, on.win));
    expect_refusal_by(pure_win_flush_all(on.win), other < another ? other : another);
    expect_refusal_by(pure_win_flush_all(on.win), other < another ? another : other);
    EXPECT_OK(pure_win_flush_all(on.win));
    EXPECT_OK(pure_win_unlock_all(on.win));
  });
}

TEST(refused_operations, a_fence_is_left_by_all_ranks) {
  for (const bool checks : {false, true}) {
    on_three(checks, [](int me, const empty_window& on) {
      EXPECT_OK(pure_win_fence(0, on.win));
      if (me == 0) on.put_to_nowhere(1);
      const int code = pure_win_fence(PURE_MODE_NOSUCCEED, on.win);
      if (me == 0) {
        expect_refusal_by(code, 1);
      } else {
        EXPECT_OK(code);
      }
    });
  }
}

TEST(refused_operations, complete_waits_for_a_refusal_that_is_on_its_way) {
  on_three(false, [](int me, const empty_window& on) {
    pure_group all = PURE_GROUP_NULL;
    EXPECT_OK(pure_win_get_group(on.win, &all));
    const std::int64_t one = 1;
    EXPECT_OK(pure_win_post(all, 0, on.win));
    EXPECT_OK(pure_win_start(all, 0, on.win));
    if (me == 0) {
      EXPECT_OK(pure_put(&one, 1, PURE_INT64_T, 1, 4096, 1, PURE_INT64_T, on.win));
    }
    const int code = pure_win_complete(on.win);
    if (me == 0) expect_refusal_by(code, 1);
    EXPECT_OK(pure_win_wait(on.win));
    EXPECT_OK(pure_group_free(&all));
  });
}

TEST(refused_operations, complete_tells_the_targets_all_the_same) {
  on_three(false, [](int me, const empty_window& on) {
    pure_group all = PURE_GROUP_NULL;
    EXPECT_OK(pure_win_get_group(on.win, &all));
    EXPECT_OK(pure_win_post(all, 0, on.win));
    EXPECT_OK(pure_win_start(all, 0, on.win));
    on.put_to_nowhere((me + 1) % 3);
    expect_refusal_by(pure_win_complete(on.win), (me + 1) % 3);
    EXPECT_OK(pure_win_wait(on.win));
    EXPECT_EQ(pure_win_complete(on.win), PURE_ERR_RMA_SYNC) << "the epoch is over";
    EXPECT_OK(pure_group_free(&all));
  });
}

TEST(refused_operations, what_brings_something_says_itself_that_it_has_not) {
  on_three(false, [](int me, const empty_window& on) {
    const int other = (me + 1) % 3;
    std::int64_t got = 5;
    pure_request request = PURE_REQUEST_NULL;
    EXPECT_OK(pure_win_lock_all(0, on.win));
    expect_refusal_by(pure_rget(&got, 1, PURE_INT64_T, other, 4096, 1, PURE_INT64_T, on.win, &request), other);
    EXPECT_EQ(got, 5);
    EXPECT_OK(pure_win_unlock_all(on.win));
  });
}

// More than may be under way: the put waits in between, which is not the place for the error of an earlier one.
TEST(refused_operations, a_long_operation_is_not_cut_off_by_the_refusal_of_another) {
  constexpr std::int64_t words = 400'000;
  std::vector<std::int64_t> of_rank_1(words);
  on_three(false, [&](int me, const empty_window& on) {
    std::int64_t address = reinterpret_cast<std::intptr_t>(of_rank_1.data());
    if (me == 1) {
      EXPECT_EQ(pure_win_attach(on.win, of_rank_1.data(), 8 * words), PURE_SUCCESS);
    }
    EXPECT_OK(pure_win_fence(0, on.win));
    if (me == 0) {
      on.put_to_nowhere(1);
      const std::vector<std::int64_t> sevens(words, 7);
      EXPECT_OK(pure_put(sevens.data(), words, PURE_INT64_T, 1, address, words, PURE_INT64_T, on.win));
    }
    const int code = pure_win_fence(PURE_MODE_NOSUCCEED, on.win);
    EXPECT_EQ(code, me == 0 ? PURE_ERR_RMA_RANGE : PURE_SUCCESS);
    if (me == 1) {
      EXPECT_EQ(of_rank_1, std::vector<std::int64_t>(words, 7));
    }
    if (me == 1) {
      EXPECT_EQ(pure_win_detach(on.win, of_rank_1.data()), PURE_SUCCESS);
    }
  });
}

}  // namespace
