// What is wrong with one rank's arguments of a call by which all ranks make something is the error of all of them.
// Between processes: tests/net/creations.sh.
#include <pure.h>

#include <gtest/gtest.h>

#include <string>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/pure_h.hpp"
#include "support/pure_hpp.hpp"
#include "support/wrong_creations.hpp"

namespace {

using test_support::on_ranks;
using test_support::world;

TEST(pure_h_creations_errors, one_rank_errs_and_all_are_told) {
  for (const char* const check : {"0", "1"}) {
    const test_support::environment set({{"PURE_CHECK", check}});
    for (const int errs : {0, 1, 2}) {
      on_ranks(
          3, [&] { test_support::try_wrong_creations(errs, [](const std::string& text) { ADD_FAILURE() << text; }); });
    }
  }
}

TEST(pure_h_creations_errors, each_rank_that_errs_has_its_own_error_and_the_others_that_of_the_first) {
  on_ranks(4, [](int me) {
    void* base = nullptr;
    pure_win win = PURE_WIN_NULL;
    const int code = pure_win_allocate(me == 3 ? -3 : 8, me == 2 ? 0 : 1, PURE_INFO_NULL, world, &base, &win);
    EXPECT_EQ(code, me == 3 ? PURE_ERR_ARG : PURE_ERR_DISP) << pure_last_error();
    const std::string window_error = pure_last_error();
    EXPECT_EQ(window_error.find("it has failed on rank 2, and so it fails on all ranks: ") != std::string::npos, me < 2)
        << window_error;

    pure_comm made = PURE_COMM_NULL;
    EXPECT_EQ(pure_comm_split(world, me == 1 ? -5 : 0, 0, me == 3 ? nullptr : &made), PURE_ERR_ARG);
    const std::string split_error = pure_last_error();
    const bool is_told = split_error.find("it has failed on rank 1, and so it fails on all ranks: ") !=
                         std::string::npos;
    EXPECT_EQ(is_told, me == 0 || me == 2) << split_error;
    EXPECT_EQ(split_error.find("`made` is null") != std::string::npos, me == 3) << split_error;
    EXPECT_OK(pure_barrier(world));
  });
}

/// The group and the tag are what members find each other by: nobody hears of a rank that has them wrong.
TEST(pure_h_creations_errors, who_cannot_be_heard_may_call_again) {
  on_ranks(2, [](int me) {
    pure_group all = PURE_GROUP_NULL;
    EXPECT_OK(pure_comm_group(world, &all));
    pure_comm made = PURE_COMM_NULL;
    if (me == 1) {
      EXPECT_EQ(pure_comm_create_group(world, all, -1, &made), PURE_ERR_TAG);
      EXPECT_EQ(pure_comm_create_group(world, PURE_GROUP_EMPTY, 0, &made), PURE_ERR_GROUP);
      EXPECT_EQ(pure_comm_create_group(world, PURE_GROUP_NULL, 0, &made), PURE_ERR_GROUP);
      EXPECT_EQ(pure_comm_dup(PURE_COMM_NULL, &made), PURE_ERR_COMM);
    }
    EXPECT_OK(pure_comm_create_group(world, all, 0, &made));
    EXPECT_OK(pure_comm_free(&made));
    EXPECT_OK(pure_group_free(&all));
  });
}

TEST(pure_h_creations_errors, exceptions_on_all_ranks) {
  for (const int errs : {0, 1, 2}) {
    pure::run(3, [&](pure::comm all) {
      const bool wrong = all.rank() == errs;
      test_support::expect_error(pure::errc::argument, {"an alignment of 48 bytes is no power of two"},
                                 [&] { (void)pure::window<int>::allocate(all, 4, {.alignment = wrong ? 48U : 64U}); });
      test_support::expect_error(pure::errc::argument, {"split: rank ", "the color -2 is negative"},
                                 [&] { (void)all.split(wrong ? -2 : 1); });
      test_support::expect_error(pure::errc::argument, {"memory cap of 1 bytes"},
                                 [&] { const pure::aggregation made(all, {.memory_cap = wrong ? 1U : 1U << 20}); });
      all.barrier();
      pure::window<int> right = pure::window<int>::allocate(all, 4, {.alignment = 64});
      right.fence();
      right.free();
    });
  }
}

}  // namespace
