// The assertions of fence, post, start, lock and lock_all (MPI 4.1, 12.5.5), as programs use them: parts are filled by
// stores, used under a true promise, and compared with a model that knows of no promise. Some rank is always late.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "support/window_ways.hpp"

namespace {

using test_support::run_in_every_way;
using test_support::world;

/// A part: a word for the puts of each rank, one to which all add, one that is only got.
class modelled_parts {
 public:
  modelled_parts(int me, unsigned seed) : me_(me), size_(pure_size()), both_(seed) {
    EXPECT_OK(pure_win_allocate(8 * words(), 8, PURE_INFO_NULL, world, &own_, &win));
    model_.assign(static_cast<std::size_t>(size_), std::vector<std::int64_t>(static_cast<std::size_t>(words())));
    EXPECT_OK(pure_comm_group(world, &everybody));
  }
  modelled_parts(const modelled_parts&) = delete;
  modelled_parts& operator=(const modelled_parts&) = delete;
  ~modelled_parts() {
    EXPECT_OK(pure_group_free(&everybody));
    EXPECT_OK(pure_win_free(&win));
  }

  /// Drawn by all ranks alike.
  bool chance(int percent) { return static_cast<int>(both_() % 100) < percent; }
  int below(int limit) { return static_cast<int>(both_() % static_cast<unsigned>(limit)); }
  /// One of the ranks comes late.
  void somebody_is_late() {
    if (below(size_) == me_) usleep(300);
  }

  /// Ranks that are drawn store to all of their part. Returns whether this one does.
  bool store() {
    bool is_mine = false;
    for (int rank = 0; rank < size_; ++rank) {
      if (chance(30)) continue;
      std::vector<std::int64_t>& part = part_of(rank);
      for (std::int64_t& each : part) each = below(1'000'000);
      if (rank != me_) continue;
      is_mine = true;
      for (std::size_t i = 0; i < part.size(); ++i) own_[i] = part[i];
    }
    return is_mine;
  }

