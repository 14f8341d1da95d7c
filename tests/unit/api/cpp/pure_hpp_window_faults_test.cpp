// pure::window: what goes wrong in one rank ends in an error of it, and of those that wait for it, with its first
// cause.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <pure/pure.hpp>
#include <pure/window.hpp>

namespace {

using words = pure::window<std::int64_t>;

TEST(pure_hpp_window_faults, a_rank_that_throws_ends_those_that_wait_at_its_window) {
  for (int how = 0; how < 4; ++how) {
    try {
      pure::run(4, [&](pure::comm world) {
        auto win = words::allocate(world, 8, {.name = "halo"});
        if (world.rank() == 1) win.lock(0);
        world.barrier();
        if (world.rank() == 1) throw std::domain_error("the solver diverges");
        switch (how) {
          case 0: win.lock(0); break;
          case 1: win.fence(); break;
          case 2: win.wait_notified(); break;
          default: win.free();
        }
      });
      ADD_FAILURE() << "no error, " << how;
    } catch (const std::domain_error& error) {
      EXPECT_STREQ(error.what(), "the solver diverges");
    }
  }
}

TEST(pure_hpp_window_faults, nor_do_those_go_on_that_spin) {
  for (int how = 0; how < 3; ++how) {
    try {
      pure::run(3, [&](pure::comm world) {
        auto win = words::allocate(world, 1);
        world.barrier();
        if (world.rank() == 1) throw std::domain_error("the solver diverges");
        for (;;) {  // until something changes, which nobody does
          if (how == 0 && win.load({0, 0}) != 0) break;
          if (how == 1 && win.compare_swap(1, 2, {0, 0}) != 0) break;
          if (how == 2) win.flush(0);
        }
      });
      ADD_FAILURE() << "no error, " << how;
    } catch (const std::domain_error& error) {
      EXPECT_STREQ(error.what(), "the solver diverges");
    }
  }
}

TEST(pure_hpp_window_faults, no_window_in_a_task) {
  pure::run(2, [](pure::comm world) {
    auto win = words::allocate(world, 8);
    std::int64_t value = 1;
    const auto refuses = [&](auto call) {
      try {
        pure::parallel_for(1, [&](std::size_t) { call(); });
        ADD_FAILURE() << "no error";
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), pure::errc::state) << error.what();
      }
    };
    refuses([&] { win.put(value, {0, 0}); });
    refuses([&] { (void)win.fetch_op(value, {0, 0}, std::plus<>{}); });
    refuses([&] { win.lock(0); });
    refuses([&] { win.notify(0); });
    refuses([&] { win.fence(); });
    refuses([&] { (void)words::allocate(world, 8); });
    win.free();
  });
}

TEST(pure_hpp_window_faults, ranks_that_want_different_windows) {
  pure::run(2, [](pure::comm world) {
    const auto refuses = [&](auto make, const char* text) {
      try {
        (void)make();
        ADD_FAILURE() << "no error";
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), pure::errc::mismatch);
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      }
    };
    std::int64_t mine[2] = {};
    const bool is_first = world.rank() == 0;
    refuses([&] { return is_first ? words::allocate(world, 2) : words::over(world, mine); }, "rank 0 makes a window");
    refuses(
        [&] {
          return words::allocate(world, 2,
                                 {.where = is_first ? pure::placement::separate : pure::placement::contiguous});
        },
        "different options");
    refuses([&] { return words::allocate(world, 2, {.alignment = is_first ? 64U : 128U}); }, "different options");
    // And then the same ones.
    auto win = words::allocate(world, 2);
    win.free();
  });
}

TEST(pure_hpp_window_faults, a_window_that_was_freed_or_moved_from_says_so) {
  pure::run(2, [](pure::comm world) {
    auto win = words::allocate(world, 2);
    auto moved = std::move(win);
    EXPECT_THROW(win.fence(), pure::Error);  // NOLINT: that is the question
    moved.fence();
    moved.free();
    EXPECT_THROW(moved.put(1, {0, 0}), pure::Error);
  });
}

TEST(pure_hpp_window_faults, a_window_outlives_the_handle_of_a_rank_that_others_still_use) {
  pure::run(2, [](pure::comm world) {
    auto win = words::allocate(world, 2);
    if (world.rank() == 0) {
      { const auto gone = std::move(win); }
      world.send(0, 1);
    } else {
      (void)world.recv<int>(0);
      win.put(7, {0, 1});
      EXPECT_EQ(win.get({0, 1}), 7);
    }
    world.barrier();
  });
}

}  // namespace
