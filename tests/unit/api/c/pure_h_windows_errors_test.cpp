// pure.h, windows: epochs that do not fit, and wrong arguments.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/pure_h.hpp"
#include "support/pure_h_info.hpp"

namespace {

using test_support::expect_error;
using test_support::info_with;
using test_support::on_ranks;
using test_support::world;

pure_win made_with(std::int64_t bytes, int unit = 1) {
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  EXPECT_OK(pure_win_allocate(bytes, unit, PURE_INFO_NULL, world, &base, &win));
  return win;
}

TEST(pure_h_windows_errors, epochs_that_do_not_fit_are_errors) {
  on_ranks(2, [](int me) {
    const pure_win win = made_with(64);
    std::int64_t x = 0;
    const int other = 1 - me;
    const auto put = [&] { return pure_put(&x, 1, PURE_INT64_T, other, 0, 1, PURE_INT64_T, win); };
    expect_error(put(), PURE_ERR_RMA_SYNC, {"pure_put: rank ", "of window \"", "no epoch is open"});
    expect_error(pure_win_unlock(other, win), PURE_ERR_RMA_SYNC, {"is not locked"});
    expect_error(pure_win_unlock_all(win), PURE_ERR_RMA_SYNC, {"lock_all was not called"});
    expect_error(pure_win_complete(win), PURE_ERR_RMA_SYNC, {"no epoch of start is open"});
    expect_error(pure_win_wait(win), PURE_ERR_RMA_SYNC, {"no epoch of post is open"});
    expect_error(pure_win_flush(other, win), PURE_ERR_RMA_SYNC, {"is not locked"});
    expect_error(pure_win_flush_all(win), PURE_ERR_RMA_SYNC, {"no rank is locked"});

    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, other, 0, win));
    EXPECT_OK(put());
    expect_error(pure_win_lock(PURE_LOCK_SHARED, other, 0, win), PURE_ERR_RMA_SYNC, {"a shared lock at rank"});
    expect_error(pure_put(&x, 1, PURE_INT64_T, me, 0, 1, PURE_INT64_T, win), PURE_ERR_RMA_SYNC,
                 {"only other ranks are locked"});
    expect_error(pure_win_lock_all(0, win), PURE_ERR_RMA_SYNC, {"unlock it first"});
    expect_error(pure_win_fence(0, win), PURE_ERR_RMA_SYNC, {"unlock it first"});
    pure_win copy = win;
    expect_error(pure_win_free(&copy), PURE_ERR_RMA_SYNC, {"unlock it first"});
    EXPECT_OK(pure_win_flush_local(other, win));
    EXPECT_OK(pure_win_unlock(other, win));

    EXPECT_OK(pure_win_fence(0, win));
    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, other, 0, win)) << "nothing was done in the fence's epoch";
    EXPECT_OK(pure_win_unlock(other, win));
    EXPECT_OK(pure_win_fence(0, win));
    expect_error(pure_put(&x, 1, PURE_INT64_T, other, 57, 1, PURE_INT64_T, win), PURE_ERR_RMA_RANGE,
                 {"are not all in"});
    EXPECT_OK(pure_put(&x, 0, PURE_INT64_T, other, 0, 0, PURE_INT64_T, win));
    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, other, 0, win)) << "what was refused, or of no bytes, was not done";
    EXPECT_OK(pure_win_unlock(other, win));
    EXPECT_OK(pure_win_fence(0, win));
    EXPECT_OK(put());
    expect_error(pure_win_lock(PURE_LOCK_SHARED, other, 0, win), PURE_ERR_RMA_SYNC, {"end it with another fence"});
    EXPECT_OK(pure_win_fence(PURE_MODE_NOSUCCEED, win));
    expect_error(put(), PURE_ERR_RMA_SYNC, {"no epoch is open"});

    pure_group all;
    EXPECT_OK(pure_comm_group(world, &all));
    EXPECT_OK(pure_win_post(all, 0, win));
    expect_error(pure_win_post(all, 0, win), PURE_ERR_RMA_SYNC, {"another post"});
    expect_error(pure_win_fence(0, win), PURE_ERR_RMA_SYNC, {"the epoch of post is open"});
    EXPECT_OK(pure_win_start(all, 0, win));
    expect_error(pure_win_lock_all(0, win), PURE_ERR_RMA_SYNC, {"end it with complete"});
    EXPECT_OK(put());
    EXPECT_OK(pure_win_complete(win));
    EXPECT_OK(pure_win_wait(win));
    copy = win;
    EXPECT_OK(pure_win_free(&copy));
    expect_error(pure_win_fence(0, win), PURE_ERR_WIN, {"window"});
  });
}

