// Random programs of aggregations: handlers that take long and send, urgent items, flushes, messages and collectives
// between them, phases behind each other. At the end of each phase every item of it has been handled, once, in the
// order that the contract promises; and memory is bounded where it says so.
//
// Program i of a test has the seed PURETEST_SEED + i; a failure prints it.
#include <pure/aggregation.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/oracle/dice.hpp"

namespace {

using oracle::dice;
using test_support::repetitions;

constexpr std::size_t most_phases = 6;

/// An item: who has sent it, its number among those of its source, destination, channel and kind, and how many items
/// its handling makes.
struct token {
  std::uint32_t source;
  std::uint32_t number;
  std::uint16_t phase;
  std::uint8_t left;
  std::uint8_t is_urgent;
  std::uint32_t pad[2];
};
struct small_token {
  std::uint16_t phase;
  std::uint16_t left;
};

/// What has been sent and handled, by phase: of all ranks.
struct totals {
  std::array<std::atomic<std::uint64_t>, most_phases> sent{}, handled{};
};

/// One of 64 different ways to be late, mostly none.
void maybe_late(dice& random) {
  const auto way = random.below(256);
  if (way == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(200)));
  if (way == 1) std::this_thread::yield();
}

class program {
 public:
  program(pure::comm world, std::uint64_t seed, totals& all)
      : world_(world),
        random_(seed * 1000 + static_cast<std::uint64_t>(world.rank())),
        all_(all),
        items_(world, options_of(seed)),
        to_(static_cast<std::size_t>(world.size())),
        from_(static_cast<std::size_t>(world.size())),
        tokens_(items_.on<token>([this](const token& item, pure::sender by) { handle(item, by.rank); })),
        small_(items_.on<small_token>([this](const small_token& item) {
          ++all_.handled[item.phase];
          maybe_late(random_);
          if (item.left > 0) send_small(item.phase, item.left - 1);
        })) {}

  void run_phase(std::uint16_t phase) {
    int work = random_.below(30);
    const int sends = random_.below(300);
    for (int i = 0; i < sends; ++i) {
      send_any(phase);
      const auto next = random_.below(100);
      if (next == 0) items_.flush();
      if (next == 1) items_.flush(random_.below(world_.size()));
      if (next == 2) static_cast<void>(items_.progress());
      maybe_late(random_);
    }
    if (phase % 2 == 0) {  // messages and a collective, with items in flight
      int got = -1;
      const int right = (world_.rank() + 1) % world_.size(), left = (world_.rank() + world_.size() - 1) % world_.size();
      world_.sendrecv(int{phase}, right, got, left);
      EXPECT_EQ(got, phase);
      EXPECT_EQ(world_.all_reduce(1, std::plus<>{}), world_.size());
    }
    items_.finish_with([&] {
      if (work == 0) return false;
      --work;
      send_any(phase);
      return true;
    });
    EXPECT_EQ(all_.sent[phase], all_.handled[phase]) << "rank " << world_.rank() << " has left phase " << phase;
  }

  [[nodiscard]] std::uint64_t handled() { return items_.stats().handled; }

 private:
  static pure::aggregation_options options_of(std::uint64_t seed) {
    dice shared(seed);
    pure::aggregation_options options;
    options.buffer_bytes = shared.pick(std::vector<std::size_t>{0, 0, 24, 100, 1000, 17344});
    options.memory_cap = shared.pick(std::vector<std::size_t>{34'816, 100'000, std::size_t{64} << 20});
    options.latency = std::chrono::microseconds(shared.pick(std::vector<int>{0, 0, 1, 100}));
    return options;
  }

  void send_any(std::uint16_t phase) {
    const auto left = static_cast<std::uint8_t>(random_.chance(20) ? random_.below(6) : 0);
    if (random_.chance(30)) return send_small(phase, left);
    send_token(phase, left);
  }
  void send_small(std::uint16_t phase, unsigned left) {
    ++all_.sent[phase];
    small_.send({phase, static_cast<std::uint16_t>(left)}, random_.below(world_.size()));
  }
  void send_token(std::uint16_t phase, std::uint8_t left) {
    const int dest = random_.below(world_.size());
    const bool is_urgent = random_.chance(3);
    auto& next = to_[static_cast<std::size_t>(dest)][is_urgent ? 1 : 0];
    const token made{static_cast<std::uint32_t>(world_.rank()),    next++, phase, left,
                     static_cast<std::uint8_t>(is_urgent ? 1 : 0), {}};
    ++all_.sent[phase];
    if (is_urgent) {
      tokens_.send(made, dest, pure::urgent);
    } else {
      tokens_.send(made, dest);
    }
  }
  void handle(const token& item, int source) {
    EXPECT_EQ(item.source, static_cast<std::uint32_t>(source));
    EXPECT_EQ(item.number, from_[static_cast<std::size_t>(source)][item.is_urgent]++);
    maybe_late(random_);
    for (unsigned i = 0; i < 2 && item.left > 0; ++i) send_token(item.phase, static_cast<std::uint8_t>(item.left - 1));
    if (random_.chance(1)) items_.flush();
    ++all_.handled[item.phase];
  }

