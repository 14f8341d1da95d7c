// Windows: many ranks change few elements by whatever atomic operations there are, and what comes out is exact.
//
// A test of seed PURETEST_SEED; a failure prints it. PURETEST_SCALE makes them longer.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <pure/pure.hpp>
#include <pure/window.hpp>

#include "support/environment.hpp"
#include "support/pauses.hpp"

namespace {

using test_support::first_seed;
using test_support::pauses;
using test_support::repetitions;

pure::window_options with(pure::atomics by) {
  pure::window_options made;
  made.by = by;
  return made;
}

std::mt19937_64 random_of(const pure::comm& world) {
  return std::mt19937_64(first_seed() * 1000 + static_cast<std::uint64_t>(world.rank()));
}

/// By rank and kind of atomics: more ranks than there are cores, too.
class windows_atomics : public testing::TestWithParam<std::tuple<int, pure::atomics>> {
 protected:
  [[nodiscard]] static int ranks() { return std::get<0>(GetParam()); }
  [[nodiscard]] static pure::atomics by() { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(ranks, windows_atomics,
                         testing::Combine(testing::Values(2, 4, 16),
                                          testing::Values(pure::atomics::any_type, pure::atomics::hardware)),
                         [](const auto& of) {
                           return std::to_string(std::get<0>(of.param)) +
                                  (std::get<1>(of.param) == pure::atomics::hardware ? "_hardware" : "_any_type");
                         });

TEST_P(windows_atomics, a_few_words_hold_the_sum_of_all_that_was_added) {
  const int rounds = repetitions(20'000) / ranks() + 10;
  pure::run(ranks(), [&](pure::comm world) {
    constexpr std::size_t words = 5;
    auto counters = pure::window<std::int64_t>::allocate(world, words, with(by()));
    std::mt19937_64 random = random_of(world);
    pauses pause(random());
    std::vector<std::int64_t> added(words * static_cast<std::size_t>(world.size()));
    for (int round = 0; round < rounds; ++round) {
      const auto value = static_cast<std::int64_t>(random() % 1000) - 500;
      const pure::window_target to{static_cast<int>(random() % static_cast<unsigned>(world.size())), random() % words};
      switch (random() % 4) {
        case 0: counters.accumulate(value, to, std::plus<>{}); break;
        case 1: (void)counters.fetch_op(value, to, std::plus<>{}); break;
        case 2:
          for (std::int64_t seen = counters.load(to);;) {
            const std::int64_t before = counters.compare_swap(seen, seen + value, to);
            if (before == seen) break;
            seen = before;
          }
          break;
        default: {
          std::int64_t before = 0;
          counters.get_accumulate(std::span(&value, 1), std::span(&before, 1), to, std::plus<>{});
        }
      }
      added[static_cast<std::size_t>(to.rank) * words + to.offset] += value;
      pause.maybe();
    }
    const std::vector<std::int64_t> expected = world.all_reduce(added, std::plus<>{});
    for (std::size_t i = 0; i < words; ++i) {
      EXPECT_EQ(counters.local()[i], expected[static_cast<std::size_t>(world.rank()) * words + i])
          << "word " << i << " of rank " << world.rank() << ", PURETEST_SEED=" << first_seed();
    }
    counters.free();
  });
}

TEST_P(windows_atomics, long_and_short_ones_exclude_each_other) {
  constexpr std::size_t words = 1024;
  const int rounds = repetitions(4000) / ranks() + 10;
  pure::run(ranks(), [&](pure::comm world) {
    auto counters = pure::window<std::int64_t>::allocate(world, words, with(by()));
    std::mt19937_64 random = random_of(world);
    const std::vector<std::int64_t> ones(words, 1);
    std::vector<std::int64_t> added(words);
    for (int round = 0; round < rounds; ++round) {
      if (random() % 8 == 0) {
        const std::size_t from = random() % words, count = 1 + random() % (words - from);
        counters.accumulate(std::span(ones).first(count), {0, from}, std::plus<>{});
        for (std::size_t i = from; i < from + count; ++i) ++added[i];
      } else {
        const std::size_t word = random() % 3 == 0 ? 511 : random() % words;
        (void)counters.fetch_op(1, {0, word}, std::plus<>{});
        ++added[word];
      }
    }
    const std::vector<std::int64_t> expected = world.all_reduce(added, std::plus<>{});
    if (world.rank() == 0) {
      for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(counters.local()[i], expected[i]) << i;
    }
    counters.free();
  });
}

/// Neighbouring bytes and shorts of one word, each of which only its rank changes, and one that all do.
template <class Small>
void neighbours(int ranks, pure::atomics by, int rounds) {
  pure::run(ranks, [&](pure::comm world) {
    const auto own = static_cast<std::size_t>(world.rank() + 1);
    auto all = pure::window<Small>::allocate(world, own + 64, with(by));
    const auto next = [](Small value) { return static_cast<Small>(value + 1); };
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t place : {std::size_t{0}, own}) {
        Small seen = 0;
        for (;;) {
          const Small before = all.compare_swap(seen, next(seen), {0, place});
          if (before == seen) break;
          seen = before;
        }
      }
    }
    world.barrier();
    if (world.rank() == 0) {
      EXPECT_EQ(all.local()[0], static_cast<Small>(rounds * ranks));
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(all.local()[static_cast<std::size_t>(rank) + 1], static_cast<Small>(rounds)) << rank;
    }
    world.barrier();
    all.free();
  });
}

TEST_P(windows_atomics, neighbours_in_a_word_do_not_disturb_each_other) {
  const int rounds = repetitions(3000) / ranks() + 10;
  neighbours<std::int8_t>(ranks(), by(), rounds);
  neighbours<std::uint16_t>(ranks(), by(), rounds);
}

TEST_P(windows_atomics, a_counter_deals_every_number_once) {
  const int numbers = repetitions(20'000);
  pure::run(ranks(), [&](pure::comm world) {
    auto counter = pure::window<std::int64_t>::allocate(world, 1, with(by()));
    std::vector<std::int64_t> taken(static_cast<std::size_t>(numbers));
    for (;;) {
      const auto mine = counter.fetch_op(1, {world.size() - 1, 0}, std::plus<>{});
      if (mine >= numbers) break;
      ++taken[static_cast<std::size_t>(mine)];
    }
    const std::vector<std::int64_t> times = world.all_reduce(taken, std::plus<>{});
    EXPECT_EQ(times, std::vector<std::int64_t>(times.size(), 1));
    counter.free();
  });
}

}  // namespace
