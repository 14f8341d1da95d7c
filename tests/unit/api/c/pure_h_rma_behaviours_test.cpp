// pure.h, windows: what programs of other MPIs rely on, one behaviour a test, against what can be computed without a
// window. Which test suite asks for what: docs/windows_tests.md. All keep to MPI's rules: PURE_CHECK finds nothing.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "support/pure_h.hpp"
#include "support/window_of_integers.hpp"

namespace {

using test_support::integers;
using test_support::on_ranks;
using test_support::world;

TEST(pure_h_rma_behaviours, sums_of_all_ranks_between_fences) {
  on_ranks(5, [](int me) {
    const integers on(10);
    on.fence(PURE_MODE_NOPRECEDE);
    for (int rank = 0; rank < 5; ++rank) {
      for (std::int64_t i = 0; i < 10; ++i) on.add(rank, i, me * 100 + i + rank);
    }
    on.fence(PURE_MODE_NOSTORE | PURE_MODE_NOSUCCEED);
    for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(on.own[i], 100 * (0 + 1 + 2 + 3 + 4) + 5 * (i + me));
  });
}

TEST(pure_h_rma_behaviours, a_matrix_is_transposed_by_one_put) {
  constexpr std::int64_t rows = 30, columns = 17;
  on_ranks(2, [](int me) {
    const integers on(rows * columns);
    pure_datatype column, one_by_one, transposed;
    EXPECT_OK(pure_type_vector(rows, 1, columns, PURE_INT64_T, &column));  // of a matrix of `columns` columns
    EXPECT_OK(pure_type_create_resized(column, 0, 8, &one_by_one));        // the next one begins 8 bytes on
    EXPECT_OK(pure_type_contiguous(columns, one_by_one, &transposed));
    std::vector<std::int64_t> mine(rows * columns);
    std::iota(mine.begin(), mine.end(), me * 10'000);
    const auto expect = [&](int from) {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c)
          EXPECT_EQ(on.own[r * columns + c], from * 10'000 + c * rows + r) << r << ", " << c;
      }
    };
    // A matrix of `rows` columns goes row by row to the columns of the target's.
    const auto put = [&] {
      EXPECT_OK(pure_put(mine.data(), rows * columns, PURE_INT64_T, 1 - me, 0, 1, transposed, on.win));
    };
    on.fence();
    put();
    on.fence(PURE_MODE_NOSUCCEED);
    expect(1 - me);
    std::fill(on.own, on.own + rows * columns, 0);
    on.exposed(put);
    expect(1 - me);
    // And back, by a get. Before, the other rank's epoch must have ended, too.
    EXPECT_OK(pure_barrier(world));
    std::vector<std::int64_t> back(mine.size(), -1);
    on.lock(PURE_LOCK_SHARED, 1 - me);
    EXPECT_OK(pure_get(back.data(), rows * columns, PURE_INT64_T, 1 - me, 0, 1, transposed, on.win));
    on.unlock(1 - me);
    EXPECT_EQ(back, mine);
    for (pure_datatype* each : {&column, &one_by_one, &transposed}) EXPECT_OK(pure_type_free(each));
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_behaviours, thousands_of_operations_in_one_epoch) {
  constexpr std::int64_t many = 8000;
  on_ranks(3, [](int me) {
    const integers on(3 * many);
    const auto puts = [&] {
      for (std::int64_t i = 0; i < many; ++i) on.put((me + 1) % 3, me * many + i, i * 3 + me);
    };
    const auto expect = [&] {
      const int from = (me + 2) % 3;
      for (std::int64_t i = 0; i < many; ++i) ASSERT_EQ(on.own[from * many + i], i * 3 + from);
    };
    on.fence();
    puts();
    on.fence(PURE_MODE_NOSUCCEED);
    expect();
    std::fill(on.own, on.own + 3 * many, 0);
    on.exposed(puts);
    expect();
    std::fill(on.own, on.own + 3 * many, 0);
    EXPECT_OK(pure_barrier(world));
    on.lock(PURE_LOCK_EXCLUSIVE, (me + 1) % 3);
    puts();
    on.unlock((me + 1) % 3);
    EXPECT_OK(pure_barrier(world));
    expect();
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_behaviours, short_sums_between_long_ones) {
  constexpr std::int64_t length = 20'000;
  on_ranks(4, [](int) {
    const integers on(length);
    const std::vector<std::int64_t> ones(length, 1);
    on.fence();
    for (int round = 0; round < 5; ++round) {
      EXPECT_OK(pure_accumulate(ones.data(), length, PURE_INT64_T, 0, 0, length, PURE_INT64_T, PURE_SUM, on.win));
      for (std::int64_t i = 0; i < length; i += 997) on.add(0, i, 1000);
    }
    on.fence(PURE_MODE_NOSUCCEED);
    if (pure_rank() == 0) {
      for (std::int64_t i = 0; i < length; ++i) ASSERT_EQ(on.own[i], 20 + (i % 997 == 0 ? 20'000 : 0)) << i;
    }
  });
}

TEST(pure_h_rma_behaviours, the_null_process_takes_every_operation_and_does_nothing) {
  on_ranks(2, [](int) {
    const integers on(1);
    constexpr int null = PURE_PROC_NULL;
    std::int64_t x = 7, y = 8, z = 9;
    on.own[0] = 5;
    const auto all = [&] {
      EXPECT_OK(pure_put(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, on.win));
      EXPECT_OK(pure_get(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, on.win));
      EXPECT_OK(pure_accumulate(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, PURE_SUM, on.win));
      EXPECT_OK(
          pure_get_accumulate(&x, 1, PURE_INT64_T, &y, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, PURE_SUM, on.win));
      EXPECT_OK(pure_fetch_and_op(&x, &y, PURE_INT64_T, null, 99, PURE_SUM, on.win));
      EXPECT_OK(pure_compare_and_swap(&x, &y, &z, PURE_INT64_T, null, 99, on.win));
      pure_request requests[4];
      EXPECT_OK(pure_rput(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, on.win, &requests[0]));
      EXPECT_OK(pure_rget(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, on.win, &requests[1]));
      EXPECT_OK(pure_raccumulate(&x, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, PURE_SUM, on.win, &requests[2]));
      EXPECT_OK(pure_rget_accumulate(&x, 1, PURE_INT64_T, &y, 1, PURE_INT64_T, null, 99, 1, PURE_INT64_T, PURE_SUM,
                                     on.win, &requests[3]));
      EXPECT_OK(pure_waitall(4, requests));
    };
    all();  // also outside an epoch
    on.lock(PURE_LOCK_EXCLUSIVE, null);
    all();
    EXPECT_OK(pure_win_flush(null, on.win));
    EXPECT_OK(pure_win_flush_local(null, on.win));
    on.unlock(null);
    on.fence();
    all();
    on.fence(PURE_MODE_NOSUCCEED);
    EXPECT_EQ(x + y + z + on.own[0], 7 + 8 + 9 + 5);
  });
}

TEST(pure_h_rma_behaviours, a_rank_uses_its_own_part_like_that_of_others) {
  on_ranks(2, [](int me) {
    const integers on(3);
    const auto all = [&](std::int64_t value) {
      on.put(me, 0, value);
      on.add(me, 1, value);
      std::int64_t before = -1;
      EXPECT_OK(pure_fetch_and_op(&value, &before, PURE_INT64_T, me, 2, PURE_REPLACE, on.win));
      return before;
    };
    on.fence();
    EXPECT_EQ(all(10), 0);
    on.fence(PURE_MODE_NOSUCCEED);
    on.exposed([&] { EXPECT_EQ(all(20), 10); });
    on.lock(PURE_LOCK_EXCLUSIVE, me);
    EXPECT_EQ(all(30), 20);
    EXPECT_OK(pure_win_flush(me, on.win));
    EXPECT_EQ(on.get(me, 0), 30);
    on.unlock(me);
    EXPECT_OK(pure_win_lock_all(0, on.win));
    EXPECT_EQ(all(40), 30);
    EXPECT_OK(pure_win_unlock_all(on.win));
    EXPECT_EQ(on.own[0], 40);
    EXPECT_EQ(on.own[1], 100);
    EXPECT_EQ(on.own[2], 40);
  });
}

TEST(pure_h_rma_behaviours, an_epoch_of_nobody) {
  on_ranks(3, [](int me) {
    const integers on(1);
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(pure_win_post(PURE_GROUP_EMPTY, 0, on.win));
      EXPECT_OK(pure_win_start(PURE_GROUP_EMPTY, 0, on.win));
      EXPECT_NE(pure_put(&i, 0, PURE_INT, me, 0, 0, PURE_INT, on.win), PURE_SUCCESS) << "it is for other ranks";
      EXPECT_OK(pure_win_complete(on.win));
      int flag = 0;
      EXPECT_OK(pure_win_test(on.win, &flag));
      EXPECT_EQ(flag, 1);
    }
  });
}

TEST(pure_h_rma_behaviours, operations_on_nothing) {
  on_ranks(2, [](int me) {
    const integers on(me);  // rank 0 has no memory
    on.fence();
    std::int64_t x = 1;
    for (const auto& [rank, disp] : std::vector<std::pair<int, std::int64_t>>{{0, 0}, {1, 0}, {1, 1}, {0, 7}, {1, -3}}) {
      EXPECT_OK(pure_put(nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T, on.win));
      EXPECT_OK(pure_get(nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T, on.win));
      EXPECT_OK(pure_accumulate(nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T, PURE_SUM, on.win));
      EXPECT_OK(pure_get_accumulate(nullptr, 0, PURE_INT64_T, nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T,
                                    PURE_MAX, on.win));
      EXPECT_OK(pure_get_accumulate(nullptr, 0, PURE_INT64_T, nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T,
                                    PURE_NO_OP, on.win));
      pure_request request;
      EXPECT_OK(pure_rput(nullptr, 0, PURE_INT64_T, rank, disp, 0, PURE_INT64_T, on.win, &request));
      EXPECT_OK(pure_wait(&request));
    }
    EXPECT_EQ(pure_put(nullptr, 0, PURE_INT64_T, 2, 0, 0, PURE_INT64_T, on.win), PURE_ERR_RANK);
    EXPECT_EQ(pure_put(&x, 1, PURE_INT64_T, 1, 0, 0, PURE_INT64_T, on.win), PURE_ERR_COUNT);
    EXPECT_NE(pure_put(&x, 1, PURE_INT64_T, 0, 0, 1, PURE_INT64_T, on.win), PURE_SUCCESS);
    on.fence(PURE_MODE_NOSUCCEED);
  });
}

TEST(pure_h_rma_behaviours, separate_pieces_of_one_operation) {
  on_ranks(2, [](int me) {
    const integers on(100);
    pure_datatype pieces;
    const std::int64_t lengths[] = {1, 3, 2}, places[] = {40, 2, 90};  // not in the order of their addresses
    EXPECT_OK(pure_type_indexed(3, lengths, places, PURE_INT64_T, &pieces));
    const std::int64_t values[] = {1, 2, 3, 4, 5, 6};
    on.fence();
    EXPECT_OK(pure_put(values, 6, PURE_INT64_T, 1 - me, 0, 1, pieces, on.win));
    on.fence();
    EXPECT_OK(pure_accumulate(values, 6, PURE_INT64_T, 1 - me, 0, 1, pieces, PURE_SUM, on.win));
    on.fence();
    std::int64_t got[6] = {};
    EXPECT_OK(pure_get(got, 6, PURE_INT64_T, 1 - me, 0, 1, pieces, on.win));
    on.fence(PURE_MODE_NOSUCCEED);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got[i], 2 * values[i]);
    std::int64_t sum = std::accumulate(on.own, on.own + 100, std::int64_t{0});
    EXPECT_EQ(sum, 2 * 21);
    EXPECT_EQ(on.own[40], 2);
    EXPECT_EQ(on.own[2], 4);
    EXPECT_EQ(on.own[91], 12);
    EXPECT_OK(pure_type_free(&pieces));
  });
}

}  // namespace