  /// What the ranks do in an epoch: nobody, or everybody, writes.
  struct plan {
    bool puts = false, gets = false;
    [[nodiscard]] bool does_anything() const { return puts || gets; }
  };
  plan draw_plan() { return {chance(70), chance(70)}; }
  /// Of all ranks on the part of `target`, in the model; those of this rank are done.
  void operate(const plan& what, int target) {
    std::vector<std::int64_t>& part = part_of(target);
    const int way_to_get = below(3);  // of all: an atomic get beside a plain one is a race
    for (int origin = 0; origin < size_; ++origin) {
      const bool is_mine = origin == me_;
      if (what.gets && is_mine) get(way_to_get, target, part.back());
      if (!what.puts) continue;
      const std::int64_t value = below(1'000'000);
      const int way_to_write = below(4), way_to_add = below(5);
      const std::int64_t before = std::exchange(part[static_cast<std::size_t>(origin)], value);
      part[static_cast<std::size_t>(size_)] += value;
      if (!is_mine) continue;
      write(way_to_write, target, value, before);
      add(way_to_add, target, value);
    }
  }
  /// Of the word that nobody else writes; `before` is there.
  void write(int way, int target, const std::int64_t& value, const std::int64_t& before) {
    pure_request request = PURE_REQUEST_NULL;
    switch (way) {
      case 0: EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, target, me_, 1, PURE_INT64_T, win)); break;
      case 1:
        EXPECT_OK(pure_rput(&value, 1, PURE_INT64_T, target, me_, 1, PURE_INT64_T, win, &request));
        EXPECT_OK(pure_wait(&request));
        break;
      case 2:
        EXPECT_OK(pure_accumulate(&value, 1, PURE_INT64_T, target, me_, 1, PURE_INT64_T, PURE_REPLACE, win));
        break;
      default:
        got_.push_back({-1, before});
        EXPECT_OK(pure_compare_and_swap(&value, &before, &got_.back().value, PURE_INT64_T, target, me_, win));
    }
  }
  /// To the word of all; what was there is not known.
  void add(int way, int target, const std::int64_t& value) {
    constexpr pure_datatype type = PURE_INT64_T;
    std::int64_t* const seen = &unknown_.emplace_back();
    pure_request request = PURE_REQUEST_NULL;
    switch (way) {
      case 0: EXPECT_OK(pure_accumulate(&value, 1, type, target, size_, 1, type, PURE_SUM, win)); break;
      case 1: EXPECT_OK(pure_raccumulate(&value, 1, type, target, size_, 1, type, PURE_SUM, win, &request)); break;
      case 2: EXPECT_OK(pure_fetch_and_op(&value, seen, type, target, size_, PURE_SUM, win)); break;
      case 3:
        EXPECT_OK(pure_get_accumulate(&value, 1, type, seen, 1, type, target, size_, 1, type, PURE_SUM, win));
        break;
      default:
        EXPECT_OK(
            pure_rget_accumulate(&value, 1, type, seen, 1, type, target, size_, 1, type, PURE_SUM, win, &request));
    }
    EXPECT_OK(pure_wait(&request));
  }
  /// `origin` adds to the word of all at `target`, by a get and a put, under a lock that excludes others.
  void add_alone(int origin, int target, std::int64_t value) {
    std::int64_t& expected = part_of(target)[static_cast<std::size_t>(size_)];
    if (origin == me_) {
      std::int64_t there = -1;
      EXPECT_OK(pure_get(&there, 1, PURE_INT64_T, target, size_, 1, PURE_INT64_T, win));
      EXPECT_OK(pure_win_flush(target, win));
      EXPECT_EQ(there, expected);
      there += value;
      EXPECT_OK(pure_put(&there, 1, PURE_INT64_T, target, size_, 1, PURE_INT64_T, win));
      EXPECT_OK(pure_win_flush(target, win));  // before its memory ends
    }
    expected += value;
  }
  /// Of the word that is only read.
  void get(int way, int target, std::int64_t expected) {
    std::int64_t& into = got_.emplace_back(gotten{-1, expected}).value;
    pure_request request = PURE_REQUEST_NULL;
    if (way == 0) {
      EXPECT_OK(pure_get(&into, 1, PURE_INT64_T, target, size_ + 1, 1, PURE_INT64_T, win));
    }
    if (way == 1) {
      EXPECT_OK(pure_rget(&into, 1, PURE_INT64_T, target, size_ + 1, 1, PURE_INT64_T, win, &request));
    }
    if (way == 2) {
      EXPECT_OK(pure_fetch_and_op(nullptr, &into, PURE_INT64_T, target, size_ + 1, PURE_NO_OP, win));
    }
    EXPECT_OK(pure_wait(&request));
  }
  void operate_on_all(const plan& what) {
    for (int target = 0; target < size_; ++target) operate(what, target);
  }
  void compare_what_was_got(int step) {
    for (const gotten& each : got_) EXPECT_EQ(each.value, each.expected) << "got, step " << step << ", rank " << me_;
    got_.clear();
    unknown_.clear();
  }
  void compare_own(int step) {
    const std::vector<std::int64_t>& part = part_of(me_);
    for (std::size_t i = 0; i < part.size(); ++i)
      EXPECT_EQ(own_[i], part[i]) << "word " << i << ", step " << step << ", rank " << me_;
  }

  pure_win win = PURE_WIN_NULL;
  pure_group everybody = PURE_GROUP_NULL;

 private:
  struct gotten {
    std::int64_t value, expected;
  };

  [[nodiscard]] std::int64_t words() const { return size_ + 2; }
  std::vector<std::int64_t>& part_of(int rank) { return model_[static_cast<std::size_t>(rank)]; }

  const int me_, size_;
  std::mt19937 both_;
  std::int64_t* own_ = nullptr;
  std::vector<std::vector<std::int64_t>> model_;
  std::deque<gotten> got_;  // answers come to where they are
  std::deque<std::int64_t> unknown_;
};

/// Epochs of operations, and epochs of loads and stores, between fences that promise what is true there.
void fences(int me, unsigned seed) {
  constexpr int steps = 24;
  modelled_parts parts(me, seed);
  using plan = modelled_parts::plan;
  plan before;  // of the epoch that a fence ends
  bool has_stored = parts.store();
  for (int step = 0; step < steps; ++step) {
    const bool is_last = step == steps - 1;
    const plan behind = !is_last && parts.chance(60) ? parts.draw_plan() : plan{};
    // What the standard lets all ranks promise alike, and each by itself.
    int promised = 0;
    const auto promises = [&](int what, bool is_true) { promised |= parts.chance(80) && is_true ? what : 0; };
    promises(PURE_MODE_NOPRECEDE, !before.does_anything());
    promises(PURE_MODE_NOSUCCEED, !behind.does_anything());
    promises(PURE_MODE_NOSTORE, !has_stored);
    promises(PURE_MODE_NOPUT, !behind.puts);
    if (is_last) promised |= PURE_MODE_NOSUCCEED;
    parts.somebody_is_late();
    EXPECT_OK(pure_win_fence(promised, parts.win));
    parts.compare_what_was_got(step);
    has_stored = false;
    if (behind.does_anything()) {
      parts.operate_on_all(behind);
    } else {
      parts.somebody_is_late();
      parts.compare_own(step);
      if (!is_last) has_stored = parts.store();
    }
    before = behind;
  }
}

TEST(window_assertions, between_fences) {
  for (const int ranks : {2, 3, 4})
    run_in_every_way(ranks, ranks == 3, [&](int me) { fences(me, 40U + static_cast<unsigned>(ranks)); });
}

