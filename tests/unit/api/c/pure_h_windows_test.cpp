// pure.h, windows: what the functions do. Their errors: pure_h_windows_errors_test.cpp; operations against a serial
// model: pure_h_rma_test.cpp.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/pure_h.hpp"
#include "support/pure_h_info.hpp"

namespace {

using test_support::expect_error;
using test_support::info_with;
using test_support::on_ranks;
using test_support::world;

struct part {
  std::int64_t size = -1;
  int unit = -1;
  std::byte* base = nullptr;
};

part query(pure_win win, int rank) {
  part found;
  EXPECT_OK(pure_win_shared_query(win, rank, &found.size, &found.unit, &found.base));
  return found;
}

template <class T>
T attribute(pure_win win, int which) {
  T value{};
  int flag = 0;
  EXPECT_OK(pure_win_get_attr(win, which, &value, &flag));
  EXPECT_EQ(flag, 1);
  return value;
}

TEST(pure_h_windows, contiguous_memory_of_one_rank_follows_that_of_the_one_before) {
  on_ranks(4, [](int me) {
    const std::int64_t sizes[] = {24, 0, 100'000, 7};
    std::byte* base = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(sizes[me], me + 1, PURE_INFO_NULL, world, &base, &win));
    std::byte* expected = query(win, 0).base;
    for (int rank = 0; rank < 4; ++rank) {
      const part its = query(win, rank);
      EXPECT_EQ(its.base, expected) << rank;
      EXPECT_EQ(its.size, sizes[rank]);
      EXPECT_EQ(its.unit, rank + 1);
      expected += sizes[rank];
      if (rank == me) {
        EXPECT_EQ(its.base, base);
      }
    }
    EXPECT_EQ(query(win, PURE_PROC_NULL).base, query(win, 0).base);
    for (std::int64_t i = 0; i < sizes[me]; ++i) EXPECT_EQ(base[i], std::byte{0}) << i;
    EXPECT_OK(pure_win_free(&win));
    EXPECT_EQ(win, PURE_WIN_NULL);
  });
}

TEST(pure_h_windows, separate_memory_is_on_pages_of_its_own_from_a_page_on) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{8}, std::int64_t{4096}, std::int64_t{1'000'000}}) {
    on_ranks(3, [&](int me) {
      const pure_info info = info_with("alloc_shared_noncontig", "true");
      std::byte* base = nullptr;
      pure_win win;
      EXPECT_OK(pure_win_allocate_shared(size, 1, info, world, &base, &win));
      ASSERT_NE(base, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base) % (size < 4096 ? 64 : 4096), 0U);
      for (int rank = 0; rank < 3; ++rank) {
        if (rank == me) continue;
        const std::byte* const other = query(win, rank).base;
        EXPECT_TRUE(other >= base + size || other + size <= base);
      }
      EXPECT_OK(pure_win_free(&win));
      pure_info copy = info;
      EXPECT_OK(pure_info_free(&copy));
    });
  }
}

TEST(pure_h_windows, an_alignment_is_granted) {
  for (const char* const alignment : {"64", "4096", "2097152"}) {
    for (const std::int64_t size : {std::int64_t{100}, std::int64_t{10'000}}) {
      on_ranks(2, [&](int) {
        std::byte* base = nullptr;
        pure_win win;
        EXPECT_OK(pure_win_allocate(size, 1, info_with("mpi_minimum_memory_alignment", alignment), world, &base, &win));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base) % std::stoul(alignment), 0U);
        pure_info granted;
        EXPECT_OK(pure_win_get_info(win, &granted));
        const char* value = nullptr;
        EXPECT_OK(pure_info_get(granted, "mpi_minimum_memory_alignment", &value));
        EXPECT_STREQ(value, alignment);
        EXPECT_OK(pure_info_free(&granted));
        EXPECT_OK(pure_win_free(&win));
      });
    }
  }
}

