// pure.h, persistent collectives: made in one order, started in any order, another one on each rank (MPI 4.1, 6.13).
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::environment;
using test_support::on_ranks;
using test_support::world;

/// Persistent collectives of several kinds and rank_counts, and what each gives.
class set_of_collectives {
 public:
  static constexpr std::size_t count = 6;

  explicit set_of_collectives(pure_comm on) {
    EXPECT_OK(pure_comm_rank(on, &me_));
    EXPECT_OK(pure_comm_size(on, &ranks_));
    gathered_.resize(static_cast<std::size_t>(ranks_));
    EXPECT_OK(pure_allreduce_init(&number_, &sum_, 1, PURE_INT, PURE_SUM, on, &all_[0]));
    EXPECT_OK(pure_allreduce_init(many_.data(), most_.data(), size, PURE_INT, PURE_MAX, on, &all_[1]));
    EXPECT_OK(pure_bcast_init(from_last_.data(), size, PURE_INT, ranks_ - 1, on, &all_[2]));
    EXPECT_OK(pure_barrier_init(on, &all_[3]));
    EXPECT_OK(pure_allgather_init(&number_, 1, PURE_INT, gathered_.data(), 1, PURE_INT, on, &all_[4]));
    EXPECT_OK(pure_allreduce_init(&number_, &least_, 1, PURE_INT, PURE_MIN, on, &all_[5]));
  }

  void fill(int round) {
    number_ = me_ + round;
    std::fill(many_.begin(), many_.end(), 1000 * me_ + round);
    std::fill(from_last_.begin(), from_last_.end(), me_ == ranks_ - 1 ? round : -1);
    sum_ = least_ = -1;
  }
  void start(std::size_t which) { EXPECT_OK(pure_start(&all_[which])); }
  void complete(int round) {
    EXPECT_OK(pure_waitall(static_cast<int>(count), all_.data()));
    EXPECT_EQ(sum_, ranks_ * (ranks_ - 1) / 2 + ranks_ * round);
    EXPECT_EQ(most_, (std::vector<int>(size, 1000 * (ranks_ - 1) + round)));
    EXPECT_EQ(from_last_, (std::vector<int>(size, round)));
    for (int q = 0; q < ranks_; ++q) EXPECT_EQ(gathered_[static_cast<std::size_t>(q)], q + round);
    EXPECT_EQ(least_, round);
  }
  void free(const std::vector<std::size_t>& order) {
    for (const std::size_t each : order) EXPECT_OK(pure_request_free(&all_[each]));
  }

 private:
  static constexpr int size = 3000;

  int me_ = 0, ranks_ = 0;
  int number_ = 0, sum_ = 0, least_ = 0;
  std::vector<int> many_ = std::vector<int>(size), most_ = many_, from_last_ = many_, gathered_;
  std::array<pure_request, count> all_{};
};

