// pure.hpp, collectives that move data: barrier, broadcast, gather, scatter, all-gather, all-to-all, and the
// v-variants. Element i of what rank r has is number(r, i), so that every result can be computed without communication.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::at_all_sizes;
using test_support::numbers_of_ranks;

constexpr std::size_t block_sizes[] = {0, 1, 5, 1000, 40000};

int number(int rank, std::size_t i) { return rank * 1'000'000 + static_cast<int>(i); }

/// What rank r has, from element `first` on.
std::vector<int> part(int rank, std::size_t count, std::size_t first = 0) {
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number(rank, first + i);
  return numbers;
}

void append(std::vector<int>& to, const std::vector<int>& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The parts of all ranks, one after the other.
std::vector<int> all_parts(int ranks, std::size_t count) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) append(all, part(r, count));
  return all;
}

std::size_t unsigned_of(int x) { return static_cast<std::size_t>(x); }

/// Different for each rank, none for rank 1.
std::int64_t count_of(int rank) { return rank == 1 ? 0 : 3 + 7 * rank; }

std::vector<std::int64_t> counts_of(int ranks) {
  std::vector<std::int64_t> counts;
  for (int r = 0; r < ranks; ++r) counts.push_back(count_of(r));
  return counts;
}

/// The last rank's block first, with holes of two elements between blocks.
std::vector<std::int64_t> places_backwards(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> places(counts.size());
  std::int64_t next = 1;
  for (std::size_t r = counts.size(); r-- > 0; next += counts[r] + 2) places[r] = next;
  return places;
}

std::vector<int> parts_of_counts(int ranks) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) append(all, part(r, static_cast<std::size_t>(count_of(r))));
  return all;
}

/// The parts where places_backwards puts them, -1 elsewhere.
std::vector<int> parts_backwards(int ranks) {
  const auto counts = counts_of(ranks), places = places_backwards(counts);
  std::vector<int> all(unsigned_of(static_cast<int>(places[0] + counts[0] + 2)), -1);
  for (int r = 0; r < ranks; ++r) {
    const auto each = part(r, static_cast<std::size_t>(count_of(r)));
    std::copy(each.begin(), each.end(), all.begin() + places[unsigned_of(r)]);
  }
  return all;
}

TEST(pure_hpp_collectives_exchange, no_rank_leaves_a_barrier_before_all_have_entered) {
  for (const int ranks : numbers_of_ranks) {
    std::atomic<int> entered = 0;
    pure::run(ranks, [&](pure::comm world) {
      for (int i = 1; i <= 50; ++i) {
        ++entered;
        world.barrier();
        EXPECT_GE(entered.load(), i * ranks);
      }
    });
  }
}

TEST(pure_hpp_collectives_exchange, bcast) {
  at_all_sizes([](pure::comm world) {
    for (int root = 0; root < world.size(); ++root) {
      const bool is_root = world.rank() == root;
      double value = is_root ? 2.5 : 0;
      world.bcast(value, root);
      EXPECT_EQ(value, 2.5);
      std::array<int, 3> three = is_root ? std::array{1, 2, 3} : std::array{0, 0, 0};
      world.bcast(three, root);
      EXPECT_EQ(three, (std::array{1, 2, 3}));
      for (const std::size_t count : block_sizes) {
        std::vector<int> range = is_root ? part(root, count) : std::vector<int>(count);
        world.bcast(std::span(range), root);
        EXPECT_EQ(range, part(root, count));
        std::vector<int> resized = is_root ? part(root, count) : std::vector<int>(7);
        world.bcast_resized(resized, root);
        EXPECT_EQ(resized, part(root, count));
      }
      std::string text = is_root ? "broadcast" : "";
      world.bcast_resized(text, root);
      EXPECT_EQ(text, "broadcast");
    }
  });
}

TEST(pure_hpp_collectives_exchange, gather) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    for (int root = 0; root < ranks; ++root) {
      const bool is_root = me == root;
      EXPECT_EQ(world.gather(number(me, 0), root), is_root ? all_parts(ranks, 1) : std::vector<int>());
      for (const std::size_t count : block_sizes) {
        const std::vector<int> mine = part(me, count);
        const std::vector<int> expected = is_root ? all_parts(ranks, count) : std::vector<int>();
        EXPECT_EQ(world.gather(std::span(mine), root), expected);
        std::vector<int> out(expected.size());
        world.gather_into(mine, out, root);
        EXPECT_EQ(out, expected);
        if (!is_root) {
          world.gather_into(mine, out, root);
          continue;
        }
        std::fill(out.begin(), out.end(), -1);
        std::copy(mine.begin(), mine.end(), out.begin() + static_cast<std::ptrdiff_t>(count) * me);
        world.gather_into(pure::in_place, out, root);
        EXPECT_EQ(out, expected);
      }
    }
  });
}

