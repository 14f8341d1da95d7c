// Collectives among neighbours: several at a time on one communicator, persistent ones, errors.
#include "coll/neighbour_exchange.hpp"

#include <pure.h>

#include <gtest/gtest.h>

#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

using message = neighbour_exchange::message;
constexpr call by{"exchange", {"here.cpp", 1}};

message of_int(int& at, int peer, int tag) { return {{&at, sizeof at, {}}, peer, tag}; }

TEST(neighbour_exchange, each_meets_its_own) {
  for (const int ranks : {1, 2, 3, 4}) {
    test_support::on_ranks(ranks, [ranks](int me) {
      communicator& world = communicator_table::of(*self()).world();
      const int above = (me + 1) % ranks, below = (me + ranks - 1) % ranks;
      constexpr int pending = 4;
      int sent[pending][2], got[pending][2];
      handle requests[pending];
      for (int i = 0; i < pending; ++i) {  // tags tell two edges to one rank apart
        sent[i][0] = 100 * me + 10 * i;
        sent[i][1] = sent[i][0] + 1;
        requests[i] = start_neighbour_exchange(world, by, {of_int(sent[i][0], below, 0), of_int(sent[i][1], above, 1)},
                                               {of_int(got[i][0], below, 1), of_int(got[i][1], above, 0)}, false);
      }
      for (int i = pending; i-- > 0;) {
        world.requests().wait(by, requests[i]);
        EXPECT_EQ(world.requests().finish(requests[i]).error, errc::success);
        EXPECT_EQ(got[i][0], 100 * below + 10 * i + 1);
        EXPECT_EQ(got[i][1], 100 * above + 10 * i);
      }
    });
  }
}

TEST(neighbour_exchange, may_be_persistent_and_with_nobody) {
  test_support::on_ranks(2, [](int me) {
    communicator& world = communicator_table::of(*self()).world();
    int sent = 0, got = -1, untouched = -1;
    handle request = start_neighbour_exchange(world, by, {of_int(sent, 1 - me, 0)},
                                              {of_int(got, 1 - me, 0), of_int(untouched, proc_null, 0)}, true);
    for (int round = 0; round < 3; ++round) {
      sent = 10 * me + round;
      world.requests().start(by, request);
      world.requests().wait(by, request);
      EXPECT_EQ(world.requests().finish(request).error, errc::success);
      EXPECT_EQ(got, 10 * (1 - me) + round);
    }
    world.requests().free_request(by, request);
    EXPECT_EQ(untouched, -1);
    run_neighbour_exchange(world, by, {}, {});  // of a rank without neighbours
  });
}

TEST(neighbour_exchange, says_that_there_was_no_room) {
  test_support::on_ranks(1, [](int) {
    communicator& world = communicator_table::of(*self()).world();
    int sent[2] = {1, 2}, got = 0;
    try {
      run_neighbour_exchange(world, by, {{{sent, sizeof sent, {}}, 0, 0}}, {of_int(got, 0, 0)});
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::truncate);
    }
  });
}

}  // namespace
}  // namespace pure::core
