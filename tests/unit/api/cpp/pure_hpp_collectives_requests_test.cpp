// pure.hpp, non-blocking and persistent collectives: each form once, many in flight, and what requests keep alive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::at_all_sizes;

using longs = std::vector<long>;

/// Buffers of one rank, and what each operation makes of them. Rank r has r + 1 in each of its elements.
struct rank_buffers {
  explicit rank_buffers(const pure::comm& world)
      : me(world.rank()),
        ranks(world.size()),
        root(ranks - 1),
        size(static_cast<std::size_t>(ranks)),
        mine(3, me + 1),
        row(3 * size, me + 1),
        counts(size, 3),
        places(size),
        part(3),
        all(3 * size) {
    for (std::size_t r = 0; r < size; ++r) places[r] = static_cast<std::int64_t>(3 * (size - 1 - r));
  }

  void clear() {
    part.assign(3, -1);
    all.assign(3 * size, -1);
  }
  [[nodiscard]] longs three(long x) const { return longs(3, x); }
  [[nodiscard]] longs ones_of_each(bool backwards = false) const {
    longs expected;
    for (int r = 0; r < ranks; ++r) expected.insert(expected.end(), 3, backwards ? ranks - r : r + 1);
    return expected;
  }
  [[nodiscard]] long sum_to(int ranks_before) const { return ranks_before * (ranks_before + 1L) / 2; }

  int me, ranks, root;
  std::size_t size;
  longs mine, row;
  std::vector<std::int64_t> counts, places;
  longs part, all;  // results
};

/// Calls use(start, check) for every operation.
template <class Use>
void for_each_non_blocking(const pure::comm& world, rank_buffers& b, Use use) {
  const auto add = [](long left, long right) { return left + right; };
  const auto all_is = [&](const longs& expected) { return [&b, expected] { EXPECT_EQ(b.all, expected); }; };
  const auto part_is = [&](const longs& expected) { return [&b, expected] { EXPECT_EQ(b.part, expected); }; };
  const bool is_root = b.me == b.root;
  const longs none(3 * b.size, -1), sum = b.three(b.sum_to(b.ranks));
  use([&] { return world.ibarrier(); }, [] {});
  use([&] { return b.part = b.three(b.me), world.ibcast(b.part, b.root); }, part_is(b.three(b.root)));
  use([&] { return world.iall_reduce_into(b.mine, b.part, std::plus()); }, part_is(sum));
  use([&] { return b.part = b.mine, world.iall_reduce_into(pure::in_place, b.part, add); }, part_is(sum));
  use([&] { return world.ireduce_into(b.mine, b.part, add, b.root); }, part_is(is_root ? sum : b.three(-1)));
  use([&] { return world.iscan_into(b.mine, b.part, std::plus()); }, part_is(b.three(b.sum_to(b.me + 1))));
  use([&] { return world.iexscan_into(b.mine, b.part, add); }, part_is(b.three(b.me == 0 ? -1 : b.sum_to(b.me))));
  use([&] { return world.ireduce_scatter_into(b.row, b.part, std::plus()); }, part_is(sum));
  use([&] { return world.ireduce_scatter_into(b.row, b.counts, b.part, add); }, part_is(sum));
  use([&] { return world.igather_into(b.mine, b.all, b.root); }, all_is(is_root ? b.ones_of_each() : none));
  use([&] { return world.igatherv_into(b.mine, b.all, b.counts, b.root, b.places); },
      all_is(is_root ? b.ones_of_each(true) : none));
  use([&] { return world.iscatter_into(b.row, std::span(b.part), b.root); }, part_is(b.three(b.ranks)));
  use([&] { return world.iscatterv_into(b.row, b.counts, b.part, b.root, b.places); }, part_is(b.three(b.ranks)));
  use([&] { return world.iall_gather_into(b.mine, b.all); }, all_is(b.ones_of_each()));
  use([&] { return world.iall_gatherv_into(b.mine, b.all, b.counts, b.places); }, all_is(b.ones_of_each(true)));
  use([&] { return world.iall_to_all_into(b.row, b.all); }, all_is(b.ones_of_each()));
  use([&] { return world.iall_to_allv_into(b.row, b.counts, b.all, b.counts, {}, b.places); },
      all_is(b.ones_of_each(true)));
}

TEST(pure_hpp_collectives_requests, each_non_blocking_form) {
  at_all_sizes([](pure::comm world) {
    rank_buffers b(world);
    for_each_non_blocking(world, b, [&](auto start, auto check) {
      b.clear();
      pure::request started = start();
      started.wait();
      EXPECT_TRUE(started.is_complete());
      check();
      b.clear();
      started = start();
      while (!started.test()) {
      }
      check();
      b.clear();
      started = start();
      started = {};  // ends it
      check();
    });
  });
}