TEST(pure_h_windows, the_null_process_stands_for_the_lowest_rank_that_has_memory) {
  on_ranks(3, [](int me) {
    std::byte* base = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(me == 1 ? 40 : 0, 1, PURE_INFO_NULL, world, &base, &win));
    EXPECT_EQ(query(win, PURE_PROC_NULL).size, 40);
    EXPECT_EQ(query(win, PURE_PROC_NULL).base, query(win, 1).base);
    EXPECT_OK(pure_win_free(&win));
    EXPECT_OK(pure_win_allocate_shared(0, 1, PURE_INFO_NULL, world, &base, &win));
    EXPECT_EQ(query(win, PURE_PROC_NULL).size, 0);
    EXPECT_OK(pure_win_free(&win));
  });
  on_ranks(1, [](int) {
    std::byte* base = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(8, 1, PURE_INFO_NULL, world, &base, &win));
    EXPECT_EQ(query(win, PURE_PROC_NULL).base, base);
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, attributes_names_and_groups) {
  on_ranks(2, [](int me) {
    std::vector<double> own(10 + static_cast<std::size_t>(me));
    pure_win win;
    EXPECT_OK(pure_win_create(own.data(), static_cast<std::int64_t>(own.size() * 8), 8, info_with("pure_name", "rows"),
                              world, &win));
    EXPECT_EQ(attribute<void*>(win, PURE_WIN_BASE), own.data());
    EXPECT_EQ(attribute<std::int64_t>(win, PURE_WIN_SIZE), 80 + 8 * me);
    EXPECT_EQ(attribute<int>(win, PURE_WIN_DISP_UNIT), 8);
    EXPECT_EQ(attribute<int>(win, PURE_WIN_CREATE_FLAVOR), PURE_WIN_FLAVOR_CREATE);
    EXPECT_EQ(attribute<int>(win, PURE_WIN_MODEL), PURE_WIN_UNIFIED);
    int flag = 1;
    double value = 0;
    EXPECT_OK(pure_win_get_attr(win, 77, &value, &flag));
    EXPECT_EQ(flag, 0);
    const char* name = nullptr;
    EXPECT_OK(pure_win_get_name(win, &name));
    EXPECT_STREQ(name, "rows");
    EXPECT_OK(pure_win_set_name(win, "columns"));
    EXPECT_OK(pure_win_get_name(win, &name));
    EXPECT_STREQ(name, "columns");
    pure_group group;
    EXPECT_OK(pure_win_get_group(win, &group));
    int size = 0;
    EXPECT_OK(pure_group_size(group, &size));
    EXPECT_EQ(size, 2);
    EXPECT_OK(pure_group_free(&group));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, a_fence_makes_stores_and_puts_visible) {
  on_ranks(4, [](int me) {
    std::int64_t* own = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(16, 8, PURE_INFO_NULL, world, &own, &win));
    for (int round = 0; round < 200; ++round) {
      EXPECT_OK(pure_win_fence(0, win));
      own[0] = me * 1000 + round;
      const std::int64_t put = me * 1'000'000 + round;
      EXPECT_OK(pure_put(&put, 1, PURE_INT64_T, (me + 1) % 4, 1, 1, PURE_INT64_T, win));
      EXPECT_OK(pure_win_fence(0, win));
      const int right = (me + 1) % 4, left = (me + 3) % 4;
      EXPECT_EQ(*reinterpret_cast<std::int64_t*>(query(win, right).base), right * 1000 + round);
      EXPECT_EQ(own[1], left * 1'000'000 + round);
    }
    EXPECT_OK(pure_win_fence(PURE_MODE_NOSUCCEED, win));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, post_start_complete_wait_for_some_ranks) {
  on_ranks(5, [](int me) {
    std::int64_t* own = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate(8 * 5, 8, PURE_INFO_NULL, world, &own, &win));
    pure_group all, origins, targets;
    EXPECT_OK(pure_comm_group(world, &all));
    const int from[] = {(me + 4) % 5, (me + 3) % 5}, to[] = {(me + 1) % 5, (me + 2) % 5};
    EXPECT_OK(pure_group_incl(all, 2, from, &origins));
    EXPECT_OK(pure_group_incl(all, 2, to, &targets));
    for (int round = 1; round <= 100; ++round) {
      EXPECT_OK(pure_win_post(origins, 0, win));
      EXPECT_OK(pure_win_start(targets, 0, win));
      const std::int64_t value = me * 1000 + round;
      for (const int each : to) EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, each, me, 1, PURE_INT64_T, win));
      EXPECT_OK(pure_win_complete(win));
      if (round % 2 == 0) {
        EXPECT_OK(pure_win_wait(win));
      } else {
        for (int flag = 0; flag == 0;) EXPECT_OK(pure_win_test(win, &flag));
      }
      for (const int each : from) EXPECT_EQ(own[each], each * 1000 + round);
    }
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, an_exclusive_lock_excludes_all_others) {
  constexpr int rounds = 2000;
  on_ranks(4, [](int me) {
    std::int64_t* own = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(16, 8, PURE_INFO_NULL, world, &own, &win));
    auto* const counters = reinterpret_cast<std::int64_t*>(query(win, 0).base);
    for (int round = 0; round < rounds; ++round) {
      if (round % 4 == me) {
        EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, 0, 0, win));
        EXPECT_EQ(counters[0], counters[1]);
        EXPECT_OK(pure_win_unlock(0, win));
      }
      EXPECT_OK(pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win));
      EXPECT_EQ(counters[0]++, counters[1]);
      ++counters[1];
      EXPECT_OK(pure_win_unlock(0, win));
    }
    EXPECT_OK(pure_win_fence(0, win));
    EXPECT_EQ(counters[0], 4 * rounds);
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, notifications_bring_what_was_stored_before) {
  on_ranks(3, [](int me) {
    std::int64_t* own = nullptr;
    pure_win win;
    EXPECT_OK(pure_win_allocate_shared(8, 8, PURE_INFO_NULL, world, &own, &win));
    const int right = (me + 1) % 3, left = (me + 2) % 3;
    for (int round = 0; round < 1000; ++round) {
      own[0] = me + round;
      EXPECT_OK(pure_win_notify(right, 3, win));
      EXPECT_OK(pure_win_wait_notified(1, 3, win));
      EXPECT_EQ(*reinterpret_cast<std::int64_t*>(query(win, left).base), left + round);
      EXPECT_OK(pure_win_notify(left, 4, win));  // it may be written again
      if (round % 2 == 0) {
        EXPECT_OK(pure_win_wait_notified(1, 4, win));
      } else {
        for (int flag = 0; flag == 0;) EXPECT_OK(pure_win_test_notified(1, 4, win, &flag));
      }
    }
    for (int i = 0; i < 10; ++i) EXPECT_OK(pure_win_notify(right, 0, win));
    EXPECT_OK(pure_win_wait_notified(10, 0, win));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, memory_is_attached_to_dynamic_ones) {
  on_ranks(2, [](int me) {
    pure_win win;
    EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win));
    std::vector<std::int64_t> own(8);
    EXPECT_OK(pure_win_attach(win, own.data(), 64));
    expect_error(pure_win_attach(win, own.data() + 4, 64), PURE_ERR_RMA_ATTACH, {"overlap what is attached already"});
    std::int64_t addresses[2] = {};
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(own.data()));
    EXPECT_OK(pure_allgather(&address, 1, PURE_INT64_T, addresses, 1, PURE_INT64_T, world));
    EXPECT_OK(pure_win_lock_all(0, win));
    const std::int64_t value = 70 + me;
    EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, 1 - me, addresses[1 - me] + 16, 1, PURE_INT64_T, win));
    expect_error(pure_put(&value, 1, PURE_INT64_T, 1 - me, addresses[1 - me] + 60, 1, PURE_INT64_T, win),
                 PURE_ERR_RMA_RANGE, {"are not all in memory that rank ", " has attached"});
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_barrier(world));
    EXPECT_EQ(own[2], 71 - me);
    EXPECT_OK(pure_win_detach(win, own.data()));
    expect_error(pure_win_detach(win, own.data()), PURE_ERR_RMA_ATTACH, {"no memory that was attached begins at"});
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, regions_that_touch_are_used_by_one_operation) {
  on_ranks(2, [](int me) {
    pure_win win;
    EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win));
    std::vector<std::int64_t> own(8, -1);
    EXPECT_OK(pure_win_attach(win, own.data(), 0));
    EXPECT_OK(pure_win_detach(win, own.data()));
    expect_error(pure_win_detach(win, own.data()), PURE_ERR_RMA_ATTACH, {"no memory that was attached begins at"});
    EXPECT_OK(pure_win_attach(win, own.data(), 12));  // in the middle of an element
    EXPECT_OK(pure_win_attach(win, own.data() + 4, 32));
    EXPECT_OK(pure_win_attach(win, reinterpret_cast<char*>(own.data()) + 12, 20));
    std::int64_t addresses[2] = {};
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(own.data()));
    EXPECT_OK(pure_allgather(&address, 1, PURE_INT64_T, addresses, 1, PURE_INT64_T, world));
    const std::vector<std::int64_t> sent{0, 1, 2, 3, 4, 5, 6, 7};
    const auto put = [&](std::int64_t count) {
      return pure_put(sent.data(), count, PURE_INT64_T, 1 - me, addresses[1 - me], count, PURE_INT64_T, win);
    };
    EXPECT_OK(pure_win_lock_all(0, win));
    EXPECT_OK(put(8));
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_barrier(world));
    EXPECT_EQ(own, sent);
    EXPECT_OK(pure_win_detach(win, reinterpret_cast<char*>(own.data()) + 12));
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_win_lock_all(0, win));
    expect_error(put(8), PURE_ERR_RMA_RANGE, {"are not all in memory that rank ", " has attached"});
    // What lies between the elements need not be attached.
    pure_datatype ends;
    EXPECT_OK(pure_type_vector(2, 1, 7, PURE_INT64_T, &ends));
    EXPECT_OK(pure_put(sent.data() + 2, 2, PURE_INT64_T, 1 - me, addresses[1 - me], 1, ends, win));
    expect_error(pure_put(sent.data() + 2, 2, PURE_INT64_T, 1 - me, addresses[1 - me] + 8, 1, ends, win),
                 PURE_ERR_RMA_RANGE, {"are not all in memory that rank ", " has attached"});
    EXPECT_OK(pure_type_free(&ends));
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_barrier(world));
    EXPECT_EQ(own, (std::vector<std::int64_t>{2, 1, 2, 3, 4, 5, 6, 3}));
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_windows, ten_thousand_of_them_at_a_time) {
  on_ranks(2, [](int me) {
    std::vector<pure_win> all(10'000);
    std::vector<std::int64_t*> own(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(pure_win_allocate(64, 8, PURE_INFO_NULL, world, &own[i], &all[i]), PURE_SUCCESS) << i;
    }
    for (std::size_t i = 0; i < all.size(); i += 97) {
      EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, 1 - me, 0, all[i]));
      const auto value = static_cast<std::int64_t>(i);
      EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, 1 - me, 3, 1, PURE_INT64_T, all[i]));
      EXPECT_OK(pure_win_unlock(1 - me, all[i]));
    }
    EXPECT_OK(pure_barrier(world));
    for (std::size_t i = 0; i < all.size(); i += 97) EXPECT_EQ(own[i][3], static_cast<std::int64_t>(i));
    for (pure_win& each : all) EXPECT_OK(pure_win_free(&each));
  });
}

}  // namespace