  pure::comm world_;
  dice random_;
  totals& all_;
  pure::aggregation items_;
  std::vector<std::array<std::uint32_t, 2>> to_, from_;  // tokens, and urgent ones
  pure::channel<token> tokens_;
  pure::channel<small_token> small_;
};

TEST(aggregation_stress, every_item_of_a_phase_is_handled_in_it) {
  const std::uint64_t first = test_support::first_seed();
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(repetitions(200)); ++seed) {
    SCOPED_TRACE("PURETEST_SEED=" + std::to_string(seed));
    dice shared(seed + 77);
    const int ranks = shared.chance(50) ? shared.between(2, 4) : shared.between(1, 16);
    totals all;
    const test_support::environment checked{{"PURE_CHECK", shared.chance(25) ? "1" : "0"}};
    pure::run(ranks, [&](pure::comm world) {
      program mine(world, seed, all);
      for (std::size_t phase = 0; phase < most_phases; ++phase) mine.run_phase(static_cast<std::uint16_t>(phase));
    });
    if (HasFailure()) return;
  }
}

std::size_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long all = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%lu %lu", &all, &resident) != 2) ADD_FAILURE() << "no /proc/self/statm";
  if (file != nullptr) std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// The receiver keeps buffers: the sender must get them back, or 100 MB would be allocated.
TEST(aggregation_stress, a_flow_in_one_direction_needs_no_more_memory) {
  pure::run(2, [](pure::comm world) {
    std::uint64_t sum = 0;
    pure::aggregation items(world);
    const auto channel = items.on<std::uint64_t>([&](std::uint64_t item) { sum += item; });
    [[maybe_unused]] std::size_t before = 0;  // a sanitizer keeps more than the program does
    const auto count = static_cast<std::uint64_t>(repetitions(12'500'000));
    for (std::uint64_t i = 0; world.rank() == 0 && i < count; ++i) {
      if (i == count / 10) before = resident_bytes();
      channel.send(i, 1);
    }
    items.finish();
    EXPECT_EQ(sum, world.rank() == 1 ? count * (count - 1) / 2 : 0);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    if (world.rank() == 0) {
      EXPECT_LT(resident_bytes(), before + (std::size_t{8} << 20));
    }
#endif
    EXPECT_LE(items.stats().peak_bytes, 100'000U);
  });
}

/// PURETEST_ITEMS: how many in all; the soak has 10^9. What is resident behind the first tenth must not grow.
TEST(aggregation_stress, memory_is_flat_however_many_items_there_are) {
  const char* const wanted = std::getenv("PURETEST_ITEMS");
  const std::uint64_t all = wanted != nullptr ? std::strtoull(wanted, nullptr, 10)
                                              : static_cast<std::uint64_t>(repetitions(4'000'000));
  constexpr int ranks = 2, parts = 20;
  const std::uint64_t of_part = all / ranks / parts;
  ASSERT_GT(of_part, 0U);
  pure::run(ranks, [&](pure::comm world) {
    std::vector<std::uint64_t> table(10'000);
    pure::aggregation items(world);
    const auto add = items.on<std::uint64_t>([&](std::uint64_t counter) { ++table[counter]; });
    dice random(static_cast<std::uint64_t>(world.rank()) + 1);
    std::size_t before = 0;
    for (int part = 0; part < parts; ++part) {
      for (std::uint64_t i = 0; i < of_part; ++i) {
        const std::uint64_t chosen = random.next();
        add.send(chosen % table.size(), static_cast<int>((chosen >> 40) % ranks));
      }
      items.finish();
      if (world.rank() != 0) continue;
      const std::size_t now = resident_bytes();
      if (part == 1) before = now;
      std::printf("part %d of %d: %zu KiB resident\n", part + 1, parts, now >> 10);
      std::fflush(stdout);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
      static_cast<void>(before);  // the sanitizers' own memory grows
#else
      if (part > 1) {
        EXPECT_LT(now, before + (std::size_t{2} << 20));
      }
#endif
    }
    const std::uint64_t handled = world.all_reduce(std::accumulate(table.begin(), table.end(), std::uint64_t{0}),
                                                   std::plus<>{});
    EXPECT_EQ(handled, of_part * parts * ranks);
  });
}

TEST(aggregation_stress, all_send_to_one) {
  for (const int ranks : {2, 5, 16}) {
    pure::run(ranks, [&](pure::comm world) {
      std::uint64_t handled = 0;
      pure::aggregation items(world, {.memory_cap = 40'000});
      const auto channel = items.on<std::uint32_t>([&](std::uint32_t) { ++handled; });
      const auto count = static_cast<std::uint32_t>(repetitions(50'000));
      for (std::uint32_t i = 0; i < count; ++i) channel.send(i, 0);
      items.finish();
      EXPECT_EQ(handled, world.rank() == 0 ? std::uint64_t{count} * static_cast<unsigned>(ranks) : 0);
      EXPECT_EQ(items.stats().over_cap_bytes, 0U);
    });
  }
}

}  // namespace
