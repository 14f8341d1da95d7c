// Windows: locks that many want, and ranks that wait at one window while others use another. Nothing here depends on
// how fast a rank is, but on that each gets its turn: a test that hangs ends with the hang report.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "support/environment.hpp"
#include "support/pauses.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::first_seed;
using test_support::on_ranks;
using test_support::pauses;
using test_support::repetitions;
using test_support::world;

/// A window of so many words of each rank.
struct words {
  explicit words(std::int64_t count) { EXPECT_OK(pure_win_allocate(8 * count, 8, PURE_INFO_NULL, world, &own, &win)); }
  words(const words&) = delete;
  words& operator=(const words&) = delete;
  ~words() { EXPECT_OK(pure_win_free(&win)); }

  void lock(int type, int rank) const { EXPECT_OK(pure_win_lock(type, rank, 0, win)); }
  void unlock(int rank) const { EXPECT_OK(pure_win_unlock(rank, win)); }
  [[nodiscard]] std::int64_t get(int rank, std::int64_t word) const {
    std::int64_t value = 0;
    EXPECT_OK(pure_get(&value, 1, PURE_INT64_T, rank, word, 1, PURE_INT64_T, win));
    EXPECT_OK(pure_win_flush(rank, win));
    return value;
  }
  void put(int rank, std::int64_t word, std::int64_t value) const {
    EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, rank, word, 1, PURE_INT64_T, win));
  }
  std::int64_t fetch(int rank, std::int64_t word, std::int64_t value, pure_op op = PURE_SUM) const {
    std::int64_t before = 0;
    EXPECT_OK(pure_fetch_and_op(&value, &before, PURE_INT64_T, rank, word, op, win));
    return before;
  }

  std::int64_t* own = nullptr;
  pure_win win = PURE_WIN_NULL;
};

TEST(windows_epochs, an_exclusive_lock_makes_many_words_one) {
  for (const int ranks : {2, 5, 16}) {
    const int rounds = repetitions(8000) / ranks + 5;
    on_ranks(ranks, [&](int me) {
      const words all(8);
      pauses pause(first_seed() * 100 + static_cast<std::uint64_t>(me));
      for (int round = 0; round < rounds; ++round) {
        const int rank = static_cast<int>(pause.number() % 2);
        all.lock(PURE_LOCK_EXCLUSIVE, rank);
        const std::int64_t now = all.get(rank, 0);
        for (std::int64_t word = 1; word < 8; ++word) EXPECT_EQ(all.get(rank, word), now);
        pause.maybe();
        for (std::int64_t word = 0; word < 8; ++word) all.put(rank, word, now + 1);
        all.unlock(rank);
      }
      EXPECT_OK(pure_barrier(world));
      all.lock(PURE_LOCK_SHARED, 0);
      all.lock(PURE_LOCK_SHARED, 1);
      EXPECT_EQ(all.get(0, 3) + all.get(1, 3), std::int64_t{rounds} * ranks);
      all.unlock(0);
      all.unlock(1);
      EXPECT_OK(pure_barrier(world));
    });
  }
}

TEST(windows_epochs, readers_that_come_and_go_do_not_keep_a_writer_out) {
  for (const int ranks : {3, 8}) {
    const int writes = repetitions(300);
    on_ranks(ranks, [&](int me) {
      const words all(2);
      if (me == 0) {  // as often as it likes, while readers always hold the lock, until the readers see the last one
        for (int i = 1; i <= writes; ++i) {
          all.lock(PURE_LOCK_EXCLUSIVE, 0);
          all.put(0, 0, i);
          all.put(0, 1, -i);
          all.unlock(0);
        }
      } else {
        for (std::int64_t seen = 0; seen < writes;) {
          all.lock(PURE_LOCK_SHARED, 0);
          const std::int64_t now = all.get(0, 0);
          EXPECT_EQ(all.get(0, 1), -now);
          EXPECT_GE(now, seen);
          seen = now;
          all.unlock(0);
        }
      }
      EXPECT_OK(pure_barrier(world));
    });
  }
}

TEST(windows_epochs, who_polls_its_own_part_sees_what_others_add) {
  const int rounds = repetitions(2000);
  for (const int ranks : {2, 7}) {
    on_ranks(ranks, [&](int me) {
      const words all(1);
      EXPECT_OK(pure_win_lock_all(0, all.win));
      for (int round = 1; round <= rounds; ++round) {
        for (int rank = 0; rank < ranks; ++rank) {
          const std::int64_t one = 1;
          EXPECT_OK(pure_accumulate(&one, 1, PURE_INT64_T, rank, 0, 1, PURE_INT64_T, PURE_SUM, all.win));
        }
        while (all.fetch(me, 0, 0, PURE_NO_OP) < std::int64_t{round} * ranks) {
          EXPECT_OK(pure_win_flush_local(me, all.win));
        }
      }
      EXPECT_OK(pure_win_unlock_all(all.win));
      EXPECT_OK(pure_barrier(world));
      EXPECT_EQ(all.own[0], std::int64_t{rounds} * ranks);
    });
  }
}

TEST(windows_epochs, who_waits_at_one_window_is_reached_through_another) {
  const int rounds = repetitions(3000);
  on_ranks(3, [&](int me) {
    const words first(3), second(3);
    const int right = (me + 1) % 3;
    EXPECT_OK(pure_win_lock_all(0, second.win));
    for (int round = 1; round <= rounds; ++round) {
      // Each waits at the first window for its left neighbour, who before that needs the second one of everybody.
      for (int rank = 0; rank < 3; ++rank) second.fetch(rank, me, 1);
      EXPECT_OK(pure_win_notify(right, 0, first.win));
      EXPECT_OK(pure_win_wait_notified(1, 0, first.win));
      EXPECT_GE(second.fetch(me, (me + 2) % 3, 0, PURE_NO_OP), round);
    }
    EXPECT_OK(pure_win_unlock_all(second.win));
    EXPECT_OK(pure_barrier(world));
    for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(second.own[rank], rounds);
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(windows_epochs, of_all_kinds_one_after_the_other) {
  const int rounds = repetitions(400);
  for (const int ranks : {2, 4, 16}) {
    on_ranks(ranks, [&](int me) {
      const words all(4);
      pure_group everybody;
      EXPECT_OK(pure_comm_group(world, &everybody));
      std::mt19937 random(static_cast<unsigned>(first_seed()));  // of all ranks the same
      const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
      for (int round = 1; round <= rounds / ranks + 2; ++round) {
        const std::int64_t value = 1000 * round + me;
        switch (random() % 3) {
          case 0:
            EXPECT_OK(pure_win_fence(0, all.win));
            all.put(right, 0, value);
            EXPECT_OK(pure_win_fence(PURE_MODE_NOSUCCEED, all.win));
            break;
          case 1:
            EXPECT_OK(pure_win_post(everybody, 0, all.win));
            EXPECT_OK(pure_win_start(everybody, 0, all.win));
            all.put(right, 0, value);
            EXPECT_OK(pure_win_complete(all.win));
            EXPECT_OK(pure_win_wait(all.win));
            break;
          default:
            all.lock(PURE_LOCK_EXCLUSIVE, right);
            all.put(right, 0, value);
            all.unlock(right);
            EXPECT_OK(pure_barrier(world));
        }
        EXPECT_EQ(all.own[0], 1000 * round + left);
        EXPECT_OK(pure_barrier(world));
      }
      EXPECT_OK(pure_group_free(&everybody));
    });
  }
}

}  // namespace
