// pure::window: the typed interface of windows.
#include <pure/window.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <vector>

#include <pure/pure.hpp>

#include "window/operations.hpp"
#include "window/window_group.hpp"

namespace {

// The two lists of each are one: they are cast.
static_assert(static_cast<int>(pure::pages::transparent) == static_cast<int>(pure::core::page_kind::transparent));
static_assert(static_cast<int>(pure::pages::reserved) == static_cast<int>(pure::core::page_kind::reserved));
static_assert(static_cast<int>(pure::atomics::hardware) == static_cast<int>(pure::core::atomics_by::hardware));

/// Runs `body(world)` on that many ranks.
template <class Body>
void in_world_of(int ranks, Body body) {
  pure::run(ranks, [&](pure::comm world) { body(world); });
}

template <class Call>
std::string text_of_error_of(Call call, pure::errc code) {
  try {
    call();
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(pure_hpp_window, a_halo_is_exchanged_by_notifications) {
  in_world_of(4, [](pure::comm world) {
    auto halo = pure::window<double>::allocate(world, 2, {.name = "halo"});
    const int right = (world.rank() + 1) % 4, left = (world.rank() + 3) % 4;
    for (int step = 0; step < 500; ++step) {
      const double edge = world.rank() * 1000 + step;
      halo.put(edge, {right, 0});
      halo.notify(right, 0);
      halo.put_notify(std::span(&edge, 1), {left, 1}, 1);
      halo.wait_notified(1, 0);
      halo.wait_notified(1, 1);
      EXPECT_EQ(halo.local()[0], left * 1000 + step);
      EXPECT_EQ(halo.local()[1], right * 1000 + step);
      world.barrier();
    }
    halo.free();
  });
}

TEST(pure_hpp_window, parts_are_plain_memory) {
  for (const auto where : {pure::placement::separate, pure::placement::contiguous}) {
    in_world_of(3, [&](pure::comm world) {
      auto table = pure::window<int>::allocate(world, 100 + static_cast<std::size_t>(world.rank()), {.where = where});
      std::iota(table.local().begin(), table.local().end(), 1000 * world.rank());
      table.fence();
      for (int rank = 0; rank < 3; ++rank) {
        ASSERT_EQ(table.size(rank), 100U + static_cast<std::size_t>(rank));
        for (std::size_t i = 0; i < table.size(rank); ++i)
          EXPECT_EQ(table.part(rank)[i], 1000 * rank + static_cast<int>(i));
      }
      if (where == pure::placement::contiguous) {
        EXPECT_EQ(table.part(1).data(), table.part(0).data() + table.size(0));
      }
      table.fence();
    });  // and is left: nobody waits
  }
}

TEST(pure_hpp_window, over_memory_that_is_there) {
  in_world_of(2, [](pure::comm world) {
    std::vector<float> mine(10, static_cast<float>(world.rank()));
    auto seen = pure::window<float>::over(world, mine);
    EXPECT_EQ(seen.local().data(), mine.data());
    world.barrier();
    EXPECT_EQ(seen.get({1 - world.rank(), 9}), static_cast<float>(1 - world.rank()));
    std::vector<float> all(10);
    seen.get(all, {1 - world.rank(), 0});
    EXPECT_EQ(all, std::vector<float>(10, static_cast<float>(1 - world.rank())));
    seen.free();
  });
}

TEST(pure_hpp_window, operations_are_atomic) {
  for (const auto by : {pure::atomics::any_type, pure::atomics::hardware}) {
    in_world_of(4, [&](pure::comm world) {
      auto counters = pure::window<std::int64_t>::allocate(world, 8, {.by = by});
      for (int i = 0; i < 2000; ++i) {
        counters.fetch_op(1, {0, 0}, std::plus<>{});
        counters.accumulate(2, {0, 0}, std::plus<>{});
        for (std::int64_t seen = counters.load({0, 1});;) {
          const std::int64_t before = counters.compare_swap(seen, seen + 1, {0, 1});
          if (before == seen) break;
          seen = before;
        }
        counters.accumulate(world.rank() * 10'000 + i, {0, 2}, pure::max{});
        if (by == pure::atomics::hardware) counters.atomic({0, 3}).fetch_add(1);
        if (by == pure::atomics::hardware) counters.fetch_op(1, {0, 3}, std::plus<>{});
      }
      counters.fence();
      EXPECT_EQ(counters.load({0, 0}), 3 * 4 * 2000);
      EXPECT_EQ(counters.load({0, 1}), 4 * 2000);
      EXPECT_EQ(counters.load({0, 2}), 30'000 + 1999);
      EXPECT_EQ(counters.load({0, 3}), by == pure::atomics::hardware ? 2 * 4 * 2000 : 0);
      counters.free();
    });
  }
}

struct charged_particle {
  double x, y, z;
  int kind;
  int charge;
};

TEST(pure_hpp_window, of_structs) {
  in_world_of(2, [](pure::comm world) {
    auto all = pure::window<charged_particle>::allocate(world, 3);
    const int other = 1 - world.rank();
    all.put(charged_particle{1, 2, 3, world.rank(), 5}, {other, 2});
    world.barrier();
    EXPECT_EQ(all.local()[2].kind, other);
    all.store(charged_particle{4, 4, 4, 10 + world.rank(), 0}, {other, 1});
    world.barrier();
    EXPECT_EQ(all.load({world.rank(), 1}).kind, 10 + other);
    all.free();
  });
}

TEST(pure_hpp_window, locks_end_with_their_scope) {
  in_world_of(3, [](pure::comm world) {
    auto sum = pure::window<long>::allocate(world, 2);
    for (int i = 0; i < 1000; ++i) {
      const auto locked = sum.scoped_lock(1);
      long& first = sum.part(1)[0];
      EXPECT_EQ(first, sum.part(1)[1]);
      ++first;
      ++sum.part(1)[1];
    }
    sum.fence();
    EXPECT_EQ(sum.part(1)[1], 3000);
    {
      const auto shared = sum.scoped_lock(1, pure::lock_mode::shared);
      EXPECT_EQ(sum.part(1)[0], 3000);
    }
    sum.lock_all();
    sum.flush();
    sum.unlock_all();
    sum.free();
  });
}

TEST(pure_hpp_window, epochs_of_groups) {
  in_world_of(3, [](pure::comm world) {
    auto one = pure::window<int>::allocate(world, 3);
    const pure::group all = world.group();
    for (int round = 0; round < 50; ++round) {
      one.post(all);
      one.start(all);
      for (int rank = 0; rank < 3; ++rank)
        one.put(10 * world.rank() + round, {rank, static_cast<std::size_t>(world.rank())});
      one.complete();
      if (round % 2 == 0) {
        one.wait();
      } else {
        while (!one.test()) {
        }
      }
      for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(one.local()[static_cast<std::size_t>(rank)], 10 * rank + round);
    }
    one.free();
  });
}

TEST(pure_hpp_window, errors) {
  in_world_of(2, [](pure::comm world) {
    auto some = pure::window<int>::allocate(world, 4, {.name = "some"});
    EXPECT_NE(text_of_error_of(
                  [&] {
                    some.put(1, {0, 4});
                  },
                  pure::errc::rma_range)
                  .find("window \"some\": 4 bytes at displacement 4 (of 4 bytes) are not all in the part of rank 0"),
              std::string::npos);
    text_of_error_of([&] { some.put(1, {0, ~std::size_t{0}}); }, pure::errc::rma_range);
    text_of_error_of([&] { some.put(1, {2, 0}); }, pure::errc::rank);
    text_of_error_of([&] { some.notify(0, 8); }, pure::errc::argument);
    text_of_error_of([&] { (void)some.atomic({0, 0}); }, pure::errc::rma_flavor);
    text_of_error_of([&] { some.lock(0), some.lock(0); }, pure::errc::rma_sync);
    text_of_error_of([&] { some.free(); }, pure::errc::rma_sync);
    some.unlock(0);
    auto moved = std::move(some);
    text_of_error_of([&] { some.put(1, {0, 0}); }, pure::errc::win);  // NOLINT: moved from on purpose
    moved.free();
    text_of_error_of([&] { moved.fence(); }, pure::errc::win);
  });
}

}  // namespace