TEST(pure_h_windows_errors, wrong_arguments_are_errors_of_all_ranks) {
  on_ranks(2, [](int me) {
    void* base = nullptr;
    pure_win win;
    expect_error(pure_win_allocate(-1, 1, PURE_INFO_NULL, world, &base, &win), PURE_ERR_ARG, {"-1 is negative"});
    expect_error(pure_win_allocate(8, 0, PURE_INFO_NULL, world, &base, &win), PURE_ERR_DISP, {"is 0 bytes"});
    expect_error(pure_win_allocate(8, 1, PURE_INFO_NULL, world, nullptr, &win), PURE_ERR_ARG, {"`base` is null"});
    expect_error(pure_win_create(nullptr, 8, 1, PURE_INFO_NULL, world, &win), PURE_ERR_BUFFER, {"the memory is null"});
    expect_error(pure_win_allocate(8, 1, info_with("pure_atomics", "all"), world, &base, &win), PURE_ERR_INFO,
                 {"\"pure_atomics\"", "any_type or hardware"});
    expect_error(pure_win_allocate(8, 1, info_with("mpi_minimum_memory_alignment", "48"), world, &base, &win),
                 PURE_ERR_INFO, {"a power of two"});
    // What one rank alone finds.
    const std::int64_t impossible = std::int64_t{1} << 60;
    expect_error(pure_win_allocate(me == 1 ? impossible : 8, 1, PURE_INFO_NULL, world, &base, &win), PURE_ERR_NO_MEM,
                 {"there is no memory for the ", "of rank 1"});
    expect_error(pure_win_allocate_shared(me == 1 ? impossible : 8, 1, PURE_INFO_NULL, world, &base, &win),
                 PURE_ERR_NO_MEM, {"of all ranks"});
    const pure_info one_sided = me == 0 ? info_with("pure_atomics", "hardware") : PURE_INFO_NULL;
    expect_error(pure_win_allocate(8, 1, one_sided, world, &base, &win), PURE_ERR_MISMATCH,
                 {"ranks 0 and 1 pass different options"});

    EXPECT_OK(pure_win_allocate(8 + me, 1, PURE_INFO_NULL, world, &base, &win));
    EXPECT_OK(pure_win_lock_all(0, win));
    std::int64_t x = 0;
    expect_error(pure_put(&x, 1, PURE_INT64_T, 2, 0, 1, PURE_INT64_T, win), PURE_ERR_RANK, {"there is no rank 2"});
    EXPECT_OK(pure_put(&x, 1, PURE_INT64_T, PURE_PROC_NULL, 0, 1, PURE_INT64_T, win));
    if (me == 0) {
      EXPECT_OK(pure_put(&x, 1, PURE_INT64_T, 1, 1, 1, PURE_INT64_T, win));
    }
    for (const std::int64_t offset : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 62, INT64_MIN, INT64_MAX}) {
      expect_error(pure_put(&x, 1, PURE_INT64_T, 0, offset, 1, PURE_INT64_T, win), PURE_ERR_RMA_RANGE,
                   {"are not all in the part of rank 0, which has 8 bytes"});
    }
    if (me == 0) {
      EXPECT_OK(pure_put(&x, 1, PURE_INT64_T, 0, 0, 2, PURE_INT, win));
    }
    expect_error(pure_put(&x, 1, PURE_INT64_T, 0, 0, 1, PURE_INT, win), PURE_ERR_COUNT,
                 {"8 bytes here, but 4 bytes there"});
    expect_error(pure_win_notify(0, 8, win), PURE_ERR_ARG, {"there is no notification 8: they are 0 to 7"});
    expect_error(pure_win_lock(7, 0, 0, win), PURE_ERR_ARG, {"7 is no type of lock"});
    expect_error(pure_win_fence(64, win), PURE_ERR_ARG, {"no sum of assertions"});
    expect_error(pure_accumulate(&x, 1, PURE_INT64_T, 0, 0, 2, PURE_INT, PURE_SUM, win), PURE_ERR_TYPE,
                 {"elements of PURE_INT64_T here, but of PURE_INT there"});
    expect_error(pure_accumulate(&x, 1, PURE_INT64_T, 0, 0, 1, PURE_INT64_T, PURE_NO_OP, win), PURE_ERR_OP,
                 {"operations with a result"});
    double y = 0;
    expect_error(pure_compare_and_swap(&y, &y, &y, PURE_DOUBLE, 0, 0, win), PURE_ERR_TYPE,
                 {"PURE_DOUBLE is no integer"});
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_win_free(&win));
    expect_error(pure_win_sync(PURE_WIN_NULL), PURE_ERR_WIN, {"null"});
  });
}

