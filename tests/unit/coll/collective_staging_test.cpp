// What is done around a collective: before each run, and after each that has gone well; gone with its request.
#include "coll/collective_staging.hpp"

#include <pure.h>

#include <gtest/gtest.h>

#include <memory>

#include "coll/collective.hpp"
#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

struct counts {
  int before = 0, after = 0, ended = 0;
};

class counting final : public collective_staging {
 public:
  counting(counts& all, const int& given, int& row, int& taken) : all_(all), given_(given), row_(row), taken_(taken) {}
  ~counting() override { ++all_.ended; }
  void before() noexcept override {
    ++all_.before;
    row_ = given_;
  }
  void after() noexcept override {
    ++all_.after;
    taken_ = row_;
  }

 private:
  counts& all_;
  const int& given_;
  int &row_, &taken_;
};

TEST(collective_staging, is_around_each_run) {
  for (const int ranks : {1, 2, 3}) {
    test_support::on_ranks(ranks, [ranks](int me) {
      communicator& world = communicator_table::of(*self()).world();
      const call by{"staged", {"here.cpp", 1}};
      counts all;
      int given = 0, row = -1, taken = -1;
      collective_arguments what;
      what.kind = collective::bcast;
      what.root = ranks - 1;
      what.recv = &row;
      what.count = 1;
      what.element_bytes = sizeof row;
      handle request = make_persistent_collective(world, by, what, std::make_unique<counting>(all, given, row, taken));
      EXPECT_EQ(all.before, 0);
      for (int round = 1; round <= 3; ++round) {
        given = 100 * me + round;
        world.requests().start(by, request);
        EXPECT_EQ(all.before, round);
        world.requests().wait(by, request);
        EXPECT_EQ(world.requests().finish(request).error, errc::success);
        EXPECT_EQ(all.after, round);
        EXPECT_EQ(taken, 100 * (ranks - 1) + round);
      }
      world.requests().free_request(by, request);
      EXPECT_EQ(all.ended, 1);
      given = me;
      handle once = start_collective(world, by, what, std::make_unique<counting>(all, given, row, taken));
      world.requests().wait(by, once);
      EXPECT_EQ(world.requests().finish(once).error, errc::success);
      EXPECT_EQ(taken, ranks - 1);
      EXPECT_EQ(all.after, 4);
      EXPECT_EQ(all.ended, 2);
    });
  }
}

TEST(collective_staging, has_nothing_to_take_where_a_call_is_refused) {
  test_support::on_ranks(1, [](int) {
    communicator& world = communicator_table::of(*self()).world();
    counts all;
    int given = 0, row = -1, taken = -1;
    collective_arguments what;
    what.kind = collective::bcast;
    what.root = 7;
    EXPECT_THROW(
        {
          static_cast<void>(
              start_collective(world, {"staged", {}}, what, std::make_unique<counting>(all, given, row, taken)));
        },
        Error);
    EXPECT_EQ(all.before + all.after, 0);
    EXPECT_EQ(all.ended, 1);
  });
}

}  // namespace
}  // namespace pure::core