std::vector<std::size_t> shuffled_starts(std::mt19937& random) {
  std::vector<std::size_t> order(set_of_collectives::count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Each rank has an order of its own, and calls a blocking and a non-blocking collective somewhere among its starts.
void start_in_any_order(pure_comm on, int me, int rounds) {
  std::mt19937 random(static_cast<unsigned>(me));
  set_of_collectives all(on);
  for (int round = 0; round < rounds; ++round) {
    all.fill(round);
    const std::vector<std::size_t> order = shuffled_starts(random);
    const std::size_t before = random() % (order.size() + 1);
    for (std::size_t i = 0; i < before; ++i) all.start(order[i]);
    int product = 2, largest = me;
    pure_request request = PURE_REQUEST_NULL;
    EXPECT_OK(pure_allreduce(PURE_IN_PLACE, &product, 1, PURE_INT, PURE_PROD, on));
    EXPECT_OK(pure_iallreduce(PURE_IN_PLACE, &largest, 1, PURE_INT, PURE_MAX, on, &request));
    for (std::size_t i = before; i < order.size(); ++i) all.start(order[i]);
    all.complete(round);
    EXPECT_OK(pure_wait(&request));
    EXPECT_EQ(product, 1 << pure_size());
    EXPECT_EQ(largest, pure_size() - 1);
  }
  all.free(shuffled_starts(random));
}

constexpr std::array<int, 5> rank_counts{1, 2, 3, 4, 7};

TEST(pure_h_persistent_order, each_rank_has_its_own) {
  for (const int ranks : rank_counts) on_ranks(ranks, [](int me) { start_in_any_order(world, me, 20); });
}

TEST(pure_h_persistent_order, also_where_calls_are_compared_or_ranks_park_at_once) {
  const environment checked{{"PURE_CHECK", "1"}, {"PURE_SPIN_US", "0"}};
  for (const int ranks : rank_counts) on_ranks(ranks, [](int me) { start_in_any_order(world, me, 5); });
}

TEST(pure_h_persistent_order, also_on_a_freed_communicator) {
  on_ranks(3, [](int me) {
    pure_comm copy = PURE_COMM_NULL;
    EXPECT_OK(pure_comm_dup(world, &copy));
    set_of_collectives all(copy), others(copy);
    EXPECT_OK(pure_comm_free(&copy));
    for (int round = 0; round < 5; ++round) {
      all.fill(round);
      others.fill(round + 100);
      for (std::size_t i = 0; i < set_of_collectives::count; ++i) {
        (me == 1 ? others : all).start(i);
        (me == 1 ? all : others).start(set_of_collectives::count - 1 - i);
      }
      all.complete(round);
      others.complete(round + 100);
    }
    all.free({0, 1, 2, 3, 4, 5});
    others.free({5, 4, 3, 2, 1, 0});
  });
}

TEST(pure_h_persistent_order, one_that_is_not_started_is_in_nobodys_way) {
  for (const int ranks : rank_counts) {
    on_ranks(ranks, [](int me) {
      std::array<pure_request, 2> all{};
      int value = me == 0 ? 42 : -1;
      EXPECT_OK(pure_barrier_init(world, &all[0]));
      EXPECT_OK(pure_bcast_init(&value, 1, PURE_INT, 0, world, &all[1]));
      const auto start_barrier = [&] { EXPECT_OK(pure_start(&all[0])); };
      if (me == 0) start_barrier();  // the others come to it in the end
      EXPECT_OK(pure_start(&all[1]));
      EXPECT_OK(pure_wait(&all[1]));
      EXPECT_EQ(value, 42);
      for (int i = 0; i < 30; ++i) EXPECT_OK(pure_barrier(world));  // more than there are slots
      if (me != 0) start_barrier();
      EXPECT_OK(pure_wait(&all[0]));
      for (pure_request& each : all) EXPECT_OK(pure_request_free(&each));
    });
  }
}

TEST(pure_h_persistent_order, a_rank_may_have_freed_its_request_before_others_make_theirs) {
  on_ranks(4, [](int me) {
    for (int round = 0; round < 10; ++round) {
      int value = me == round % 4 ? round : -1;
      const auto once = [&] {
        pure_request request = PURE_REQUEST_NULL;
        EXPECT_OK(pure_bcast_init(&value, 1, PURE_INT, round % 4, world, &request));
        EXPECT_OK(pure_start(&request));
        EXPECT_OK(pure_wait(&request));
        EXPECT_OK(pure_request_free(&request));
      };
      if (me == round % 4) once();
      EXPECT_OK(pure_barrier(world));
      if (me != round % 4) once();
      EXPECT_EQ(value, round);
    }
  });
}

TEST(pure_h_persistent_order, those_of_other_kinds_are_found_out_where_calls_are_compared) {
  const environment checked{{"PURE_CHECK", "1"}};
  on_ranks(2, [](int me) {  // they are made in different orders: that is a mistake
    std::array<pure_request, 2> all{};
    int value = 0;
    const auto make = [&](bool is_barrier) {
      EXPECT_OK(is_barrier ? pure_barrier_init(world, &all[0])
                           : pure_bcast_init(&value, 1, PURE_INT, 0, world, &all[1]));
    };
    make(me == 0);
    make(me != 0);
    EXPECT_OK(pure_start(&all[me == 0 ? 0 : 1]));
    test_support::expect_error(pure_wait(&all[me == 0 ? 0 : 1]), PURE_ERR_MISMATCH,
                               {"different collectives", "pure_barrier_init", "pure_bcast_init"});
    for (pure_request& each : all) EXPECT_OK(pure_request_free(&each));
  });
}

}  // namespace
