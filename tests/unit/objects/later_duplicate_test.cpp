// Duplicates that are there later: of several communicators at a time, also where the ranks do other things meanwhile.
#include "objects/later_duplicate.hpp"

#include <pure.h>

#include <gtest/gtest.h>

#include "comm/communicator_table.hpp"
#include "comm/create.hpp"
#include "comm/point_to_point.hpp"
#include "runtime/rank.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

constexpr call by{"duplicate_later", {"here.cpp", 1}};

TEST(later_duplicate, is_a_communicator_of_its_own) {
  for (const int ranks : {1, 2, 3}) {
    test_support::on_ranks(ranks, [ranks](int me) {
      communicator& world = communicator_table::of(*self()).world();
      communicator* made[2] = {};
      int times = 0;
      handle requests[2];
      for (int i = 0; i < 2; ++i) {
        requests[i] = start_duplicate(world, by, [&, i](communicator& one) {
          made[i] = &one;
          ++times;
        });
      }
      if (me == 0) {  // a call that waits for something else moves it on
        for (int other = 1; other < ranks; ++other) {
          int got = 0;
          receive(world, by, {&got, sizeof got, nullptr}, other, 5, [](const status&) {});
        }
      }
      for (int i = 2; i-- > 0;) {
        world.requests().wait(by, requests[i]);
        EXPECT_EQ(world.requests().finish(requests[i]).error, errc::success);
      }
      if (me != 0) send(world, by, &me, sizeof me, 0, 5);
      EXPECT_EQ(times, 2);
      ASSERT_TRUE(made[0] != nullptr && made[1] != nullptr);
      EXPECT_EQ(compare(*made[0], world), comparison::congruent);
      EXPECT_EQ(compare(*made[0], *made[1]), comparison::congruent);
      int sent[2] = {10 * me, 10 * me + 1}, got[2] = {-1, -1};
      const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
      handle pending[2];
      for (int i = 0; i < 2; ++i)
        pending[i] = start_receive(*made[i], by, receive_place{&got[i], sizeof(int), nullptr}, before, 0);
      for (int i = 2; i-- > 0;) send(*made[i], by, &sent[i], sizeof(int), next, 0);
      for (handle& each : pending) {
        world.requests().wait(by, each);
        world.requests().finish(each);
      }
      EXPECT_EQ(got[0], 10 * before);
      EXPECT_EQ(got[1], 10 * before + 1);
      free(*made[0], by);
      free(*made[1], by);
    });
  }
}

TEST(later_duplicate, leaves_nothing_when_it_is_freed) {
  test_support::on_ranks(3, [](int) {
    communicator& world = communicator_table::of(*self()).world();
    communicator_registry& registry = communicator_table::of(*self()).registry();
    for (int round = 0; round < 20; ++round) {
      communicator* made = nullptr;
      handle request = start_duplicate(world, by, [&](communicator& one) { made = &one; });
      world.requests().wait(by, request);
      world.requests().finish(request);
      free(*made, by);
    }
    EXPECT_EQ(pure_barrier(PURE_COMM_WORLD), PURE_SUCCESS);
    EXPECT_EQ(registry.live(), 0U);
  });
}

}  // namespace
}  // namespace pure::core