TEST(pure_hpp_collectives_exchange, gather_of_different_counts) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    const std::vector<int> mine = part(me, static_cast<std::size_t>(count_of(me)));
    const std::vector<std::int64_t> counts = counts_of(ranks), places = places_backwards(counts);
    for (int root = 0; root < ranks; ++root) {
      const pure::blocks<int> found = world.gatherv(mine, root);
      std::vector<int> out(parts_of_counts(ranks).size());
      world.gatherv_into(mine, out, counts, root);
      std::vector<int> placed(parts_backwards(ranks).size(), -1);
      world.gatherv_into(mine, placed, counts, root, places);
      if (me != root) {
        EXPECT_TRUE(found.elements.empty() && found.counts.empty() && found.displs.empty());
        continue;
      }
      EXPECT_EQ(found.elements, parts_of_counts(ranks));
      EXPECT_EQ(found.counts, counts);
      for (int r = 0; r < ranks; ++r) {
        const auto block = found[r];
        EXPECT_EQ(std::vector<int>(block.begin(), block.end()), part(r, static_cast<std::size_t>(count_of(r))));
      }
      EXPECT_EQ(out, parts_of_counts(ranks));
      EXPECT_EQ(placed, parts_backwards(ranks));
    }
  });
}

TEST(pure_hpp_collectives_exchange, all_gather) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    EXPECT_EQ(world.all_gather(number(me, 0)), all_parts(ranks, 1));
    for (const std::size_t count : block_sizes) {
      const std::vector<int> mine = part(me, count), expected = all_parts(ranks, count);
      EXPECT_EQ(world.all_gather(mine), expected);
      std::vector<int> out(expected.size());
      world.all_gather_into(mine, out);
      EXPECT_EQ(out, expected);
      std::fill(out.begin(), out.end(), -1);
      std::copy(mine.begin(), mine.end(), out.begin() + static_cast<std::ptrdiff_t>(count) * me);
      world.all_gather_into(pure::in_place, std::span(out));
      EXPECT_EQ(out, expected);
    }
  });
}

TEST(pure_hpp_collectives_exchange, all_gather_of_different_counts) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    const std::vector<int> mine = part(me, static_cast<std::size_t>(count_of(me)));
    const std::vector<std::int64_t> counts = counts_of(ranks), places = places_backwards(counts);
    const pure::blocks<int> found = world.all_gatherv(mine);
    EXPECT_EQ(found.elements, parts_of_counts(ranks));
    EXPECT_EQ(found.counts, counts);
    std::vector<int> out(found.elements.size());
    world.all_gatherv_into(mine, out, counts);
    EXPECT_EQ(out, found.elements);
    std::vector<int> placed(parts_backwards(ranks).size(), -1);
    world.all_gatherv_into(mine, placed, counts, places);
    EXPECT_EQ(placed, parts_backwards(ranks));
    std::fill(placed.begin(), placed.end(), -1);
    std::copy(mine.begin(), mine.end(), placed.begin() + places[unsigned_of(me)]);
    world.all_gatherv_into(pure::in_place, placed, counts, places);
    EXPECT_EQ(placed, parts_backwards(ranks));
  });
}

TEST(pure_hpp_collectives_exchange, scatter) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    for (int root = 0; root < ranks; ++root) {
      const bool is_root = me == root;
      EXPECT_EQ(world.scatter_value(is_root ? all_parts(ranks, 1) : std::vector<int>(), root), number(me, 0));
      for (const std::size_t count : block_sizes) {
        std::vector<int> all = is_root ? all_parts(ranks, count) : std::vector<int>();
        EXPECT_EQ(world.scatter(all, root), part(me, count));
        std::vector<int> out(count);
        world.scatter_into(all, out, root);
        EXPECT_EQ(out, part(me, count));
        if (is_root) {
          world.scatter_into(all, pure::in_place, root);
          EXPECT_EQ(all, all_parts(ranks, count));
        } else {
          world.scatter_into(std::span<const int>(), out, root);
          EXPECT_EQ(out, part(me, count));
        }
      }
    }
  });
}

TEST(pure_hpp_collectives_exchange, scatter_of_different_counts) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    const std::vector<int> mine = part(me, static_cast<std::size_t>(count_of(me)));
    const std::vector<std::int64_t> counts = counts_of(ranks), places = places_backwards(counts);
    for (int root = 0; root < ranks; ++root) {
      const bool is_root = me == root;
      const std::vector<int> all = is_root ? parts_of_counts(ranks) : std::vector<int>();
      EXPECT_EQ(world.scatterv(all, is_root ? pure::count_list(counts) : pure::count_list(), root), mine);
      std::vector<int> out(mine.size());
      world.scatterv_into(all, counts, out, root);
      EXPECT_EQ(out, mine);
      std::fill(out.begin(), out.end(), -1);
      world.scatterv_into(is_root ? parts_backwards(ranks) : all, counts, out, root, places);
      EXPECT_EQ(out, mine);
      if (is_root) {
        world.scatterv_into(all, counts, pure::in_place, root);
      } else {
        world.scatterv_into(all, counts, out, root);
      }
      EXPECT_EQ(out, mine);
    }
  });
}

