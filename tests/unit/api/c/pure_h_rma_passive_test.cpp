// pure.h, windows: what programs of other MPIs rely on in epochs of locks (docs/windows_tests.md), one behaviour a
// test, against what can be computed without a window. All keep to MPI's rules: PURE_CHECK finds nothing.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/pure_h.hpp"
#include "support/window_of_integers.hpp"

namespace {

using test_support::integers;
using test_support::on_ranks;
using test_support::world;

TEST(pure_h_rma_passive, atomic_operations_of_one_rank_on_one_element_are_ordered) {
  on_ranks(2, [](int me) {
    const integers on(1);
    EXPECT_OK(pure_win_lock_all(0, on.win));
    if (me == 1) {
      for (std::int64_t i = 1; i <= 500; ++i) {  // without a flush in between
        std::int64_t before = -1, after = -1;
        EXPECT_OK(pure_accumulate(&i, 1, PURE_INT64_T, 0, 0, 1, PURE_INT64_T, PURE_REPLACE, on.win));
        EXPECT_OK(pure_get_accumulate(&i, 1, PURE_INT64_T, &before, 1, PURE_INT64_T, 0, 0, 1, PURE_INT64_T, PURE_SUM,
                                      on.win));
        EXPECT_OK(pure_fetch_and_op(nullptr, &after, PURE_INT64_T, 0, 0, PURE_NO_OP, on.win));
        EXPECT_EQ(before, i);
        EXPECT_EQ(after, 2 * i);
      }
    }
    EXPECT_OK(pure_win_unlock_all(on.win));
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_passive, a_counter_made_of_locks_gets_and_sums) {
  constexpr int numbers = 400;
  on_ranks(4, [](int me) {
    // Each rank adds to its own element; the sum of all is the counter (Gropp, Lusk and Thakur, Using MPI-2, 6.5).
    const integers on(4);
    std::vector<std::int64_t> taken(numbers, 0), times(numbers, 0);
    for (;;) {
      on.lock(PURE_LOCK_EXCLUSIVE, 0);
      std::int64_t sum = 0;
      for (int rank = 0; rank < 4; ++rank) sum += on.get(0, rank);
      EXPECT_OK(pure_win_flush(0, on.win));
      if (sum < numbers) on.add(0, me, 1);
      on.unlock(0);
      if (sum >= numbers) break;
      ++taken[static_cast<std::size_t>(sum)];
    }
    EXPECT_OK(pure_allreduce(taken.data(), times.data(), numbers, PURE_INT64_T, PURE_SUM, world));
    EXPECT_EQ(times, std::vector<std::int64_t>(numbers, 1));
    EXPECT_OK(pure_barrier(world));
  });
}

/// Of a list that all ranks append to; addresses are displacements of a dynamic window.
struct node {
  std::int64_t next = 0;  // with the number of its rank in the low bits; 0 at the end
  std::int64_t value = 0;
};

TEST(pure_h_rma_passive, a_list_that_all_ranks_append_to) {
  static constexpr int nodes = 50;
  on_ranks(4, [&](int me) {
    pure_win win;
    EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win));
    std::vector<node> mine(nodes);
    node head;
    EXPECT_OK(pure_win_attach(win, mine.data(), nodes * static_cast<std::int64_t>(sizeof(node))));
    if (me == 0) {
      EXPECT_OK(pure_win_attach(win, &head, sizeof head));
    }
    std::int64_t head_at = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&head));
    EXPECT_OK(pure_bcast(&head_at, 1, PURE_INT64_T, 0, world));
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_lock_all(0, win));
    const std::int64_t nothing = 0;
    const auto swap = [&](int rank, std::int64_t at, std::int64_t expected, std::int64_t desired) {
      std::int64_t before = -1;
      EXPECT_OK(pure_compare_and_swap(&desired, &expected, &before, PURE_INT64_T, rank, at, win));
      return before;
    };
    const auto read = [&](int rank, std::int64_t at) {
      std::int64_t value = -1;
      EXPECT_OK(pure_fetch_and_op(&nothing, &value, PURE_INT64_T, rank, at, PURE_NO_OP, win));
      return value;
    };
    const auto name_of = [](const node& of, int rank) {
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&of)) | rank;  // nodes are aligned to 8 bytes
    };
    for (int i = 0; i < nodes; ++i) {
      mine[static_cast<std::size_t>(i)].value = me * 1000 + i;
      EXPECT_OK(pure_win_sync(win));
      std::int64_t at = head_at;
      int rank = 0;
      for (;;) {  // to the end of the list
        const std::int64_t next = swap(rank, at, 0, name_of(mine[static_cast<std::size_t>(i)], me));
        if (next == 0) break;
        at = next & ~std::int64_t{7};
        rank = static_cast<int>(next & 7);
      }
    }
    EXPECT_OK(pure_barrier(world));
    std::vector<int> seen(4);
    std::int64_t at = head_at;
    int rank = 0;
    for (std::int64_t next = read(rank, at); next != 0; next = read(rank, at)) {
      at = next & ~std::int64_t{7};
      rank = static_cast<int>(next & 7);
      const std::int64_t value = read(rank, at + 8);
      EXPECT_EQ(value, rank * 1000 + seen[static_cast<std::size_t>(rank)]++) << "each rank's nodes are in its order";
    }
    EXPECT_EQ(seen, std::vector<int>(4, nodes));
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_rma_passive, an_atomic_read_of_a_pair_is_never_half_of_two) {
  struct pair {
    double value;
    int index;
  };
  on_ranks(3, [](int me) {
    void* base = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate(sizeof(pair), 1, PURE_INFO_NULL, world, &base, &win));
    EXPECT_OK(pure_win_lock_all(0, win));
    for (int i = 1; i <= 2000; ++i) {
      pair mine{static_cast<double>(i * 3 + me), i * 3 + me}, seen{};
      if (me != 0) {
        EXPECT_OK(pure_accumulate(&mine, 1, PURE_DOUBLE_INT, 0, 0, 1, PURE_DOUBLE_INT, PURE_REPLACE, win));
      }
      EXPECT_OK(pure_get_accumulate(nullptr, 0, PURE_DOUBLE_INT, &seen, 1, PURE_DOUBLE_INT, 0, 0, 1, PURE_DOUBLE_INT,
                                    PURE_NO_OP, win));
      ASSERT_EQ(seen.value, seen.index);
    }
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_rma_passive, what_was_put_and_flushed_is_got) {
  on_ranks(3, [](int me) {
    const integers on(3);
    EXPECT_OK(pure_win_lock_all(0, on.win));
    for (std::int64_t i = 0; i < 500; ++i) {
      const int rank = static_cast<int>(i % 3);
      on.put(rank, me, i);
      EXPECT_OK(pure_win_flush(rank, on.win));
      EXPECT_EQ(on.get(rank, me), i);
      EXPECT_OK(pure_win_flush_all(on.win));
    }
    EXPECT_OK(pure_win_unlock_all(on.win));
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_passive, a_request_of_a_get_may_be_tested) {
  on_ranks(2, [](int me) {
    const integers on(16);
    for (int i = 0; i < 16; ++i) on.own[i] = me * 100 + i;
    EXPECT_OK(pure_barrier(world));
    on.lock(PURE_LOCK_SHARED, 1 - me);
    std::int64_t got[16] = {};
    pure_request requests[16];
    for (int i = 0; i < 16; ++i)
      EXPECT_OK(pure_rget(&got[i], 1, PURE_INT64_T, 1 - me, i, 1, PURE_INT64_T, on.win, &requests[i]));
    for (int flag = 0; flag == 0;) EXPECT_OK(pure_testall(16, requests, &flag));
    for (int i = 0; i < 16; ++i) EXPECT_EQ(got[i], (1 - me) * 100 + i);
    on.unlock(1 - me);
    EXPECT_OK(pure_barrier(world));
  });
}

/// The example of MPI 4.1, 12.8, with request-based operations.
TEST(pure_h_rma_passive, chunks_are_fetched_changed_and_put_back_with_requests) {
  on_ranks(3, [](int me) {
    constexpr int chunks = 12, at_a_time = 4, words = 4;
    const integers on(chunks * words);
    for (int i = 0; i < chunks * words; ++i) on.own[i] = me * 1000 + i;
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_lock_all(0, on.win));
    const int there = (me + 1) % 3;
    std::int64_t data[at_a_time][words];
    pure_request fetch, put_back[at_a_time];
    for (int i = 0; i < chunks; ++i) {
      int j = i;
      if (i >= at_a_time) {
        EXPECT_OK(pure_waitany(at_a_time, put_back, &j, PURE_STATUS_IGNORE));
      }
      if (i % 2 == 0) {
        EXPECT_OK(pure_rget(data[j], words, PURE_INT64_T, there, i * words, words, PURE_INT64_T, on.win, &fetch));
      } else {
        EXPECT_OK(pure_rget_accumulate(nullptr, 0, PURE_INT64_T, data[j], words, PURE_INT64_T, there, i * words, words,
                                       PURE_INT64_T, PURE_NO_OP, on.win, &fetch));
      }
      EXPECT_OK(pure_wait(&fetch));
      for (std::int64_t& each : data[j]) each = -each;
      EXPECT_OK(pure_rput(data[j], words, PURE_INT64_T, there, i * words, words, PURE_INT64_T, on.win, &put_back[j]));
    }
    EXPECT_OK(pure_waitall(at_a_time, put_back));
    EXPECT_OK(pure_win_unlock_all(on.win));
    EXPECT_OK(pure_barrier(world));
    for (int i = 0; i < chunks * words; ++i) EXPECT_EQ(on.own[i], -(me * 1000 + i)) << i;
  });
}

}  // namespace