/// The first and the last element that fit, and the next ones, which do not, for units of several sizes.
TEST(pure_h_windows_errors, one_element_too_far_at_either_end) {
  for (const int unit : {1, 3, 8}) {
    on_ranks(2, [&](int me) {
      const pure_win win = made_with(24, unit);
      EXPECT_OK(pure_win_lock(PURE_LOCK_EXCLUSIVE, 1 - me, 0, win));
      const std::int64_t last = 16 / unit;
      std::int64_t x = 0;
      const auto put = [&](std::int64_t disp) {
        return pure_put(&x, 1, PURE_INT64_T, 1 - me, disp, 1, PURE_INT64_T, win);
      };
      EXPECT_OK(put(0));
      EXPECT_OK(put(last));
      // The product of some with the unit is no number of 64 bits.
      for (const std::int64_t disp : {std::int64_t{-1}, last + 1, 24 / unit + std::int64_t{0}, INT64_MAX, INT64_MIN,
                                      INT64_MAX / unit, INT64_MIN / unit, INT64_MAX / 2 + 1}) {
        expect_error(put(disp), PURE_ERR_RMA_RANGE, {"8 bytes at displacement " + std::to_string(disp)});
        expect_error(pure_fetch_and_op(&x, &x, PURE_INT64_T, 1 - me, disp, PURE_SUM, win), PURE_ERR_RMA_RANGE,
                     {"are not all in the part of rank " + std::to_string(1 - me)});
      }
      EXPECT_OK(pure_put(&x, 0, PURE_INT64_T, 1 - me, 24 / unit, 0, PURE_INT64_T, win)) << "nothing is at the end";
      EXPECT_OK(pure_win_unlock(1 - me, win));
      pure_win copy = win;
      EXPECT_OK(pure_win_free(&copy));
    });
  }
}

TEST(pure_h_windows_errors, ranks_make_different_windows) {
  on_ranks(2, [](int me) {
    void* base = nullptr;
    std::int64_t mine = 0;
    pure_win win;
    expect_error(me == 0 ? pure_win_allocate(8, 1, PURE_INFO_NULL, world, &base, &win)
                         : pure_win_create(&mine, 8, 1, PURE_INFO_NULL, world, &win),
                 PURE_ERR_MISMATCH,
                 {"rank 0 makes a window with memory of its own, rank 1 a window of memory that is there"});
    const pure_info promise = info_with("accumulate_ops", me == 0 ? "same_op" : "same_op_no_op");
    expect_error(pure_win_allocate(8, 1, promise, world, &base, &win), PURE_ERR_MISMATCH, {"different options"});
    expect_error(pure_win_allocate(8, 1, info_with("accumulate_ops", "any"), world, &base, &win), PURE_ERR_INFO,
                 {"\"accumulate_ops\"", "same_op or same_op_no_op"});
  });
}

TEST(pure_h_windows_errors, a_promise_is_an_info_key) {
  on_ranks(2, [] {
    for (const char* const promise : {"same_op", "same_op_no_op"}) {
      void* base = nullptr;
      pure_win win;
      EXPECT_OK(pure_win_allocate(8, 1, info_with("accumulate_ops", promise), world, &base, &win));
      pure_info in_force;
      EXPECT_OK(pure_win_get_info(win, &in_force));
      const char* value = nullptr;
      EXPECT_OK(pure_info_get(in_force, "accumulate_ops", &value));
      EXPECT_STREQ(value, promise);
      EXPECT_OK(pure_info_free(&in_force));
      EXPECT_OK(pure_win_free(&win));
    }
  });
}

}  // namespace