TEST(pure_hpp_collectives_exchange, all_to_all) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    for (const std::size_t count : block_sizes) {
      std::vector<int> mine = part(me, count * unsigned_of(ranks)), expected;
      for (int r = 0; r < ranks; ++r) append(expected, part(r, count, count * unsigned_of(me)));
      EXPECT_EQ(world.all_to_all(mine), expected);
      std::vector<int> out(mine.size());
      world.all_to_all_into(mine, out);
      EXPECT_EQ(out, expected);
      world.all_to_all_into(pure::in_place, mine);
      EXPECT_EQ(mine, expected);
    }
  });
}

/// What i gives j: nothing on the diagonal.
std::int64_t given(int i, int j) { return i == j ? 0 : 1 + 2 * i + 3 * j; }

TEST(pure_hpp_collectives_exchange, all_to_all_of_different_counts) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    std::vector<std::int64_t> to, from;
    std::size_t size = 0;
    for (int r = 0; r < ranks; ++r) {
      to.push_back(given(me, r));
      from.push_back(given(r, me));
      size += static_cast<std::size_t>(to.back());
    }
    const std::vector<int> mine = part(me, size);
    std::vector<int> expected;
    std::vector<std::vector<int>> blocks;
    for (int r = 0; r < ranks; ++r) {
      std::size_t before = 0;
      for (int q = 0; q < me; ++q) before += static_cast<std::size_t>(given(r, q));
      blocks.push_back(part(r, static_cast<std::size_t>(given(r, me)), before));
      append(expected, blocks.back());
    }

    const pure::blocks<int> found = world.all_to_allv(mine, to);
    EXPECT_EQ(found.elements, expected);
    EXPECT_EQ(found.counts, from);
    std::vector<int> out(expected.size());
    world.all_to_allv_into(mine, to, out, from);
    EXPECT_EQ(out, expected);

    const std::vector<std::int64_t> places = places_backwards(from);
    std::vector<int> placed(static_cast<std::size_t>(places[0] + from[0]));
    std::vector<std::int64_t> starts;
    std::int64_t next = 0;
    for (const std::int64_t each : to) starts.push_back(std::exchange(next, next + each));
    world.all_to_allv_into(mine, to, placed, from, starts, places);
    for (int r = 0; r < ranks; ++r) {
      const auto& block = blocks[unsigned_of(r)];
      EXPECT_TRUE(std::equal(block.begin(), block.end(), placed.begin() + places[unsigned_of(r)]));
    }
  });
}

TEST(pure_hpp_collectives_exchange, some_have_nothing) {
  pure::run(3, [](pure::comm world) {  // an empty vector has no address; that is not "in place"
    const int me = world.rank();
    const std::vector<int> mine = me == 0 ? std::vector{1, 2} : std::vector<int>();
    const std::vector<std::int64_t> to = me == 0 ? std::vector<std::int64_t>{0, 1, 1} : std::vector<std::int64_t>(3);
    const std::vector<int> expected = me == 0 ? std::vector<int>() : std::vector{me};
    EXPECT_EQ(world.all_to_allv(mine, to).elements, expected);
    EXPECT_EQ(world.all_gatherv(mine).elements, (std::vector{1, 2}));
    EXPECT_EQ(world.gatherv(mine, 1).elements, me == 1 ? std::vector({1, 2}) : std::vector<int>());
  });
}

TEST(pure_hpp_collectives_exchange, in_place_where_each_gives_what_it_gets) {
  at_all_sizes([](pure::comm world) {
    const int me = world.rank(), ranks = world.size();
    std::vector<std::int64_t> counts;
    std::vector<int> data, expected;
    for (int r = 0; r < ranks; ++r) {
      const auto count = static_cast<std::size_t>(1 + me + r);
      counts.push_back(static_cast<std::int64_t>(count));
      append(data, part(me, count, unsigned_of(r) * 100));
      append(expected, part(r, count, unsigned_of(me) * 100));
    }
    world.all_to_allv_into(pure::in_place, {}, data, counts);
    EXPECT_EQ(data, expected);
  });
}

TEST(pure_hpp_collectives_exchange, on_parts_of_world_in_another_order) {
  pure::run(7, [](pure::comm world) {
    const pure::comm half = world.split(world.rank() % 2, -world.rank());
    const int me = half.rank(), ranks = half.size();
    EXPECT_EQ(half.all_gather(part(me, 10)), all_parts(ranks, 10));
    EXPECT_EQ(half.gather(part(me, 10), ranks - 1), me == ranks - 1 ? all_parts(ranks, 10) : std::vector<int>());
    EXPECT_EQ(half.scatter(me == 1 ? all_parts(ranks, 10) : std::vector<int>(), 1), part(me, 10));
    EXPECT_EQ(world.all_gather(number(world.rank(), 0)), all_parts(7, 1));
  });
}

}  // namespace