// The program that loses what it is sent if the fence does not wait: it stores to its part before the fence.
TEST(window_assertions, a_fence_that_nothing_precedes_comes_after_the_targets_stores) {
  run_in_every_way(2, false, [](int me) {
    for (int round = 0; round < 5; ++round) {
      std::int64_t* own = nullptr;
      pure_win win = PURE_WIN_NULL;
      EXPECT_OK(pure_win_allocate(8, 8, PURE_INFO_NULL, world, &own, &win));
      if (me == 1) usleep(1000);
      *own = -1;
      EXPECT_OK(pure_win_fence(PURE_MODE_NOPRECEDE, win));
      const std::int64_t seven = 7;
      if (me == 0) {
        EXPECT_OK(pure_put(&seven, 1, PURE_INT64_T, 1, 0, 1, PURE_INT64_T, win));
      }
      EXPECT_OK(pure_win_fence(PURE_MODE_NOSTORE | PURE_MODE_NOSUCCEED, win));
      EXPECT_EQ(*own, me == 1 ? 7 : -1);
      EXPECT_OK(pure_win_free(&win));
    }
  });
}

/// Exposed to all by all, with a barrier between post and start where they promise that it is not needed.
void posts_and_starts(int me, unsigned seed) {
  modelled_parts parts(me, seed);
  for (int step = 0; step < 12; ++step) {
    const bool has_stored = parts.store();
    const auto what = parts.draw_plan();
    const bool is_known = parts.chance(60);
    int promised = is_known ? PURE_MODE_NOCHECK : 0;
    if (parts.chance(80) && !has_stored) promised |= PURE_MODE_NOSTORE;
    if (parts.chance(80) && !what.puts) promised |= PURE_MODE_NOPUT;
    parts.somebody_is_late();
    EXPECT_OK(pure_win_post(parts.everybody, promised, parts.win));
    if (is_known) {
      EXPECT_OK(pure_barrier(world));
    }
    EXPECT_OK(pure_win_start(parts.everybody, is_known ? PURE_MODE_NOCHECK : 0, parts.win));
    parts.operate_on_all(what);
    parts.somebody_is_late();
    EXPECT_OK(pure_win_complete(parts.win));
    parts.compare_what_was_got(step);
    EXPECT_OK(pure_win_wait(parts.win));
    parts.compare_own(step);
  }
}

TEST(window_assertions, of_posts_and_starts) {
  for (const int ranks : {2, 3, 4})
    run_in_every_way(ranks, ranks == 3, [&](int me) { posts_and_starts(me, 60U + static_cast<unsigned>(ranks)); });
}

/// Ranks that take turns promise that nobody else wants the lock; those who share, that nobody excludes them.
void locks(int me, unsigned seed) {
  modelled_parts parts(me, seed);
  const int size = pure_size();
  const auto store_under_own_lock = [&] {
    EXPECT_OK(pure_win_lock(PURE_LOCK_EXCLUSIVE, me, PURE_MODE_NOCHECK, parts.win));
    parts.store();
    EXPECT_OK(pure_win_unlock(me, parts.win));
    EXPECT_OK(pure_barrier(world));
  };
  const auto compare = [&](int step) {
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, me, PURE_MODE_NOCHECK, parts.win));
    parts.compare_own(step);
    EXPECT_OK(pure_win_unlock(me, parts.win));
    EXPECT_OK(pure_barrier(world));
  };
  for (int step = 0; step < 6; ++step) {
    store_under_own_lock();
    const auto what = parts.draw_plan();
    if (parts.chance(50)) {  // all ranks at once
      EXPECT_OK(pure_win_lock_all(PURE_MODE_NOCHECK, parts.win));
      parts.operate_on_all(what);
      EXPECT_OK(pure_win_unlock_all(parts.win));
      parts.compare_what_was_got(step);
    } else {  // one after the other, each at all parts in turn
      for (int turn = 0; turn < size; ++turn) {
        const int target = (turn + 1) % size;
        if (me == turn) {
          EXPECT_OK(pure_win_lock(PURE_LOCK_EXCLUSIVE, target, PURE_MODE_NOCHECK, parts.win));
        }
        const std::int64_t value = parts.below(1000);
        parts.add_alone(turn, target, value);
        if (me == turn) {
          EXPECT_OK(pure_win_unlock(target, parts.win));
        }
        EXPECT_OK(pure_barrier(world));
      }
    }
    compare(step);
  }
}

TEST(window_assertions, of_locks) {
  for (const int ranks : {2, 3, 4})
    run_in_every_way(ranks, ranks == 3, [&](int me) { locks(me, 80U + static_cast<unsigned>(ranks)); });
}

}  // namespace
