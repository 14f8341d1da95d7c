// For tests of pure.h: a window that all ranks have made, of 64-bit integers.
#pragma once

#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>

#include "support/pure_h.hpp"

namespace test_support {

/// A window of so many 64-bit integers of each rank.
struct integers {
  explicit integers(std::int64_t count) {
    EXPECT_OK(pure_win_allocate(8 * count, 8, PURE_INFO_NULL, world, &own, &win));
    EXPECT_OK(pure_comm_group(world, &everybody));
  }
  integers(const integers&) = delete;
  integers& operator=(const integers&) = delete;
  ~integers() {
    EXPECT_OK(pure_group_free(&everybody));
    EXPECT_OK(pure_win_free(&win));
  }

  void put(int rank, std::int64_t at, std::int64_t value) const {
    EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, rank, at, 1, PURE_INT64_T, win));
  }
  void add(int rank, std::int64_t at, std::int64_t value) const {
    EXPECT_OK(pure_accumulate(&value, 1, PURE_INT64_T, rank, at, 1, PURE_INT64_T, PURE_SUM, win));
  }
  [[nodiscard]] std::int64_t get(int rank, std::int64_t at) const {
    std::int64_t value = -1;
    EXPECT_OK(pure_get(&value, 1, PURE_INT64_T, rank, at, 1, PURE_INT64_T, win));
    return value;
  }
  void fence(int assertions = 0) const { EXPECT_OK(pure_win_fence(assertions, win)); }
  void lock(int type, int rank) const { EXPECT_OK(pure_win_lock(type, rank, 0, win)); }
  void unlock(int rank) const { EXPECT_OK(pure_win_unlock(rank, win)); }
  /// An epoch of post and start, of all with all.
  template <class Act>
  void exposed(Act act) const {
    EXPECT_OK(pure_win_post(everybody, 0, win));
    EXPECT_OK(pure_win_start(everybody, 0, win));
    act();
    EXPECT_OK(pure_win_complete(win));
    EXPECT_OK(pure_win_wait(win));
  }

  std::int64_t* own = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_group everybody = PURE_GROUP_NULL;
};

}  // namespace test_support