TEST(pure_hpp_collectives_requests, each_persistent_form) {
  at_all_sizes([](pure::comm world) {
    rank_buffers b(world);
    const auto add = [](long left, long right) { return left + right; };
    const bool is_root = b.me == b.root;
    const auto use = [&](pure::persistent_request made, auto expect) {
      for (int i = 0; i < 3; ++i) {
        b.clear();
        made.start();
        if (i == 1) {
          while (!made.test()) {
          }
        } else {
          made.wait();
        }
        expect();
      }
    };
    const auto all_is = [&](const longs& expected) { return [&b, expected] { EXPECT_EQ(b.all, expected); }; };
    const auto part_is = [&](const longs& expected) { return [&b, expected] { EXPECT_EQ(b.part, expected); }; };
    const longs none(3 * b.size, -1), sum = b.three(b.sum_to(b.ranks));
    use(world.barrier_init(), [] {});
    longs data(3);
    pure::persistent_request bcast = world.bcast_init(data, b.root);
    for (long i = 0; i < 3; ++i) {
      std::fill(data.begin(), data.end(), is_root ? i : -1);
      bcast.start();
      bcast.wait();
      EXPECT_EQ(data, b.three(i));
    }
    use(world.all_reduce_init(b.mine, b.part, std::plus()), part_is(sum));
    use(world.reduce_init(b.mine, b.part, add, b.root), part_is(is_root ? sum : b.three(-1)));
    use(world.scan_init(b.mine, b.part, add), part_is(b.three(b.sum_to(b.me + 1))));
    use(world.exscan_init(b.mine, b.part, std::plus()), part_is(b.three(b.me == 0 ? -1 : b.sum_to(b.me))));
    use(world.reduce_scatter_init(b.row, b.part, add), part_is(sum));
    use(world.reduce_scatter_init(b.row, b.counts, b.part, std::plus()), part_is(sum));
    use(world.gather_init(b.mine, b.all, b.root), all_is(is_root ? b.ones_of_each() : none));
    use(world.gatherv_init(b.mine, b.all, b.counts, b.root, b.places), all_is(is_root ? b.ones_of_each(true) : none));
    use(world.scatter_init(b.row, b.part, b.root), part_is(b.three(b.ranks)));
    use(world.scatterv_init(b.row, b.counts, b.part, b.root), part_is(b.three(b.ranks)));
    use(world.all_gather_init(b.mine, b.all), all_is(b.ones_of_each()));
    use(world.all_gatherv_init(b.mine, b.all, b.counts, b.places), all_is(b.ones_of_each(true)));
    use(world.all_to_all_init(b.row, b.all), all_is(b.ones_of_each()));
    use(world.all_to_allv_init(b.row, b.counts, b.all, b.counts, {}, b.places), all_is(b.ones_of_each(true)));
  });
}

TEST(pure_hpp_collectives_requests, many_in_flight_end_in_any_order) {
  at_all_sizes([](pure::comm world) {
    constexpr int many = 20;
    const pure::comm other = world.dup();
    std::vector<longs> in, out(2 * many, longs(50));
    for (int i = 0; i < 2 * many; ++i) in.emplace_back(50, i + world.rank());
    std::vector<pure::request> pending;
    for (std::size_t i = 0; i < in.size(); ++i) {
      pending.push_back((i % 2 == 0 ? world : other).iall_reduce_into(in[i], out[i], std::plus()));
    }
    EXPECT_EQ(world.all_reduce(1, std::plus()), world.size()) << "a blocking one among them";
    while (!pending.empty()) {
      const std::size_t last = pending.size() - 1;
      pending.back().wait();
      pending.pop_back();
      const long ranks = world.size();
      EXPECT_EQ(out[last], longs(50, ranks * static_cast<long>(last) + ranks * (ranks - 1) / 2));
    }
  });
}

struct counted {  // an operator that knows how many copies of it live
  explicit counted(std::shared_ptr<int> object) : lives(std::move(object)) {}
  long operator()(long a, long b) const { return a + b + *lives - 1; }
  std::shared_ptr<int> lives;
};

TEST(pure_hpp_collectives_requests, a_request_keeps_its_operator) {
  at_all_sizes([](pure::comm world) {
    const std::vector<long> in(100, 1);
    std::vector<long> out(100);
    auto token = std::make_shared<int>(1);
    pure::request pending = world.iall_reduce_into(in, out, counted(token));
    EXPECT_EQ(token.use_count(), 2) << "the temporary is gone, its copy is not";
    pending.wait();
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(out, std::vector<long>(100, world.size()));
    {
      pure::persistent_request many = world.scan_init(in, out, counted(token));
      for (int i = 0; i < 3; ++i) {
        many.start();
        many.wait();
        EXPECT_EQ(out, std::vector<long>(100, world.rank() + 1));
      }
      EXPECT_EQ(token.use_count(), 2);
    }
    EXPECT_EQ(token.use_count(), 1);
  });
}

TEST(pure_hpp_collectives_requests, they_proceed_inside_other_waits) {
  pure::run(2, [](pure::comm world) {
    const std::vector<double> in(100000, 1.0 + world.rank());
    std::vector<double> out(in.size());
    pure::request pending = world.iall_reduce_into(in, out, std::plus());
    if (world.rank() == 0) {
      EXPECT_EQ(world.recv<int>(1), 7) << "rank 1 sends it when the all-reduce is complete";
    } else {
      pending.wait();
      world.send(7, 0);
    }
    pending.wait();
    EXPECT_EQ(out, std::vector<double>(in.size(), 3.0));
  });
}

}  // namespace
